package main

import (
	"context"
	"errors"
	"io"
	"net/netip"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/ofmcast/ofmcast/examples/agent/members"
	"github.com/ofmcast/ofmcast/examples/agent/policy"
	"github.com/ofmcast/ofmcast/examples/agent/view"
	"github.com/ofmcast/ofmcast/igmp"
	"github.com/ofmcast/ofmcast/igmp/snooper"
	"github.com/ofmcast/ofmcast/mcast"
	"github.com/ofmcast/ofmcast/ofgroup"
)

// policyState is the policy in force and what it has denied.
type policyState struct {
	now atomic.Pointer[policy.Policy] // never nil

	// With the agent's lock:
	denied map[ofgroup.Port]uint64    // reports
	said   map[ofgroup.Port]time.Time // when that was last told of a port

	static map[ofgroup.Port]bool // of keepPolicy alone: ports that have configured joins
}

// initPolicy puts the configured policy in force before anything is heard.
func (a *agent) initPolicy() {
	a.policy.denied, a.policy.said = make(map[ofgroup.Port]uint64), make(map[ofgroup.Port]time.Time)
	a.policy.static = make(map[ofgroup.Port]bool)
	a.policy.now.Store(new(policy.Policy))
	if a.o.file != nil {
		a.policy.now.Store(&a.o.file.Policy)
	}
	a.cache.Freeze(a.policy.now.Load().Freeze)
}

// validate judges a record by the policy. What is denied counts as a leave, so that no report keeps what
// may not be any more. It is called by the snooper, with the lock held.
func (a *agent) validate(r snooper.Record) snooper.Decision {
	p, _ := a.layout.port(ofgroup.Port(r.Port))
	if _, ok := a.policy.now.Load().Permit(p.name, r.Group, mcast.Kind(r.Kind), r.Sources); ok {
		return snooper.Allow
	}
	a.policy.denied[p.number]++
	const every = time.Minute // a stranger's reports must not fill the log
	if r.At.Sub(a.policy.said[p.number]) >= every {
		a.policy.said[p.number] = r.At
		by := a.reasonFor(p.name, r)
		a.log.Info("report denied", "port", p.name, "vlan", uint16(r.VLAN), "group", r.Group, "host", r.Host.Addr,
			"by", by, "denied", a.policy.denied[p.number])
		a.view.Note(view.Event{At: r.At, Kind: "denied", Group: r.Group.String(), VLAN: uint32(r.VLAN), Port: uint32(p.number), Name: p.name, Text: "by " + by})
	}
	return snooper.TreatAsLeave
}

// reasonFor is what has denied a record: of several sources, what has denied the first.
func (a *agent) reasonFor(port string, r snooper.Record) string {
	var source netip.Addr
	if len(r.Sources) > 0 && r.Kind != igmp.IsEx && r.Kind != igmp.ToEx {
		source = r.Sources[0]
	}
	return a.policy.now.Load().Reason(port, r.Group, source)
}

// permitted are the sources of a record that are not denied. With the lock held.
func (a *agent) permitted(r *snooper.Record) []netip.Addr {
	p, _ := a.layout.port(ofgroup.Port(r.Port))
	left, _ := a.policy.now.Load().Permit(p.name, r.Group, mcast.Kind(r.Kind), r.Sources)
	return left
}

// keepPolicy is the part of the agent that reads the policy anew on SIGHUP, and keeps what is joined by
// it as ports come and go.
func (a *agent) keepPolicy(ctx context.Context) error {
	hup := make(chan os.Signal, 1)
	if a.o.config != "" {
		signal.Notify(hup, syscall.SIGHUP)
		defer signal.Stop(hup)
	}
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-hup:
			a.reload()
		case <-tick.C:
		}
		a.applyStatic(time.Now())
		a.forgetDenied()
	}
}

// errSaysNothing is about a file that may be half written: an empty policy would let everybody in.
var errSaysNothing = errors.New("the file says nothing; to have no policy, say policy: {}")

// reload reads the file. One with an error changes nothing.
func (a *agent) reload() {
	o, err := parseOptions(a.o.args, io.Discard) // an error in what only the start reads is one, too
	if err == nil && o.file.Empty() {
		err = errSaysNothing
	}
	if err != nil {
		a.log.Error("configuration not read again", "err", err)
		return
	}
	for _, text := range o.warnings() {
		a.log.Warn("configuration", "warning", text)
	}
	file := o.file
	if !file.SameFlags(a.o.file) {
		a.log.Warn("what the configuration says besides the policy needs a restart")
	}
	a.setPolicy(&file.Policy, time.Now())
	a.log.Info("policy read again", "rules", len(file.Policy.Rules), "static", len(file.Policy.Static),
		"drained", file.Policy.Drain, "frozen", file.Policy.Freeze)
	a.note("the policy was read again")
}

// setPolicy puts a policy in force: what it does not allow is taken away, by a frozen one when it is not
// frozen any more; and hosts are asked what they want, for more may be allowed now.
func (a *agent) setPolicy(p *policy.Policy, at time.Time) {
	a.policy.now.Store(p)
	a.cache.Freeze(p.Freeze)
	for _, port := range a.portInfos() {
		if port.Drained {
			a.cache.RemoveMember(members.Port(port.Number), at)
		}
	}
	a.takeAway(p, at)
	a.askEverybody()
}

// takeAway ends what members have learnt to want and may not have. They are asked, as after a leave, and
// their answers are denied: it takes the last member time.
func (a *agent) takeAway(p *policy.Policy, at time.Time) {
	names := a.portNames()
	for g := range a.cache.Groups() {
		for m, filter := range g.All() {
			if m.IsNode() { // whose agent has a policy of its own
				continue
			}
			kind, sources, yes := p.Denied(names[m.Port], g.Group().Addr, filter)
			if yes {
				// Refused: it is gone already.
				_ = a.cache.Apply(mcast.Report[members.Member]{Group: g.Group(), Member: m, Kind: kind, Sources: sources, At: at})
			}
		}
	}
}

// forgetDenied forgets what was denied to ports that are gone: who gets the number is another.
func (a *agent) forgetDenied() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for p := range a.policy.denied {
		if _, there := a.layout.port(p); !there {
			delete(a.policy.denied, p)
			delete(a.policy.said, p)
		}
	}
}
