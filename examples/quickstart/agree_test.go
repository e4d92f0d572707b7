package main

import (
	"context"
	"io"
	"math/rand/v2"
	"net/netip"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/examples/agent/ofsink"
	"github.com/ofmcast/ofmcast/examples/internal/capture"
	"github.com/ofmcast/ofmcast/examples/internal/ofswitch"
	"github.com/ofmcast/ofmcast/mcast"
	"github.com/ofmcast/ofmcast/ofgroup"
)

// At the end of every delivery the switch holds what the cache says, group by group and bucket by
// bucket, and nothing else.
func TestSwitchEqualsCacheAfterEveryDelivery(t *testing.T) {
	for _, name := range []string{"kernel-v1", "kernel-v2", "kernel-v3", "mixed", "odd"} {
		t.Run(name, func(t *testing.T) {
			deliveries := replayAndCompare(t, readFrames(t, name))
			require.Positive(t, deliveries)
		})
	}
}

// The same for histories that no host ever had: pieces of several captures, one after the other, so
// that joins lack their leaves and leaves their joins.
func TestSwitchEqualsCacheForCutAndJoinedCaptures(t *testing.T) {
	var sources [][]capture.Frame
	for _, name := range []string{"kernel-v2", "kernel-v3", "mixed"} {
		sources = append(sources, readFrames(t, name))
	}
	for seed := range uint64(3) {
		seed := seed + uint64(time.Now().UnixNano())
		t.Logf("seed %d", seed)
		rnd := rand.New(rand.NewPCG(seed, 0))
		require.Positive(t, replayAndCompare(t, cutAndJoin(rnd, sources)))
	}
}

// cutAndJoin strings random pieces together; the time between two pieces is up to a minute.
func cutAndJoin(rnd *rand.Rand, sources [][]capture.Frame) []capture.Frame {
	var joined []capture.Frame
	clock := sources[0][0].At
	for range 12 {
		from := sources[rnd.IntN(len(sources))]
		begin := rnd.IntN(len(from))
		piece := from[begin : begin+rnd.IntN(len(from)-begin)+1]
		shift := clock.Sub(piece[0].At)
		for _, f := range piece {
			joined = append(joined, capture.Frame{At: f.At.Add(shift), Data: f.Data})
		}
		clock = joined[len(joined)-1].At.Add(time.Duration(rnd.Int64N(int64(time.Minute))))
	}
	return joined
}

// replayAndCompare replays the frames and returns how many deliveries were compared.
func replayAndCompare(t *testing.T, frames []capture.Frame) int {
	t.Helper()
	sw, err := ofswitch.Open(t.Context(), "")
	require.NoError(t, err)
	defer func() { require.NoError(t, sw.Close()) }()
	r, err := newReplay(sw, withTiming(options{}), &timeline{out: io.Discard})
	require.NoError(t, err)

	// A second sink is called after the first has been given all that is due.
	deliveries := 0
	_, err = r.cache.AddSink("comparison", mcast.SyncFunc[ofgroup.Port](
		func(context.Context, mcast.State[ofgroup.Port]) error {
			deliveries++
			require.Equal(t, groupsByCache(r), groupsOnSwitch(t, sw))
			return nil
		}), mcast.SinkConfig{MinInterval: -1})
	require.NoError(t, err)
	require.NoError(t, r.run(t.Context(), func(yield func(capture.Frame, error) bool) {
		for _, f := range frames {
			if !yield(f, nil) {
				return
			}
		}
	}))
	require.Empty(t, groupsOnSwitch(t, sw), "the clock ran until nothing was left")
	require.Equal(t, r.tally.joins, r.tally.ends)
	return deliveries
}

func groupsByCache(r *replay) []string {
	var lines []string
	for s := range r.cache.Groups() {
		if s.Len() > 0 {
			id, _ := r.sink.ID(s.Group(), netip.Addr{}) // 0, which the switch will not have, if there is none
			g := ofgroup.New(id, ofgroup.All)
			for p := range s.Members() {
				g = g.AddBuckets(ofsink.Output(p))
			}
			lines = append(lines, g.String())
		}
	}
	slices.Sort(lines)
	return lines
}

func groupsOnSwitch(t *testing.T, sw *ofswitch.Switch) []string {
	groups, err := sw.InProcess().Groups()
	require.NoError(t, err)
	var lines []string
	for _, g := range groups {
		lines = append(lines, g.String())
	}
	slices.Sort(lines)
	return lines
}

func readFrames(t *testing.T, name string) []capture.Frame {
	t.Helper()
	file, err := os.Open(captureFile(t, name))
	require.NoError(t, err)
	defer func() { require.NoError(t, file.Close()) }()
	r, err := capture.NewReader(file)
	require.NoError(t, err)
	var frames []capture.Frame
	for f, err := range r.Frames() {
		require.NoError(t, err)
		frames = append(frames, f)
	}
	return frames
}
