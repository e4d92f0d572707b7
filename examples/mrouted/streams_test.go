package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/mroute"
)

func entry(packets uint64, since time.Duration, out ...string) mroute.Entry {
	return mroute.Entry{SG: mroute.SG{Source: s1, Group: group}, In: "out0", Out: out, Packets: packets, Since: start.Add(since)}
}

func TestStreamsHaveRatesAndTellWhatChanges(t *testing.T) {
	var s streams
	at := func(d time.Duration) time.Time { return start.Add(d) }
	require.Empty(t, s.update(nil, start))
	e := s.update([]mroute.Entry{entry(50, 500*time.Millisecond)}, at(time.Second))
	require.Equal(t, []event{{Event: "route", Source: s1, Group: group, In: "out0", Out: []string{}}}, e)
	require.Equal(t, 100.0, s.rows[0].Rate, "since it began")

	require.Empty(t, s.update([]mroute.Entry{entry(250, 500*time.Millisecond)}, at(3*time.Second)))
	require.Equal(t, 100.0, s.rows[0].Rate)
	require.EqualValues(t, 250, s.rows[0].Packets)
	e = s.update([]mroute.Entry{entry(250, 500*time.Millisecond, "in1")}, at(4*time.Second))
	require.Equal(t, []event{{Event: "route", Source: s1, Group: group, In: "out0", Out: []string{"in1"}}}, e)
	require.Zero(t, s.rows[0].Rate)

	s.update([]mroute.Entry{entry(10, 4500*time.Millisecond, "in1")}, at(5*time.Second))
	require.Equal(t, 20.0, s.rows[0].Rate, "a new entry counts from 0")
	s.update([]mroute.Entry{entry(5, 4500*time.Millisecond, "in1")}, at(6*time.Second))
	require.Zero(t, s.rows[0].Rate, "never below")
	s.update([]mroute.Entry{entry(7, 4500*time.Millisecond, "in1")}, at(6001*time.Millisecond))
	require.Zero(t, s.rows[0].Rate, "too soon to say")
	require.Equal(t, []event{{Event: "unrouted", Source: s1, Group: group}}, s.update(nil, at(7*time.Second)))
	require.Empty(t, s.update(nil, at(8*time.Second)))
}
