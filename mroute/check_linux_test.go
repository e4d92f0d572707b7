package mroute

import (
	"context"
	"net"
	"net/netip"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// check is Check without an error.
func check(t *testing.T, cfg CheckConfig) []Finding {
	t.Helper()
	all, err := Check(t.Context(), cfg)
	require.NoError(t, err)
	for _, f := range all {
		require.NotEmpty(t, f.Detail, "%v", f)
		require.NotEmpty(t, f.Remedy, "%v", f)
	}
	return all
}

// problems are the findings without those that stand in every namespace of the tests: ip_forward is 0 there.
func problems(t *testing.T, all []Finding) []Problem {
	t.Helper()
	out := []Problem{}
	for _, f := range all {
		if f.Problem == ProblemForwarding {
			require.False(t, f.Blocks)
			continue
		}
		out = append(out, f.Problem)
	}
	return out
}

// running waits until the kernel says of the interfaces that they run, or do not, which it may a second late.
func running(t *testing.T, run bool, names ...string) {
	t.Helper()
	for _, name := range names {
		until(t, func() bool {
			i, err := net.InterfaceByName(name)
			return err == nil && i.Flags&net.FlagRunning != 0 == run
		})
	}
}

// stream is a router from v1 to v2 with a receiver: reports whether a packet of the sender's comes through.
type stream struct {
	from, to *host
	socket   *Socket
	router   *Router
	got      func(addr, text string) bool
}

func newStream(t *testing.T) *stream {
	t.Helper()
	s := &stream{from: newHost(t, 1), to: newHost(t, 2)}
	var w wishes
	w.set(group.String(), "v2")
	s.socket = open(t)
	s.router = run(t, s.socket, RouterConfig{Inputs: []string{"v1"}, Policy: w.policy})
	running(t, true, "v1", "v2")
	out := s.to.udp(t, group.String()+":5000")
	s.got = func(addr, text string) bool {
		send(t, s.from.senderAt(t, addr), group.String(), text)
		b := make([]byte, 1500)
		require.NoError(t, out.SetReadDeadline(time.Now().Add(300*time.Millisecond)))
		n, _, err := out.ReadFromUDP(b)
		return err == nil && string(b[:n]) == text
	}
	return s
}

func (s *stream) config() CheckConfig {
	return CheckConfig{Socket: s.socket, Inputs: []string{"v1"}, Outputs: []string{"v2"}}
}

func TestCheckFindsNothingWhereAStreamComesThrough(t *testing.T) {
	t.Parallel()
	enterNamespace(t)
	s := newStream(t)
	require.True(t, s.got("10.0.1.2", "through"))
	cfg := s.config()
	cfg.Flows = []Flow{{Source: source, Group: group}}
	cfg.Listen = 20 * time.Millisecond
	require.Empty(t, problems(t, check(t, cfg)))
}

func TestCheckFindsTheReversePathThatDropsASource(t *testing.T) {
	t.Parallel()
	enterNamespace(t)
	s := newStream(t)
	far := netip.MustParseAddr("10.9.9.9")
	require.NoError(t, s.from.run(func() error { return runIP(nil, "addr add 10.9.9.9/32 dev eth0") }))
	cfg := s.config()
	cfg.Flows = []Flow{{Source: source, Group: group}, {Source: far, Group: group, In: "v1"}}
	blocked := func(detail string) {
		t.Helper()
		require.False(t, s.got(far.String(), "lost"), "nothing to find if it comes through")
		all := check(t, cfg)
		require.Equal(t, []Problem{ProblemReversePath}, problems(t, all))
		f := all[len(all)-1]
		require.Equal(t, []any{"v1", far, group, true}, []any{f.Interface, f.Source, f.Group, f.Blocks})
		require.Contains(t, f.Detail, detail)
		require.Equal(t, RouterStats{}, status(t, s.router).Stats, "not even an upcall tells of it")
	}
	sysctl(t, "conf/v1/rp_filter", "1")
	blocked("rp_filter is 1 and there is no route back")
	sysctl(t, "conf/v1/rp_filter", "2")
	blocked("rp_filter is 2 and there is no route back")
	sysctl(t, "conf/v1/rp_filter", "0")
	sysctl(t, "conf/all/rp_filter", "1")
	ip(t, "route add 10.9.9.9/32 dev v2")
	blocked("rp_filter is 1 and the route back leads to v2")
	cfg.Flows = nil
	all := check(t, cfg)
	require.Equal(t, []Problem{ProblemReversePath}, problems(t, all), "without a stream it is said what may be")
	require.False(t, all[len(all)-1].Blocks)

	cfg.Flows = []Flow{{Source: far}}
	sysctl(t, "conf/v1/rp_filter", "2")
	require.Empty(t, problems(t, check(t, cfg)), "any route is enough for 2, the higher of both settings")
	require.True(t, s.got(far.String(), "through"))
}

func TestCheckFindsTheTableWithoutItsRule(t *testing.T) {
	t.Parallel()
	enterNamespace(t)
	dummies(t, 2)
	running(t, true, "d0", "d1")
	s, err := Open(Config{Table: 7})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	cfg := CheckConfig{Socket: s, Inputs: []string{"d0", "d1"}}
	require.Equal(t, []Problem{ProblemNoRule, ProblemNoRule}, problems(t, check(t, cfg)))
	ip(t, "mrule add iif d1 table 7", "mrule add iif d0 table 8")
	all := check(t, cfg)
	require.Equal(t, []Problem{ProblemNoRule}, problems(t, all))
	require.Equal(t, "d0", all[len(all)-1].Interface)
	require.Equal(t, "ip mrule add iif d0 table 7", all[len(all)-1].Remedy)
	ip(t, "mrule add table 7")
	require.Empty(t, problems(t, check(t, cfg)))
}

func TestCheckNamesTheOtherOwner(t *testing.T) {
	t.Parallel()
	enterNamespace(t)
	s := open(t)
	all := check(t, CheckConfig{})
	require.Equal(t, []Problem{ProblemOwner}, problems(t, all))
	require.Contains(t, all[0].Detail, "(pid "+strconv.Itoa(os.Getpid())+")")
	require.Empty(t, problems(t, check(t, CheckConfig{Table: 7})), "another table is free")
	require.Empty(t, problems(t, check(t, CheckConfig{Socket: s})), "it is the caller's own")
	require.NoError(t, s.Close())
	require.Empty(t, problems(t, check(t, CheckConfig{})))
	again := open(t)
	require.NoError(t, again.Close(), "the look has left nothing behind")
}

func TestCheckHearsStreamsThatCannotBeForwarded(t *testing.T) {
	t.Parallel()
	enterNamespace(t)
	s := newStream(t)
	c := s.from.udp(t, "0.0.0.0:0") // TTL 1, as nobody asked for more
	ended := make(chan struct{})
	listening := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-listening:
				return
			case <-time.After(time.Millisecond):
				send(t, c, group.String(), "near")
				send(t, c, "224.0.0.251", "link-local has TTL 1 by right")
			}
		}
	}()
	cfg := s.config()
	cfg.Listen = 200 * time.Millisecond
	all := check(t, cfg)
	close(listening)
	<-ended
	require.Equal(t, []Problem{ProblemTTL}, problems(t, all), "each stream once")
	f := all[len(all)-1]
	require.Equal(t, []any{"v1", source, group}, []any{f.Interface, f.Source, f.Group})
}

