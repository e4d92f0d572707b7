package mroute

import (
	"net/netip"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// wanted is a bench with one stream that leaves at out0.
func wanted(t *testing.T, cfg RouterConfig) *bench {
	t.Helper()
	b := newBench(t, cfg)
	b.out[documented.Group] = []Out{{Interface: "out0"}}
	b.packet(0, documented)
	require.Equal(t, fakeRoute{in: 0, out: ttls{2: 1}}, b.kernel.routes[documented])
	return b
}

// told has the Router hear what the kernel has of the stream now.
func (b *bench) told(deleted bool) {
	k := KernelRoute{SG: documented, In: Port{VIF: NoVIF}}
	if r, ok := b.kernel.routes[documented]; ok {
		k = b.kernel.tell(documented, r)
	}
	b.change(routeEvent{Change: Change{Deleted: deleted, KernelRoute: k}}, b.now)
}

func TestRouteThatSomebodyDeletesIsMadeAgainAtOnce(t *testing.T) {
	b := wanted(t, RouterConfig{})
	delete(b.kernel.routes, documented)
	b.told(true)
	b.pass(leastTick)
	require.Equal(t, fakeRoute{in: 0, out: ttls{2: 1}}, b.kernel.routes[documented])
	require.Equal(t, uint64(1), b.stats.Lost)
}

func TestNegativeEntryThatSomebodyDeletesIsAskedForByItsNextPacket(t *testing.T) {
	b := newBench(t, RouterConfig{})
	b.packet(0, documented)
	delete(b.kernel.routes, documented)
	b.told(true)
	b.pass(leastTick)
	require.Empty(t, b.kernel.routes)
	require.Empty(t, b.flows)
}

func TestRouteThatSomebodyChangesGetsItsShapeBack(t *testing.T) {
	for name, change := range map[string]fakeRoute{
		"another way in":  {in: 1, out: ttls{2: 1}},
		"no way out":      {in: 0},
		"one way more":    {in: 0, out: ttls{1: 1, 2: 1}},
		"another way":     {in: 0, out: ttls{1: 1}},
		"a threshold":     {in: 0, out: ttls{2: 9}},
		"made by another": {in: 0, out: ttls{2: 1}, static: true},
	} {
		for _, how := range []string{"told", "found"} {
			t.Run(name+" "+how, func(t *testing.T) {
				b := wanted(t, RouterConfig{})
				b.kernel.routes[documented] = change
				if how == "told" {
					b.told(false)
					b.pass(leastTick)
				} else {
					b.pass(5 * time.Second)
				}
				require.Equal(t, fakeRoute{in: 0, out: ttls{2: 1}}, b.kernel.routes[documented])
				require.Equal(t, uint64(1), b.stats.Lost)
				require.False(t, b.status(b.now).Entries[0].Pending)
			})
		}
	}
}

func TestOldNewsOfTheRoutersOwnChangesChangeNothing(t *testing.T) {
	b := wanted(t, RouterConfig{})
	old := b.kernel.tell(documented, fakeRoute{in: 0})
	calls := len(b.kernel.calls)
	b.change(routeEvent{Change: Change{KernelRoute: old}}, b.now)
	b.change(routeEvent{Change: Change{Deleted: true, KernelRoute: old}}, b.now)
	old.Unresolved = true
	b.change(routeEvent{Change: Change{KernelRoute: old}}, b.now)
	b.change(routeEvent{Change: Change{Deleted: true, KernelRoute: KernelRoute{SG: SG{documented.Source, group2}}}}, b.now)
	require.Equal(t, []string{"route", "route"}, b.kernel.calls[calls:], "the kernel is asked")
	require.Equal(t, b.now.Add(5*time.Second), b.due())
	require.Zero(t, b.stats.Lost)
}

// The packet had come before the route was made again for another reason.
func TestUpcallThatWasAnsweredMeanwhileIsNoLoss(t *testing.T) {
	b := wanted(t, RouterConfig{})
	b.upcall(&Upcall{Kind: NoCache, VIF: 0, SG: documented}, b.now)
	require.Equal(t, RouterStats{NoCache: 2}, b.stats)
	require.Equal(t, fakeRoute{in: 0, out: ttls{2: 1}}, b.kernel.routes[documented])
}

func TestMissedChangesAreLookedForSoonButNotAtOnce(t *testing.T) {
	b := wanted(t, RouterConfig{Tick: time.Hour})
	b.kernel.routes[documented] = fakeRoute{in: 1}
	for range 100 {
		b.change(routeEvent{missed: true}, b.now)
	}
	require.Equal(t, b.now.Add(time.Second), b.due())
	b.pass(time.Second)
	require.Equal(t, fakeRoute{in: 0, out: ttls{2: 1}}, b.kernel.routes[documented])
}

func TestLostVIFIsMadeAgainUnderItsNumber(t *testing.T) {
	b := wanted(t, RouterConfig{})
	delete(b.kernel.vifs, 0)
	delete(b.kernel.vifs, 2)
	b.pass(5 * time.Second)
	require.Equal(t, map[VIF]IfIndex{0: 10, 1: 11, 2: 20}, b.kernel.vifs)
	require.Zero(t, b.stats.Failed)

	delete(b.kernel.vifs, 0)
	b.kernel.fail["addVIF"] = syscall.EADDRNOTAVAIL
	b.pass(5 * time.Second)
	require.NotZero(t, b.stats.Failed)
	clear(b.kernel.fail)
	b.pass(5 * time.Second)
	require.Equal(t, IfIndex(10), b.kernel.vifs[0])
}

func TestKernelWithoutDumpsIsAskedRouteByRoute(t *testing.T) {
	b := wanted(t, RouterConfig{})
	b.kernel.fail["dumpVIFs"] = syscall.ENOTSUP
	delete(b.kernel.routes, documented)
	b.pass(5 * time.Second)
	require.Len(t, b.kernel.routes, 1)
	require.Zero(t, b.stats.Failed, "it is no failure")
}

// Nobody tells that the packets come elsewhere; the counter of wrong ones does.
func TestKernelThatDoesNotTellOfWrongInterfacesIsPolled(t *testing.T) {
	b := wanted(t, RouterConfig{})
	b.polls = true
	wrong := func() {
		c := b.kernel.counters[documented]
		if b.kernel.routes[documented].in == 1 {
			c.Packets++
		} else {
			c.Packets, c.WrongIf = c.Packets+1, c.WrongIf+1
		}
		b.kernel.counters[documented] = c
		if _, ok := b.kernel.routes[documented]; !ok {
			b.packet(1, documented)
		}
	}
	for range 120 {
		wrong()
		b.pass(100 * time.Millisecond)
	}
	require.Equal(t, fakeRoute{in: 1, out: ttls{2: 1}}, b.kernel.routes[documented])
	require.Zero(t, b.stats.WrongVIF)
}

func TestPolledStreamAtTwoInterfacesStaysAtItsOwn(t *testing.T) {
	b := wanted(t, RouterConfig{})
	b.polls = true
	for range 300 {
		c := b.kernel.counters[documented]
		c.Packets, c.WrongIf = c.Packets+2, c.WrongIf+1
		b.kernel.counters[documented] = c
		b.pass(100 * time.Millisecond)
		require.Contains(t, b.kernel.routes, documented)
	}
	require.Equal(t, RouterStats{NoCache: 1}, b.stats)
}

func TestGroupsDoNotCrossABoundaryInEitherDirection(t *testing.T) {
	local := netip.MustParsePrefix("233.252.0.0/24")
	cfg := RouterConfig{Boundaries: map[string][]netip.Prefix{"in1": {local}, "out1": {netip.MustParsePrefix("239.0.0.0/8"), local}}}
	b := newBench(t, cfg)
	all := []Out{{Interface: "out0"}, {Interface: "out1"}, {Interface: "in0"}, {Interface: "in1"}}
	beyond := SG{documented.Source, netip.MustParseAddr("233.252.1.1")}
	b.out[documented.Group], b.out[beyond.Group] = all, all
	b.packet(0, documented)
	require.Equal(t, ttls{2: 1}, b.kernel.routes[documented].out, "neither to in1 nor to out1")
	b.packet(0, beyond)
	require.Equal(t, ttls{1: 1, 2: 1, 3: 1}, b.kernel.routes[beyond].out)

	b.stream(1, 20*time.Second)
	require.Zero(t, b.stats.Moves, "it may not come from there")
	require.Equal(t, VIF(0), b.kernel.routes[documented].in)
	other := SG{beyond.Source, documented.Group}
	delete(b.kernel.routes, documented)
	b.packet(1, other)
	require.Equal(t, fakeRoute{in: 1}, b.kernel.routes[other])
}

var group2 = netip.MustParseAddr("233.252.0.2")

// successor is the bench of a Router that continues with what the kernel has.
func (b *bench) successor(t *testing.T, cfg RouterConfig) *bench {
	t.Helper()
	next := &bench{kernel: b.kernel, now: b.now, out: map[netip.Addr][]Out{}, reject: map[string]bool{}}
	s := newSocket(b.kernel)
	require.NoError(t, s.adopt())
	b.kernel.calls = nil
	next.start(s, cfg)
	return next
}

func TestRouterThatTakesOverKeepsWhatItsPolicyDoesNotKnowYet(t *testing.T) {
	old := wanted(t, RouterConfig{})
	b := old.successor(t, RouterConfig{KeepFor: time.Minute})
	require.Equal(t, []string{"dumpRoutes", "dumpVIFs"}, old.kernel.calls, "nothing is touched")
	require.Equal(t, []string{"out0"}, b.status(b.now).Entries[0].Out)
	b.out[documented.Group] = []Out{{Interface: "out1"}}
	require.NoError(t, b.refresh(documented.Group))
	require.Equal(t, ttls{2: 1, 3: 1}, b.kernel.routes[documented].out)
	b.pass(time.Minute - time.Nanosecond)
	require.Equal(t, ttls{2: 1, 3: 1}, b.kernel.routes[documented].out)
	b.pass(time.Nanosecond)
	require.Equal(t, ttls{3: 1}, b.kernel.routes[documented].out)
	require.Equal(t, map[VIF]IfIndex{0: 10, 1: 11, 3: 21}, b.kernel.vifs)
	require.Equal(t, b.now.Add(5*time.Second), b.nextTick)
}

func TestRouterThatTakesOverAsksThePolicyAtOnceByDefault(t *testing.T) {
	old := wanted(t, RouterConfig{})
	b := old.successor(t, RouterConfig{})
	require.Equal(t, fakeRoute{in: 0}, b.kernel.routes[documented])
	require.Equal(t, map[VIF]IfIndex{0: 10, 1: 11}, b.kernel.vifs)
	require.Len(t, b.flows, 1)
}

func TestRouterThatTakesOverEndsStreamsFromInterfacesThatAreGone(t *testing.T) {
	old := wanted(t, RouterConfig{})
	delete(old.kernel.vifs, 0)
	b := old.successor(t, RouterConfig{KeepFor: time.Minute})
	require.Empty(t, b.kernel.routes)
	require.Equal(t, map[VIF]IfIndex{0: 10, 1: 11}, b.kernel.vifs)
}
