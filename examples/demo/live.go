package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/ofmcast/ofmcast/internal/ovslab"
)

// The live act: an agent on a real bridge, real hosts of every IGMP version, a machine outside beyond
// an uplink, and the kernel's multicast routing between.
var (
	liveGroup   = netip.MustParseAddr("239.1.1.1")
	liveHosts   = []string{"v1", "v2", "v3a", "v3b", "idle"}
	liveVersion = map[string]int{"v1": 1, "v2": 2}
)

const (
	outsideHost = "outside"
	gatewayNet  = "192.0.2.254/24"
	packets     = 500

	// Short intervals, so that silence ends within the demo; but an IGMPv1 host takes up to 10 s to
	// answer, so the membership interval, 2 x 5 s + 2 x 2 s, must be longer than that.
	queryInterval = 5 * time.Second
	queryResponse = 2 * time.Second
	lastMember    = 2 * time.Second
	membership    = 2*queryInterval + 2*queryResponse
)

// live is the scene of the act.
type live struct {
	lab     *ovslab.NetLab
	out     io.Writer
	members map[string]*ovslab.Membership
	faults  int
}

// phase is one thing that happens, and who gets the stream afterwards.
type phase struct {
	title  string
	do     func(context.Context, *live) error
	settle time.Duration // until what happened has its effect
	sender string
	get    []string // who gets every packet; all others get none
}

var phases = []phase{
	{title: "nobody has joined", sender: outsideHost},
	{title: "four hosts join", do: join("v1", "v2", "v3a", "v3b"), settle: time.Second,
		sender: outsideHost, get: []string{"v1", "v2", "v3a", "v3b"}},
	{title: "a local host sends", sender: "idle", get: []string{"v1", "v2", "v3a", "v3b", outsideHost}},
	{title: "v2 leaves", do: leave("v2"), settle: lastMember + time.Second,
		sender: outsideHost, get: []string{"v1", "v3a", "v3b"}},
	{title: "v3b crashes", do: crash("v3b"), settle: time.Second,
		sender: outsideHost, get: []string{"v1", "v3a"}},
	{title: "v3a leaves", do: leave("v3a"), settle: lastMember + time.Second,
		sender: outsideHost, get: []string{"v1"}},
	{title: "v1 leaves silently", do: leave("v1"), settle: membership + time.Second, sender: outsideHost},
}

// playLive plays the act. Where it cannot, it says why.
func playLive(ctx context.Context, bin string, out io.Writer) error {
	fmt.Fprint(out, "\n== The live agent: hosts join, leave and crash; the kernel routes to and from a machine outside ==\n\n")
	hosts := []ovslab.HostConfig{{
		Name: outsideHost, Port: "up0", Addr: netip.MustParsePrefix("198.51.100.7/24"),
		Uplink: netip.MustParseAddr("198.51.100.1"), Gateway: netip.MustParseAddr("198.51.100.1"),
	}}
	for _, name := range liveHosts {
		hosts = append(hosts, ovslab.HostConfig{Name: name, IGMPVersion: liveVersion[name]})
	}
	lab, err := ovslab.StartNet(ctx, ovslab.NetConfig{Hosts: hosts})
	if errors.Is(err, ovslab.ErrNoNamespaces) {
		_, err = fmt.Fprintf(out, "left out: %v\n", err)
		return err
	}
	if err != nil {
		return err
	}
	defer func() { _ = lab.Close() }()
	stop, err := startAgent(ctx, lab, bin)
	if err != nil {
		return err
	}
	l := &live{lab: lab, out: out, members: make(map[string]*ovslab.Membership)}
	return errors.Join(l.play(ctx), stop())
}

