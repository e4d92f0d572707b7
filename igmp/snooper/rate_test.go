package snooper

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/ofmcast/ofmcast/igmp"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// passes sends a frame n times at once and returns how many were let in.
func passes(s *Snooper, p Port, frame []byte, n int, at time.Time) (in int) {
	for range n {
		if s.Frame(p, frame, at).Verdict != IgnoredRate {
			in++
		}
	}
	return in
}

func TestAPortSendsABurstAndThenItsRate(t *testing.T) {
	s := New(Config{Limits: Limits{FramesPerSecond: 10, FrameBurst: 5}})
	frame := frameOf(t, host, &igmp.ReportV2{Group: group})
	require.Equal(t, 5, passes(s, 1, frame, 20, t0))
	require.Equal(t, uint64(15), s.Counters().Frames[IgnoredRate])
	require.Equal(t, 0, passes(s, 1, frame, 1, after(100*time.Millisecond-nano)))
	require.Equal(t, 1, passes(s, 1, frame, 9, after(100*time.Millisecond)))
	require.Equal(t, 3, passes(s, 1, frame, 9, after(400*time.Millisecond)))
	require.Equal(t, 5, passes(s, 1, frame, 9, after(time.Hour)), "no more than a burst is saved up")
}

func TestByDefaultAPortSends1000FramesASecondAnd4000AtOnce(t *testing.T) {
	s := New(Config{})
	frame := frameOf(t, host, &igmp.ReportV2{Group: group})
	require.Equal(t, 4000, passes(s, 1, frame, 5000, t0))
	require.Equal(t, 1000, passes(s, 1, frame, 2000, after(time.Second)))
	s = New(Config{Limits: Limits{FramesPerSecond: 7}})
	require.Equal(t, 28, passes(s, 1, frame, 50, t0))
}

func TestAFloodOnOnePortTakesNothingFromAnother(t *testing.T) {
	s := New(Config{Limits: Limits{FramesPerSecond: 1, FrameBurst: 1}})
	frame := frameOf(t, host, &igmp.ReportV2{Group: group})
	require.Equal(t, 1, passes(s, 1, frame, 100, t0))
	require.Equal(t, 1, passes(s, 2, frame, 1, t0))
}

// A querier behind the port of a flood is still heard, and the other way round.
func TestReportsAndQueriesAreCountedApart(t *testing.T) {
	s := New(Config{Limits: Limits{FramesPerSecond: 1, FrameBurst: 2}})
	report := frameOf(t, host, &igmp.ReportV2{Group: group})
	unknown := frameOf(t, host, &igmp.Other{MessageType: 0x99})
	require.Equal(t, 1, passes(s, 1, report, 1, t0))
	require.Equal(t, 1, passes(s, 1, unknown, 9, t0), "flooding is dear too")
	require.Equal(t, 0, passes(s, 1, report, 9, t0))
	require.Equal(t, 1, passes(s, 1, frameOf(t, querier, generalQuery()), 1, t0))
	require.Equal(t, 1, passes(s, 1, hello(querier, holdtime(105)...), 9, t0))
	require.Equal(t, 0, passes(s, 1, frameOf(t, querier, advertisement(20)), 9, t0))
	require.Equal(t, ForwardNone, s.Frame(1, frameOf(t, querier, termination()), t0).Forward)
	require.Equal(t, []Port{1}, routerPorts(s, 0))
}

func TestRatesByRole(t *testing.T) {
	report, query := frameOf(t, host, &igmp.ReportV2{Group: group}), frameOf(t, querier, generalQuery())
	for role, want := range map[Role][2]int{Auto: {2, 2}, Member: {2, 9}, Router: {2, 9}, Trusted: {9, 9}} {
		s := New(Config{Limits: Limits{FramesPerSecond: 1, FrameBurst: 2}})
		s.SetRole(1, role)
		require.Equal(t, want, [2]int{passes(s, 1, report, 9, t0), passes(s, 1, query, 9, t0)}, role)
		require.Equal(t, role == Trusted, len(s.rate.buckets) == 0, "what is not limited needs no memory")
	}
}

func TestNoLimitMeansNoLimit(t *testing.T) {
	frame := frameOf(t, host, &igmp.ReportV2{Group: group})
	for _, l := range []Limits{
		{FramesPerSecond: -1}, {FrameBurst: -1}, {FramesPerSecond: -1, FrameBurst: 1}, {FramesPerSecond: math.MaxInt},
	} {
		s := New(Config{Limits: l})
		require.Equal(t, 10000, passes(s, 1, frame, 10000, t0), fmt.Sprint(l))
	}
	for _, l := range []Limits{{FramesPerSecond: 1, FrameBurst: math.MaxInt - 1}, {FramesPerSecond: math.MaxInt - 1, FrameBurst: math.MaxInt - 1}} {
		s := New(Config{Limits: l})
		require.Equal(t, 1000, passes(s, 1, frame, 1000, t0), "no overflow: %v", l)
	}
}

// Frames that come to nothing for another reason, and data, use nothing up.
func TestOnlyFramesThatAreLetInCount(t *testing.T) {
	s := New(Config{Limits: Limits{FramesPerSecond: 1, FrameBurst: 1}})
	for i, p := range packets(t, "odd") {
		v := oddFrames[i].verdict
		if !keptOut[v] && v != IgnoredNotIGMP && v != IgnoredNotIPv4 && v < RefusedFrame {
			continue
		}
		require.Equal(t, v, s.Frame(1, p.Data, t0).Verdict, oddFrames[i].id)
	}
	require.Empty(t, s.rate.buckets)
}

