package view

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheRingKeepsTheNewestEvents(t *testing.T) {
	r := newRing(3)
	events, more := r.after(0)
	require.NotNil(t, events)
	require.Empty(t, events)
	r.add(Event{Kind: "a"}, 0)
	select {
	case <-more:
	default:
		require.Fail(t, "who waits is not told")
	}
	for _, kind := range []string{"b", "c", "d"} {
		r.add(Event{Kind: kind}, 0)
	}
	events, _ = r.after(0)
	require.Equal(t, []Event{{Seq: 2, Kind: "b"}, {Seq: 3, Kind: "c"}, {Seq: 4, Kind: "d"}}, events)
	events, _ = r.after(3)
	require.Equal(t, []Event{{Seq: 4, Kind: "d"}}, events)
	events, _ = r.after(4)
	require.Empty(t, events)
	r.add(Event{Kind: "e"}, 7)
	events, _ = r.after(4)
	require.EqualValues(t, 12, events[0].Seq, "lost ones leave a gap")
	events, _ = r.after(1000)
	require.Len(t, events, 3, "a number of an earlier process says nothing")
}