// startAgent runs the agent on the switch's machine and waits until it has programmed the switch. The
// returned function ends it as an operator would.
func startAgent(ctx context.Context, lab *ovslab.NetLab, bin string) (stop func() error, err error) {
	if _, err := lab.Vsctl(ctx, "add-port", lab.Bridge(), "gw0", "--", "set", "interface", "gw0", "type=internal", "ofport_request=100"); err != nil {
		return nil, err
	}
	for _, args := range [][]string{{"addr", "add", gatewayNet, "dev", "gw0"}, {"link", "set", "dev", "gw0", "up"}} {
		if _, err := lab.Node().Run(ctx, "ip", args...); err != nil {
			return nil, err
		}
	}
	var said bytes.Buffer
	cmd := lab.Node().Command(context.Background(), filepath.Join(bin, "agent"),
		"-openflow", "unix:"+lab.Mgmt(), "-ovsdb", "unix:"+lab.Dir()+"/db.sock",
		"-gateway", "gw0", "-uplink", "up0", "-query-address", "192.0.2.254",
		"-query-interval", queryInterval.String(), "-query-response", queryResponse.String())
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	stop = func() error {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		if err := cmd.Wait(); err != nil {
			return fmt.Errorf("agent: %w: %s", err, &said)
		}
		return nil
	}
	if err := programmed(ctx, lab); err != nil {
		return nil, errors.Join(err, stop())
	}
	return stop, nil
}

// programmed waits for the agent's flow in table 0, which comes last.
func programmed(ctx context.Context, lab *ovslab.NetLab) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	for {
		flows, err := lab.Ofctl(ctx, "dump-flows", lab.Mgmt(), "table=0")
		if err != nil {
			return err
		}
		if strings.Contains(flows, "resubmit(,100)") {
			return pause(ctx, 100*time.Millisecond)
		}
		if err := pause(ctx, 20*time.Millisecond); err != nil {
			return err
		}
	}
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// play goes through the phases and prints what each host got, beside what it should have got.
func (l *live) play(ctx context.Context) error {
	all := append(slices.Clone(liveHosts), outsideHost)
	fmt.Fprintf(l.out, "%-20s %-8s", "what happened", "sender")
	for _, h := range all {
		fmt.Fprintf(l.out, " %9s", h)
	}
	fmt.Fprintln(l.out)
	for i, p := range phases {
		if err := l.playPhase(ctx, uint32(i), p, all); err != nil {
			return err
		}
	}
	if l.faults > 0 {
		fmt.Fprintf(l.out, "FAIL: %d counts are wrong\n", l.faults)
		return fmt.Errorf("%w: %d counts are wrong", errFailed, l.faults)
	}
	_, err := fmt.Fprintf(l.out, "PASS: everybody got each of %d packets once, and nobody else any\n", packets)
	return err
}

func (l *live) playPhase(ctx context.Context, id uint32, p phase, all []string) error {
	if p.do != nil {
		if err := p.do(ctx, l); err != nil {
			return err
		}
	}
	if err := pause(ctx, p.settle); err != nil {
		return err
	}
	taps := make(map[string]*ovslab.Receiver)
	for _, h := range all {
		tap, err := l.lab.Host(h).Tap(liveGroup)
		if err != nil {
			return err
		}
		taps[h] = tap
	}
	if err := l.lab.Host(p.sender).Send(ctx, ovslab.Stream{To: liveGroup, Packets: packets, ID: id}); err != nil {
		return err
	}
	if err := pause(ctx, 300*time.Millisecond); err != nil { // for what is still under way
		return err
	}
	fmt.Fprintf(l.out, "%-20s %-8s", p.title, p.sender)
	for _, h := range all {
		l.count(taps[h], slices.Contains(p.get, h), h == p.sender)
	}
	fmt.Fprintln(l.out)
	return nil
}

// count prints how many packets a host got; a count that is wrong has the right one beside it.
func (l *live) count(tap *ovslab.Receiver, gets, sends bool) {
	got, want := len(tap.Arrivals()), 0
	if gets {
		want = packets
	}
	_ = tap.Close()
	switch {
	case sends && got == 0:
		fmt.Fprintf(l.out, " %9s", "sends")
	case got == want:
		fmt.Fprintf(l.out, " %9d", got)
	default:
		l.faults++
		fmt.Fprintf(l.out, " %9s", fmt.Sprintf("%d(%d!)", got, want))
	}
}

func join(names ...string) func(context.Context, *live) error {
	return func(_ context.Context, l *live) error {
		for _, name := range names {
			m, err := l.lab.Host(name).Join(liveGroup)
			if err != nil {
				return err
			}
			l.members[name] = m
		}
		return nil
	}
}

func leave(name string) func(context.Context, *live) error {
	return func(_ context.Context, l *live) error { return l.members[name].Leave() }
}

func crash(name string) func(context.Context, *live) error {
	return func(ctx context.Context, l *live) error { return l.lab.DelPort(ctx, name) }
}
