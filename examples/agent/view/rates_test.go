package view

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func TestARateIsTheDifferenceOfTwoSamples(t *testing.T) {
	r := rates{max: 3}
	r.sample(start, counts{changes: 100, mods: 10})
	require.Empty(t, r.list(), "what was before the start is no rate")
	r.sample(start.Add(2*time.Second), counts{changes: 300, mods: 14})
	require.Equal(t, []Rate{{At: start.Add(2 * time.Second), Changes: 100, GroupMods: 2}}, r.list())
	r.sample(start.Add(2*time.Second), counts{changes: 900})
	require.Len(t, r.list(), 1, "no time has passed")
	for i := range 9 {
		r.sample(start.Add(time.Duration(3+i)*time.Second), counts{})
	}
	require.Len(t, r.list(), 3, "the oldest points go")
	require.Equal(t, start.Add(11*time.Second), r.list()[2].At)
}

func TestACounterHasARateFromItsSecondReadingOn(t *testing.T) {
	var m meters[string]
	require.Empty(t, m.read(start, map[string]uint64{"a": 50}))
	require.Equal(t, map[string]float64{"a": 25}, m.read(start.Add(2*time.Second), map[string]uint64{"a": 100, "new": 1000}))
	require.Equal(t, map[string]float64{"a": 5, "new": 0}, m.read(start.Add(3*time.Second), map[string]uint64{"a": 5, "new": 1000}),
		"a counter that was set to 0 counts from there")
	require.Empty(t, m.read(start.Add(time.Hour), map[string]uint64{"a": 6}), "the mean of an hour is no rate of now")
}
