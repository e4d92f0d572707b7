package snooper

import (
	"slices"
	"testing"
	"time"

	"github.com/ofmcast/ofmcast/igmp"
	"github.com/stretchr/testify/require"
)

// tight is a Snooper that soon has no room left.
func tight() *Snooper {
	return New(Config{
		MaxRouterPorts: tightPorts,
		Limits:         Limits{FramesPerSecond: 2, FrameBurst: 2, Ports: tightPorts, RecordsPerReport: 5, SourcesPerRecord: 3},
	})
}

const (
	tightPorts = 3
	manyPorts  = 8 // numbers that the script uses

	stepLen = 6
)

// script is what happens to a switch. Each step has six bytes: what, port, time since the last, and three more.
type script []byte

// The steps of a script. All others give a frame, one kind of them with a byte changed and a right checksum.
const (
	stepRole = iota
	stepRemove
	stepAdvance
	stepSpoil
	stepKinds = 10
)

// FuzzSequence is a switch over a long time: whatever comes from which port, in which roles, in whatever order and time,
// nothing panics, every frame and record is counted once, nothing is taken that Limits or the role forbid, no router
// port outlives its time, and what is kept stays within what Config and the longest frame allow.
func FuzzSequence(f *testing.F) {
	frames := sequenceFrames(f)
	for i := range byte(8) {
		var s script
		for j := range byte(60) {
			s = append(s, (j+i)%stepKinds, j*7%manyPorts, j*i, j*5+i, j, 16*i)
		}
		f.Add([]byte(s))
	}
	var routersEverywhere script
	for port := range byte(manyPorts) {
		general := byte(len(frames) - 8) // a query by which a port is learnt
		routersEverywhere = append(routersEverywhere, stepKinds-1, port, 8, general, 0, 0)
	}
	f.Add([]byte(routersEverywhere))
	f.Fuzz(func(t *testing.T, steps []byte) {
		s, at := tight(), t0
		for ; len(steps) >= stepLen; steps = steps[stepLen:] {
			at = at.Add(time.Duration(steps[2]) * 250 * time.Millisecond)
			play(t, s, frames, script(steps[:stepLen]), at)
			checkRouters(t, s)
			checkRoom(t, s, frames)
		}
	})
}

// sequenceFrames are what a switch sees: odd frames, those of a steady day, and goodbyes.
func sequenceFrames(tb testing.TB) (frames [][]byte) {
	for _, p := range packets(tb, "odd") {
		frames = append(frames, p.Data)
	}
	for _, s := range steady(tb) {
		frames = append(frames, s.frame)
	}
	return append(frames, hello(querier, holdtime(0)...), frameOf(tb, querier, termination()))
}

func play(t *testing.T, s *Snooper, frames [][]byte, step script, at time.Time) {
	port := Port(step[1] % manyPorts)
	switch step[0] % stepKinds {
	case stepRole:
		s.SetRole(port, Role(step[3]%5))
	case stepRemove:
		s.RemovePort(port)
		require.Equal(t, Auto, s.Role(port))
	case stepAdvance:
		s.Advance(at)
	default:
		frame := frames[int(step[3])%len(frames)]
		if step[0]%stepKinds == stepSpoil {
			frame = spoilt(frame, int(step[4]), step[5])
		}
		before := s.Counters()
		r := s.Frame(port, frame, at)
		after := s.Counters()
		checkCounted(t, frame, r, &before, &after)
		checkTaken(t, s, port, r)
	}
}

// spoilt returns the frame with one byte changed, as a sender may have meant it.
func spoilt(frame []byte, at int, to byte) []byte {
	frame = slices.Clone(frame)
	frame[at%len(frame)] = to
	var d igmp.Decoder
	if v, err := d.Frame(frame); err == igmp.ErrChecksum {
		message := v.Payload() // within the copy
		message[2], message[3] = 0, 0
		sum := ^internetSum(message)
		message[2], message[3] = byte(sum>>8), byte(sum)
	}
	return frame
}

func checkTaken(t *testing.T, s *Snooper, port Port, r Result) {
	role := s.Role(port)
	require.True(t, role != Member || r.Query == nil)
	require.True(t, role == Trusted || len(r.Records) <= s.cfg.Limits.RecordsPerReport)
	for _, rec := range r.Records {
		require.Equal(t, port, rec.Port)
		require.Equal(t, r.VLAN, rec.VLAN)
		require.True(t, role == Trusted || len(rec.Sources) <= s.cfg.Limits.SourcesPerRecord)
	}
}

// checkRouters asks of the router ports what must hold at any time.
func checkRouters(t *testing.T, s *Snooper) {
	learnt := 0
	for v, ports := range s.routers.learnt {
		require.NotEmpty(t, ports)
		learnt += len(ports)
		listed := routerPorts(s, v)
		require.True(t, slices.IsSorted(listed))
		require.Equal(t, listed, slices.Compact(slices.Clone(listed)), "each once")
		for _, rp := range ports {
			require.Contains(t, listed, rp.port)
			require.NotEqual(t, Member, s.Role(rp.port))
			require.NotEqual(t, Router, s.Role(rp.port))
			require.NotZero(t, rp.n)
			for _, n := range rp.known() {
				require.True(t, n.until.After(s.now), "it is over")
				require.LessOrEqual(t, n.until.Sub(s.now), s.cfg.MaxRouterTimeout)
			}
		}
	}
	require.Equal(t, learnt, s.routers.size)
	next, waiting := s.Next()
	require.Equal(t, learnt > 0, waiting)
	require.True(t, !waiting || next.After(s.now))
}

// checkRoom bounds what is kept.
func checkRoom(t *testing.T, s *Snooper, frames [][]byte) {
	longest := 0
	for _, f := range frames {
		longest = max(longest, len(f))
	}
	require.LessOrEqual(t, cap(s.records), 2*longest/8+8)
	require.LessOrEqual(t, cap(s.sources), 2*longest/4+8)
	require.LessOrEqual(t, len(s.rate.buckets), tightPorts)
	require.LessOrEqual(t, len(s.roles), manyPorts)
	untrusted := 0
	for _, ports := range s.routers.learnt {
		for _, rp := range ports {
			if s.Role(rp.port) != Trusted {
				untrusted++
			}
		}
	}
	require.LessOrEqual(t, untrusted, tightPorts)
}