func TestTimeThatGoesBackGivesNoTokens(t *testing.T) {
	s := New(Config{Limits: Limits{FramesPerSecond: 1, FrameBurst: 1}})
	frame := frameOf(t, host, &igmp.ReportV2{Group: group})
	require.Equal(t, 1, passes(s, 1, frame, 1, after(time.Hour)))
	require.Equal(t, 0, passes(s, 1, frame, 9, t0))
	require.Equal(t, 1, passes(s, 1, frame, 9, after(time.Hour+time.Second)))
	s.Advance(after(2 * time.Hour))
	require.Equal(t, 1, passes(s, 1, frame, 9, t0), "the latest time given counts, whatever the frame's stamp")
}

func TestARemovedPortsFloodIsForgotten(t *testing.T) {
	s := New(Config{Limits: Limits{FramesPerSecond: 1, FrameBurst: 1}})
	frame := frameOf(t, host, &igmp.ReportV2{Group: group})
	s.Frame(1, frame, t0)
	s.RemovePort(1)
	require.Empty(t, s.rate.buckets)
	require.Equal(t, 1, passes(s, 1, frame, 9, t0))
}

func TestTheMemoryOfRatesIsBounded(t *testing.T) {
	s := New(Config{Limits: Limits{FramesPerSecond: 10, FrameBurst: 10, Ports: 100}})
	frame := frameOf(t, host, &igmp.ReportV2{Group: group})
	verdicts := func(first, n Port, at time.Time) (all []Verdict) {
		for p := range n {
			all = append(all, s.Frame(first+p, frame, at).Verdict)
		}
		require.LessOrEqual(t, len(s.rate.buckets), 100)
		return all
	}
	require.NotContains(t, verdicts(0, 100, t0), IgnoredPortLimit)
	require.Equal(t, slices.Repeat([]Verdict{IgnoredPortLimit}, 50), verdicts(1000, 50, t0))
	require.Equal(t, uint64(50), s.Counters().Frames[IgnoredPortLimit])
	require.NotContains(t, verdicts(0, 100, t0), IgnoredPortLimit, "who is in may stay")

	// A second later, what the first hundred sent is made up for: others may come.
	later := after(time.Second)
	require.NotContains(t, verdicts(2000, 100, later), IgnoredPortLimit)
	require.Contains(t, verdicts(3000, 1, later), IgnoredPortLimit)
	s.SetRole(4000, Trusted)
	require.NotContains(t, verdicts(4000, 1, later), IgnoredPortLimit)
}

// A crowd of new ports does not make each of its frames search the whole table.
func TestAFullTableIsSearchedNoMoreOftenThanABurstFills(t *testing.T) {
	var r limiter
	r.init(Limits{FramesPerSecond: 10, FrameBurst: 10, Ports: 2}.withDefaults())
	for p := range Port(2) {
		require.Equal(t, noObjection, r.take(p, hosts, t0))
	}
	require.Equal(t, IgnoredPortLimit, r.take(2, hosts, t0))
	require.Equal(t, t0, r.swept)
	require.Equal(t, IgnoredPortLimit, r.take(2, hosts, after(time.Second-nano)))
	require.Equal(t, t0, r.swept, "although both are full again")
	require.Equal(t, noObjection, r.take(2, hosts, after(time.Second)))
	require.Len(t, r.buckets, 1)
}

func TestAPortOfWhichOnlyTheRouterWasHeardKeepsItsBucket(t *testing.T) {
	var r limiter
	r.init(Limits{FramesPerSecond: 1, FrameBurst: 1, Ports: 1}.withDefaults())
	require.Equal(t, noObjection, r.take(1, routers, t0))
	require.Equal(t, IgnoredPortLimit, r.take(2, hosts, after(time.Second-nano)))
	require.Equal(t, IgnoredRate, r.take(1, routers, after(time.Second-nano)))
}

func TestByDefaultThereIsRoomForTheRatesOf65536Ports(t *testing.T) {
	var r limiter
	r.init(Limits{}.withDefaults())
	for p := range Port(1 << 16) {
		require.Equal(t, noObjection, r.take(p, hosts, t0))
	}
	require.Equal(t, IgnoredPortLimit, r.take(1<<16, hosts, t0))
}

// slowBucket is the bucket as one would draw it: tokens drip in, each frame takes one.
type slowBucket struct {
	tokens, burst, perSecond float64
	at                       time.Time
}

func (b *slowBucket) take(now time.Time) bool {
	b.tokens = min(b.burst, b.tokens+now.Sub(b.at).Seconds()*b.perSecond)
	b.at = now
	if b.tokens < 1-1e-6 {
		return false
	}
	b.tokens--
	return true
}

func TestRatesAgreeWithAModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		perSecond := rapid.SampledFrom([]int{1, 2, 10, 1000}).Draw(rt, "rate")
		burst := rapid.IntRange(1, 20).Draw(rt, "burst")
		var r limiter
		r.init(Limits{FramesPerSecond: perSecond, FrameBurst: burst}.withDefaults())
		model := map[Port]*slowBucket{}
		now := t0
		for range rapid.IntRange(1, 200).Draw(rt, "frames") {
			now = now.Add(time.Duration(rapid.IntRange(0, 3000).Draw(rt, "ms")/perSecond) * time.Millisecond)
			p := Port(rapid.IntRange(1, 3).Draw(rt, "port"))
			if model[p] == nil {
				model[p] = &slowBucket{tokens: float64(burst), burst: float64(burst), perSecond: float64(perSecond), at: now}
			}
			require.Equal(rt, model[p].take(now), r.take(p, hosts, now) == noObjection)
		}
	})
}
