package snooper

import (
	"net/netip"
	"testing"
	"time"

	"github.com/ofmcast/ofmcast/igmp"
	"github.com/stretchr/testify/require"
)

// steady are frames as they come all day, and refusals: broken frames must cost no more.
func steady(tb testing.TB) []struct {
	name  string
	frame []byte
} {
	full := &igmp.ReportV3{}
	for i := range 183 {
		full.Records = append(full.Records, igmp.Record{Type: igmp.IsEx, Group: addrFrom4([4]byte{239, 9, 0, byte(i)})})
	}
	sources := &igmp.ReportV3{}
	for range 10 {
		sources.Records = append(sources.Records,
			igmp.Record{Type: igmp.IsIn, Group: group, Sources: addrs("198.51.100.1", "198.51.100.2")})
	}
	asked := generalQuery()
	asked.Group, asked.Sources = group, addrs("198.51.100.1", "198.51.100.2", "198.51.100.3")
	broken := frameOf(tb, host, full)
	broken[len(broken)-1] ^= 1
	return []struct {
		name  string
		frame []byte
	}{
		{"v2 report", frameOf(tb, host, &igmp.ReportV2{Group: group})},
		{"v3 report 1 record", payloadFrame(tb, "2200f0000000000104000000e9fc0001")},
		{"v3 report 10 records 20 sources", frameOf(tb, host, sources)},
		{"v3 report 183 records", frameOf(tb, host, full)},
		{"general query", frameOf(tb, querier, generalQuery())},
		{"query 3 sources", frameOf(tb, querier, asked)},
		{"PIM hello", hello(querier, holdtime(105)...)},
		{"router advertisement", frameOf(tb, querier, advertisement(20))},
		{"broken", broken},
		{"cut", broken[:20]},
	}
}

// With every record and source visited and all router ports asked for.
func TestAFrameAllocatesNothingInSteadyState(t *testing.T) {
	for _, f := range steady(t) {
		t.Run(f.name, func(t *testing.T) {
			s := New(Config{})
			s.SetRole(2, Router)
			var seen Port
			at := t0
			require.Zero(t, testing.AllocsPerRun(100, func() {
				at = at.Add(time.Second)
				seen += visit(s, s.Frame(1, f.frame, at))
			}))
		})
	}
}

// With every check strict, limits that hold and a validator that does each thing in turn, too.
func TestAPolicyAllocatesNothing(t *testing.T) {
	decisions := 0
	cfg := Config{
		Checks: StrictChecks(), Limits: Limits{FramesPerSecond: 2, FrameBurst: 1, RecordsPerReport: 20, SourcesPerRecord: 1},
		Validator: func(rec Record) Decision {
			decisions++
			return Decision(decisions % 4)
		},
	}
	cfg.Checks.Subnets = []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}
	for _, f := range steady(t) {
		t.Run(f.name, func(t *testing.T) {
			s := New(cfg)
			at := t0
			require.Zero(t, testing.AllocsPerRun(100, func() {
				at = at.Add(300 * time.Millisecond)
				visit(s, s.Frame(1, f.frame, at))
			}))
		})
	}
}

// When the table of rates is full, ports that come and go pay with one allocation each, and refused ones with none.
func TestARefusedPortAllocatesNothing(t *testing.T) {
	s := New(Config{Limits: Limits{Ports: 1}})
	frame := frameOf(t, host, &igmp.ReportV2{Group: group})
	s.Frame(1, frame, t0)
	p := Port(2)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		p++
		require.Equal(t, IgnoredPortLimit, s.Frame(p, frame, t0).Verdict)
	}))
}

func visit(s *Snooper, r Result) (n Port) {
	for _, rec := range r.Records {
		n += Port(len(rec.Sources))
	}
	for p := range s.RouterPorts(r.VLAN) {
		n += p
	}
	return n
}

// Expiry of many router ports at once, and the search for what is next.
func TestAdvanceAllocatesNothing(t *testing.T) {
	s := New(Config{})
	frame := frameOf(t, querier, generalQuery())
	for p := range Port(2000) {
		s.Frame(p, frame, after(time.Duration(p)*time.Millisecond))
	}
	at := after(255 * time.Second)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		at = at.Add(time.Millisecond)
		s.Advance(at)
	}))
	require.Equal(t, uint64(102), s.Counters().RouterPortsExpired)
}

var visited Port

// At a rate that is let in.
func BenchmarkFrame(b *testing.B) {
	for _, f := range steady(b) {
		b.Run(f.name, func(b *testing.B) {
			s := New(Config{})
			s.SetRole(2, Router)
			at := t0
			b.ReportAllocs()
			for b.Loop() {
				at = at.Add(time.Millisecond)
				visited += visit(s, s.Frame(1, f.frame, at))
			}
			require.Zero(b, s.Counters().Frames[IgnoredRate])
		})
	}
}

// A storm of reports on a switch that knows as many router ports as it may.
func BenchmarkFrameAmongManyRouterPorts(b *testing.B) {
	s := New(Config{})
	frame := frameOf(b, querier, generalQuery())
	for p := range Port(defaultMaxRouterPorts) {
		s.Frame(p, frame, t0)
	}
	s.SetRole(2000, Trusted) // time stands still
	b.ReportAllocs()
	for b.Loop() {
		s.Frame(2000, frame, t0)
	}
}

// What a flood costs once it is over the limit.
func BenchmarkFrameOverTheRate(b *testing.B) {
	s := New(Config{Limits: Limits{FramesPerSecond: 1, FrameBurst: 1}})
	frame := frameOf(b, host, manyGroups(183))
	b.ReportAllocs()
	for b.Loop() {
		s.Frame(1, frame, t0)
	}
}
