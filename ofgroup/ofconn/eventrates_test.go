package ofconn_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
)

// A port that floods gets its rate, another one all of its packets, and the counters say
// whose were left out.
func TestAPortIsHeldToItsRate(t *testing.T) {
	got := map[ofgroup.Port]int{}
	events := ofconn.Events{
		PacketIn: func(p *ofconn.PacketIn, _ time.Time) { got[p.InPort]++ },
		PortRate: ofconn.Rate{PerSecond: 100, Burst: 10},
	}
	withConn(t, ofconn.Config{Events: events}, func(t *testing.T, sw *front, conn *ofconn.Conn) {
		const seconds, flood = 5, 1000 // a second
		for i := range seconds * flood {
			sw.Send(numbered(1, i))
			if i%flood == 0 {
				sw.Send(numbered(2, i))
			}
			time.Sleep(time.Second / flood)
		}
		synctest.Wait()
		require.InDelta(t, seconds*100+10, got[1], 1)
		require.Equal(t, seconds, got[2])
		stats := conn.EventStats()
		require.EqualValues(t, seconds*flood-got[1], stats.Limited)
		require.Equal(t, map[ofgroup.Port]uint64{1: stats.Limited}, stats.DroppedByPort)
		require.Zero(t, stats.Dropped)
	})
}

// The handler is called at most so often; ports take turns at it, so that one packet of a
// quiet port does not wait behind a flood, and nobody else waits at all.
func TestTheHandlerIsCalledAtItsRateAndFairByPort(t *testing.T) {
	var at []time.Duration
	var start time.Time
	quiet := time.Duration(-1)
	events := ofconn.Events{
		Rate: ofconn.Rate{PerSecond: 10, Burst: 3},
		PacketIn: func(p *ofconn.PacketIn, _ time.Time) {
			at = append(at, time.Since(start))
			if p.InPort == 2 {
				quiet = time.Since(start)
			}
		},
	}
	withConn(t, ofconn.Config{Events: events}, func(t *testing.T, sw *front, conn *ofconn.Conn) {
		start = time.Now()
		for i := range 5000 {
			sw.Send(numbered(1, i))
		}
		time.Sleep(time.Second)
		sw.Send(numbered(2, 0))
		require.NoError(t, commitTo(t, conn, 1))
		require.Equal(t, time.Second, time.Since(start), "answers do not wait")
		time.Sleep(9 * time.Second)
		synctest.Wait()
		require.InDelta(t, 3+10*10, len(at), 1)
		require.Less(t, at[2], 50*time.Millisecond, "a burst at once")
		require.Greater(t, at[13], 900*time.Millisecond)
		require.LessOrEqual(t, quiet, 1200*time.Millisecond)
		require.NotZero(t, conn.EventStats().Dropped)
	})
}

// News keeps its place behind packets that have to wait, and the end does not wait for
// either.
func TestTheEndDoesNotWaitForTheRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sw := newFront(t)
		var packets, ports atomic.Int64
		conn := ofconn.New(ofconn.Config{Dial: sw.Dial, Events: ofconn.Events{
			Rate:       ofconn.Rate{PerSecond: 1},
			PacketIn:   func(*ofconn.PacketIn, time.Time) { packets.Add(1) },
			PortStatus: func(ofconn.PortStatus, time.Time) { ports.Add(1) },
		}})
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- conn.Run(ctx) }()
		require.NoError(t, conn.WaitConnected(ctx))
		for n := range 3 {
			sw.Send(numbered(1, n))
		}
		sw.Send(portGone(1))
		sw.Send(numbered(1, 3))
		time.Sleep(1500 * time.Millisecond)
		synctest.Wait()
		require.Equal(t, []int64{2, 0}, []int64{packets.Load(), ports.Load()})
		time.Sleep(time.Second)
		synctest.Wait()
		require.Equal(t, []int64{3, 1}, []int64{packets.Load(), ports.Load()})
		start := time.Now()
		cancel()
		require.NoError(t, <-done)
		require.Zero(t, time.Since(start))
		require.EqualValues(t, 1, conn.EventStats().Discarded)
	})
}
