package mroute

import (
	"net/netip"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// bench is a core on a fake kernel, with inputs in0 and in1 (VIF 0 and 1) and other interfaces out0 and out1.
type bench struct {
	*core
	kernel *fakeKernel
	now    time.Time
	out    map[netip.Addr][]Out
	reject map[string]bool
}

func newBench(t *testing.T, cfg RouterConfig) *bench {
	t.Helper()
	b := &bench{kernel: newFake(), now: start, out: map[netip.Addr][]Out{}, reject: map[string]bool{}}
	b.start(newSocket(b.kernel), cfg)
	require.Equal(t, map[VIF]IfIndex{0: 10, 1: 11}, b.kernel.vifs)
	return b
}

func (b *bench) start(s *Socket, cfg RouterConfig) {
	cfg.Inputs = []string{"in0", "in1"}
	cfg.Policy = func(f Flow) Decision { return Decision{Out: b.out[f.Group], Reject: b.reject[f.In]} }
	b.core = newCore(s, cfg, b.now)
	b.linkChange(linkEvent{complete: true, links: []link{
		{index: 10, name: "in0"}, {index: 11, name: "in1"}, {index: 20, name: "out0"}, {index: 21, name: "out1"},
	}})
}

// packet has the kernel count a packet at a VIF, and make the upcall that it would make.
func (b *bench) packet(v VIF, sg SG) {
	r, ok := b.kernel.routes[sg]
	if !ok {
		b.upcall(&Upcall{Kind: NoCache, VIF: v, SG: sg}, b.now)
		r = b.kernel.routes[sg]
	}
	c := b.kernel.counters[sg]
	c.Packets++
	if r.in != v {
		c.WrongIf++
	}
	b.kernel.counters[sg] = c
	if r.in != v {
		b.upcall(&Upcall{Kind: WrongVIF, VIF: v, SG: sg}, b.now)
	}
}

// pass lets time pass as Run does: advance is called when it is due.
func (b *bench) pass(d time.Duration) {
	for end := b.now.Add(d); ; {
		due := b.due()
		if due.After(end) {
			b.now = end
			return
		}
		b.now = due
		b.advance(b.now)
	}
}

func TestEntryAfterHoursWithoutAnyIsRemovedOnTime(t *testing.T) {
	b := newBench(t, RouterConfig{})
	b.out[documented.Group] = []Out{{Interface: "out0"}}
	b.pass(10 * time.Hour)
	b.packet(0, documented)
	b.pass(9*time.Minute + 50*time.Second)
	require.Len(t, b.kernel.routes, 1)
	b.pass(15 * time.Second)
	require.Empty(t, b.kernel.routes)
	require.Empty(t, b.flows)
	require.Empty(t, b.groups)
	require.Equal(t, map[VIF]IfIndex{0: 10, 1: 11}, b.kernel.vifs)
}

func TestTimerNeitherSpinsNorCatchesUp(t *testing.T) {
	b := newBench(t, RouterConfig{Tick: 1})
	require.Equal(t, b.now.Add(leastTick), b.due(), "the least tick")
	b.now = b.now.Add(time.Hour)
	b.advance(b.now)
	require.Equal(t, b.now.Add(leastTick), b.due(), "ticks that were missed are gone")
	require.Equal(t, 5*time.Second, RouterConfig{}.withDefaults().Tick)
}

func TestCounterThatCannotBeReadDelaysNothing(t *testing.T) {
	b := newBench(t, RouterConfig{})
	b.packet(0, documented)
	b.kernel.fail["routeCounters"], b.kernel.fail["dumpRoutes"] = syscall.EIO, syscall.EIO
	b.pass(10 * time.Minute)
	require.Len(t, b.flows, 1, "nothing is known of its packets")
	require.NotZero(t, b.stats.Failed)
	clear(b.kernel.fail)
	b.pass(2 * time.Minute)
	require.Empty(t, b.flows)
}

func TestPacketsKeepRoutesAndNegativeEntries(t *testing.T) {
	b := newBench(t, RouterConfig{})
	wanted, other := documented, SG{documented.Source, netip.MustParseAddr("233.252.0.2")}
	b.out[wanted.Group] = []Out{{Interface: "out0"}}
	for range 100 {
		b.packet(0, wanted)
		b.packet(0, other)
		b.pass(50 * time.Second)
	}
	require.Len(t, b.kernel.routes, 2)
	require.Equal(t, RouterStats{NoCache: 2}, b.stats)
	b.pass(70 * time.Second)
	require.Len(t, b.kernel.routes, 1, "nobody wants the other one: it goes sooner")
}

func TestLinkLocalGroupsGetNoEntry(t *testing.T) {
	b := newBench(t, RouterConfig{})
	mdns := SG{documented.Source, netip.MustParseAddr("224.0.0.251")}
	b.out[mdns.Group] = []Out{{Interface: "out0"}}
	b.upcall(&Upcall{Kind: NoCache, VIF: 0, SG: mdns}, b.now)
	require.Empty(t, b.kernel.routes)
	require.Equal(t, RouterStats{Ignored: 1}, b.stats)
	ssdp := SG{documented.Source, netip.MustParseAddr("239.255.255.250")}
	b.out[ssdp.Group] = []Out{{Interface: "out0"}}
	b.packet(0, ssdp)
	require.Len(t, b.kernel.routes, 1, "left to the policy")
}

func TestWhatIsNotNoCacheOrWrongVIFIsIgnored(t *testing.T) {
	b := newBench(t, RouterConfig{})
	b.upcall(&Upcall{Kind: WholePkt, VIF: 0, SG: documented}, b.now)
	b.upcall(&Upcall{Kind: NoCache, VIF: 7, SG: documented}, b.now)
	b.upcall(&Upcall{Kind: WrongVIF, VIF: 1, SG: documented}, b.now)
	require.Equal(t, RouterStats{Ignored: 2, WrongVIF: 1}, b.stats)
	require.Empty(t, b.kernel.routes)
}

func TestNoCacheIsAlwaysAnswered(t *testing.T) {
	b := newBench(t, RouterConfig{})
	b.out[documented.Group] = []Out{{Interface: "out0"}}
	b.packet(0, documented)
	clear(b.kernel.routes)
	b.packet(0, documented)
	require.Len(t, b.kernel.routes, 1, "though it was believed to be there")
	require.Equal(t, uint64(1), b.stats.Lost)
	clear(b.kernel.routes)
	b.packet(1, documented)
	require.Equal(t, VIF(1), b.kernel.routes[documented].in, "and from where the packet came")
}

func TestRefusedRouteIsTriedAgain(t *testing.T) {
	b := newBench(t, RouterConfig{})
	b.out[documented.Group] = []Out{{Interface: "out0"}}
	b.kernel.fail["addMFC"] = syscall.ENOMEM
	b.upcall(&Upcall{Kind: NoCache, VIF: 0, SG: documented}, b.now)
	require.Len(t, b.flows, 1)
	require.True(t, b.status(b.now).Entries[0].Pending)
	require.Len(t, b.kernel.vifs, 2, "no VIF is kept for a route that is not there")
	require.ErrorIs(t, b.refresh(documented.Group), syscall.ENOMEM)
	delete(b.kernel.fail, "addMFC")
	b.pass(5 * time.Second)
	require.Len(t, b.kernel.routes, 1)
	require.Zero(t, b.stats.Lost)
	require.False(t, b.status(b.now).Entries[0].Pending)
}

func TestRouteThatCannotBeDeletedIsTriedAgain(t *testing.T) {
	b := newBench(t, RouterConfig{})
	b.packet(0, documented)
	b.kernel.fail["delMFC"] = syscall.EIO
	b.pass(2 * time.Minute)
	require.Len(t, b.flows, 1)
	require.Zero(t, b.stats.Stale)
	delete(b.kernel.fail, "delMFC")
	b.pass(5 * time.Second)
	require.Empty(t, b.flows)
	require.Equal(t, uint64(1), b.stats.Stale)
}

func TestInterfaceWithoutAVIFKeepsTheStreamFromNobodyElse(t *testing.T) {
	b := newBench(t, RouterConfig{})
	b.out[documented.Group] = []Out{{Interface: "out0"}, {Interface: "out1", TTL: 9}}
	b.kernel.vifs[2] = 99
	b.packet(0, documented)
	require.Equal(t, map[VIF]IfIndex{0: 10, 1: 11, 2: 99, 3: 20, 4: 21}, b.kernel.vifs)
	require.Equal(t, ttls{3: 1, 4: 9}, b.kernel.routes[documented].out)

	full := newBench(t, RouterConfig{})
	full.out[documented.Group] = []Out{{Interface: "out0"}, {Interface: "out1"}}
	for v := VIF(2); v < MaxVIFs-1; v++ {
		full.kernel.vifs[v] = 99
	}
	full.packet(0, documented)
	require.Equal(t, ttls{31: 1}, full.kernel.routes[documented].out, "out0 has the last number")
	require.ErrorIs(t, full.refresh(documented.Group), ErrTableFull)
	delete(full.kernel.vifs, 5)
	full.pass(5 * time.Second)
	require.Equal(t, ttls{31: 1, 5: 1}, full.kernel.routes[documented].out)
}

func TestWhatFailedWhenAnInterfaceVanishedIsFinishedLater(t *testing.T) {
	b := newBench(t, RouterConfig{})
	b.out[documented.Group] = []Out{{Interface: "out0"}}
	b.packet(0, documented)
	b.kernel.fail["delMFC"], b.kernel.fail["addMFC"] = syscall.EIO, syscall.EIO
	delete(b.kernel.vifs, 0)
	b.linkChange(linkEvent{links: []link{{index: 10, gone: true}}})
	b.linkChange(linkEvent{links: []link{{index: 12, name: "in1"}}})
	require.Equal(t, map[VIF]IfIndex{1: 12, 2: 20}, b.kernel.vifs, "a route names the number 0 still")
	clear(b.kernel.fail)
	b.pass(5 * time.Second)
	require.Empty(t, b.kernel.routes, "it came from an interface that is not there any more")
}

func TestStreamFromWhereStreamsOnlyLeaveKeepsNoVIF(t *testing.T) {
	b := newBench(t, RouterConfig{NegativeAfter: time.Hour})
	b.out[documented.Group] = []Out{{Interface: "out0"}}
	b.packet(0, documented)
	other := SG{documented.Source, netip.MustParseAddr("233.252.0.2")}
	b.packet(2, other)
	require.Equal(t, fakeRoute{in: 2}, b.kernel.routes[other], "what out0's own hosts send goes nowhere")
	b.pass(10 * time.Second)
	require.Len(t, b.kernel.routes, 2)
	b.out[documented.Group] = nil
	require.NoError(t, b.refresh(documented.Group))
	b.pass(5 * time.Second)
	require.Equal(t, map[VIF]IfIndex{0: 10, 1: 11}, b.kernel.vifs)
	require.NotContains(t, b.kernel.routes, other)
}

func TestEntriesOfAVanishedInputGoWithItAtOnce(t *testing.T) {
	b := newBench(t, RouterConfig{})
	b.packet(0, documented)
	b.linkChange(linkEvent{links: []link{{index: 10, gone: true}}})
	require.Empty(t, b.kernel.routes)
	require.Equal(t, map[VIF]IfIndex{1: 11}, b.kernel.vifs)
}

func TestInputThatGotNoVIFIsTriedAgain(t *testing.T) {
	b := newBench(t, RouterConfig{})
	b.linkChange(linkEvent{links: []link{{index: 10, gone: true}}})
	b.kernel.fail["addVIF"] = syscall.EADDRNOTAVAIL
	b.linkChange(linkEvent{links: []link{{index: 15, name: "in0"}}})
	require.NotContains(t, b.kernel.vifs, VIF(0))
	require.NotZero(t, b.stats.Failed)
	delete(b.kernel.fail, "addVIF")
	b.pass(5 * time.Second)
	require.Equal(t, IfIndex(15), b.kernel.vifs[0])
}

func TestRouteThatIsMadeAgainIsNoYoungerForIt(t *testing.T) {
	b := newBench(t, RouterConfig{})
	b.out[documented.Group] = []Out{{Interface: "out0"}}
	for range 5 {
		b.packet(0, documented)
	}
	b.pass(4 * time.Minute)
	clear(b.kernel.routes)
	clear(b.kernel.counters)
	b.pass(10 * time.Second)
	require.Len(t, b.kernel.routes, 1)
	b.pass(6 * time.Minute)
	require.Empty(t, b.kernel.routes)
}

func TestStreamsBeyondTheLimitDisturbNoOthers(t *testing.T) {
	b := newBench(t, RouterConfig{MaxEntries: 2})
	keys := []SG{documented, {documented.Source, netip.MustParseAddr("233.252.0.2")}, {documented.Source, netip.MustParseAddr("233.252.0.3")}}
	for _, k := range keys {
		b.upcall(&Upcall{Kind: NoCache, VIF: 0, SG: k}, b.now)
	}
	require.Len(t, b.kernel.routes, 2)
	require.Equal(t, RouterStats{NoCache: 3, Refused: 1}, b.stats)
	delete(b.kernel.routes, keys[0])
	b.upcall(&Upcall{Kind: NoCache, VIF: 0, SG: keys[0]}, b.now)
	require.Len(t, b.kernel.routes, 2, "a known one is answered")
	b.pass(2 * time.Minute)
	b.packet(0, keys[2])
	require.Len(t, b.kernel.routes, 1)
}

func TestThresholdOf255LeavesTheInterfaceOut(t *testing.T) {
	b := newBench(t, RouterConfig{})
	b.out[documented.Group] = []Out{{Interface: "out0", TTL: 255}, {Interface: "out1", TTL: 254}}
	b.packet(0, documented)
	require.Equal(t, ttls{2: 254}, b.kernel.routes[documented].out)
	require.False(t, b.status(b.now).Entries[0].Pending)
}
