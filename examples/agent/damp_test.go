package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestWhatIsDampedHappensAtOnceAndThenAtItsPace(t *testing.T) {
	d := damp{every: 10 * time.Second}
	taken := func(from, to time.Duration) (n int) {
		for at := from; at < to; at += 100 * time.Millisecond {
			if ok, next := d.take(noon.Add(at)); ok {
				n++
			} else {
				require.True(t, next.After(noon.Add(at)))
				require.False(t, next.After(noon.Add(at+10*time.Second)))
			}
		}
		return n
	}
	require.Equal(t, 3, taken(0, time.Second))
	require.Equal(t, 6, taken(time.Second, 60100*time.Millisecond), "one in ten seconds")
	require.Equal(t, 3, taken(time.Hour, time.Hour+time.Second), "rest restores")
}

func TestWhoIsTurnedAwayMayComeAtTheTimeTold(t *testing.T) {
	d := damp{every: 10 * time.Second}
	for range dampBurst {
		ok, _ := d.take(noon)
		require.True(t, ok)
	}
	ok, at := d.take(noon)
	require.False(t, ok)
	require.Equal(t, noon.Add(10*time.Second), at)
	ok, _ = d.take(at)
	require.True(t, ok)
}