func TestCheckLooksAtInterfaces(t *testing.T) {
	t.Parallel()
	enterNamespace(t)
	dummies(t, 3)
	running(t, true, "d2")
	ip(t, "link set d0 down", "link set nowhere1 down", "link set d2 multicast off")
	running(t, false, "d1")
	sysctl(t, "conf/d2/force_igmp_version", "2")
	all := check(t, CheckConfig{Inputs: []string{"d0", "d1", "d2", "../../kernel"}, Outputs: []string{"d9", "d2"}})
	require.Equal(t, []Problem{
		ProblemDown, ProblemDown, ProblemNoMulticast, ProblemIGMPVersion, ProblemNoInterface, ProblemNoInterface,
	}, problems(t, all))
	require.Contains(t, all[1].Detail, "is down")
	require.Contains(t, all[2].Detail, "no carrier")
	require.Equal(t, "d9", all[len(all)-1].Interface)
}

func TestCheckLooksAtLimits(t *testing.T) {
	t.Parallel()
	enterNamespace(t)
	dummies(t, 1)
	sysctl(t, "igmp_max_memberships", "0")
	sysctl(t, "igmp_max_msf", "0")
	all := check(t, CheckConfig{})
	require.Equal(t, []Problem{ProblemLimit, ProblemLimit}, problems(t, all))
	require.ErrorIs(t, joiner(t).Set(Membership{Interface: index(t, "d0"), Group: group}, AnySource()), ErrMemberships)
}

func TestCheckEndsWithItsContextAndSaysWhatItLeftOut(t *testing.T) {
	t.Parallel()
	enterNamespace(t)
	dummies(t, 1)
	running(t, true, "d0")
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	started := time.Now()
	all, err := Check(ctx, CheckConfig{Inputs: []string{"d0", "d1"}, Listen: time.Hour})
	require.ErrorIs(t, err, context.Canceled)
	require.Less(t, time.Since(started), time.Minute)
	require.Equal(t, []Problem{ProblemNoInterface}, problems(t, all), "what was seen before is told")

	all, err = Check(ctx, CheckConfig{Inputs: []string{"d1"}, Flows: []Flow{{Source: source}}})
	require.ErrorIs(t, err, context.Canceled)
	require.Empty(t, all, "what was not looked at is not judged")
}
