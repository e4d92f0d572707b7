package ofconn_test

import (
	"context"
	"errors"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
	"github.com/ofmcast/ofmcast/ofgroup/ofgrouptest"
)

// withConn runs f inside a bubble, with a Conn that is connected to a front.
func withConn(t *testing.T, cfg ofconn.Config, f func(*testing.T, *front, *ofconn.Conn)) {
	synctest.Test(t, func(t *testing.T) {
		sw := newFront(t)
		cfg.Dial = sw.Dial
		conn := ofconn.New(cfg)
		running(t, conn)
		f(t, sw, conn)
	})
}

// again waits until a Conn has lost its connection and has got another one.
func again(t *testing.T, conn *ofconn.Conn, old *ofconn.Session) {
	<-old.Done()
	synctest.Wait() // the loss is known
	require.NoError(t, conn.WaitConnected(t.Context()))
}

func live(t *testing.T, conn *ofconn.Conn) *ofconn.Session {
	s, err := conn.Session()
	require.NoError(t, err)
	return s
}

func TestASendNeverWaitsForAConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		conn := ofconn.New(ofconn.Config{})
		g := ports(1, 1)
		for name, call := range map[string]func() error{
			"Send":        func() error { _, err := g.Commit(t.Context(), conn); return err },
			"SendMessage": func() error { _, err := conn.SendMessage(t.Context(), ofconn.FlowMod{}); return err },
			"PacketOut":   func() error { _, err := conn.PacketOut(t.Context(), ofconn.PacketOut{}); return err },
			"Barrier":     func() error { return conn.Barrier(t.Context()) },
			"GroupDesc":   func() error { _, _, err := conn.GroupDesc(t.Context(), 1); return err },
			"Ports":       func() error { _, err := conn.Ports(t.Context()); return err },
			"FlowStats":   func() error { _, err := conn.FlowStats(t.Context(), ofconn.FlowFilter{}); return err },
			"FlowTotals":  func() error { _, err := conn.FlowTotals(t.Context(), ofconn.FlowFilter{}); return err },
			"GroupStats":  func() error { _, err := conn.GroupStats(t.Context(), 1); return err },
			"Features":    func() error { _, err := conn.GroupFeatures(t.Context()); return err },
			"PortStats":   func() error { _, err := conn.PortStats(t.Context(), 1); return err },
			"MeterStats":  func() error { _, err := conn.MeterStats(t.Context(), 1); return err },
			"Bundle":      func() error { return conn.Bundle(t.Context(), ofconn.FlowMod{}) },
			"Session":     func() error { _, err := conn.Session(); return err },
		} {
			err := call()
			require.ErrorIs(t, err, ofgroup.ErrDisconnected, name)
			require.ErrorIs(t, err, ofgroup.ErrNotSent, name)
		}
		require.Zero(t, time.Since(start))
		require.Equal(t, ofgroup.OpenFlow15, conn.Version())
	})
}

func TestWhatHasNoConnectionTellsWhy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gone := errors.New("gone fishing")
		conn := ofconn.New(ofconn.Config{Dial: func(context.Context) (net.Conn, error) { return nil, gone }})
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		done := make(chan error, 1)
		go func() { done <- conn.Run(ctx) }()

		err := conn.WaitConnected(ctx)

		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.ErrorIs(t, err, gone)
		require.ErrorIs(t, commitTo(t, conn, 1), gone)
		require.NoError(t, <-done)
	})
}

func commitTo(t *testing.T, s ofgroup.Sender, id ofgroup.ID) error {
	_, err := ports(id, 1).Commit(t.Context(), s)
	return err
}

func TestOnConnectComesBeforeConnectedAndCanSend(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sw := newFront(t)
		var conn *ofconn.Conn
		brought := 0
		conn = ofconn.New(ofconn.Config{
			Dial: sw.Dial,
			OnConnect: func(ctx context.Context, s *ofconn.Session) error {
				_, err := conn.Session()
				assert.ErrorIs(t, err, ofgroup.ErrNotSent, "nobody else sends yet")
				_, err = ports(7, 1).Commit(ctx, s)
				time.Sleep(time.Second)
				brought++
				return err
			},
		})
		start := time.Now()
		running(t, conn)
		require.Equal(t, time.Second, time.Since(start))
		require.Equal(t, 1, brought)
		require.NoError(t, commitTo(t, conn, 8))
		require.Equal(t, 2, sw.GroupMods())

		old := live(t, conn)
		sw.Disconnect()
		again(t, conn, old)
		require.Equal(t, 2, brought)
	})
}

func TestAFailedOnConnectIsAnotherAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sw := newFront(t)
		broken := errors.New("broken")
		tries := 0
		var causes []error
		conn := ofconn.New(ofconn.Config{
			Dial: sw.Dial,
			OnConnect: func(context.Context, *ofconn.Session) error {
				if tries++; tries < 4 {
					return broken
				}
				return nil
			},
			OnDisconnect: func(cause error) {
				synctest.Wait()
				assert.Zero(t, sw.Conns(), "nothing is left of it")
				causes = append(causes, cause)
			},
		})
		running(t, conn)
		require.Equal(t, 4, tries)
		require.Len(t, causes, 3)
		for _, cause := range causes {
			require.ErrorIs(t, cause, broken)
			require.ErrorIs(t, cause, ofgroup.ErrDisconnected)
		}
		require.Equal(t, ofconn.ConnStats{Attempts: 4, Connected: 1}, conn.Stats())
	})
}

// The context of OnConnect ends with the connection, so that nothing in it
// waits for a dead one, and has no deadline, so that each call has its own.
func TestTheContextOfOnConnectIsTheConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sw := newFront(t)
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		tries := 0
		conn := ofconn.New(ofconn.Config{
			Dial: sw.Dial,
			OnConnect: func(ctx context.Context, s *ofconn.Session) error {
				_, has := ctx.Deadline()
				assert.False(t, has)
				if tries++; tries > 1 {
					return nil
				}
				sw.Disconnect()
				<-ctx.Done()
				return nil // it did not look
			},
		})
		go conn.Run(ctx)
		require.NoError(t, conn.WaitConnected(ctx))
		require.Equal(t, 2, tries)
		require.EqualValues(t, 1, conn.Stats().Connected)
		cancel()
		synctest.Wait()
	})
}

func TestEveryPendingCallFailsWithATypedErrorWhenTheSocketDies(t *testing.T) {
	withConn(t, ofconn.Config{Timeout: time.Hour}, func(t *testing.T, sw *front, conn *ofconn.Conn) {
		sw.Inject(ofgrouptest.Fault{On: ofgrouptest.MsgBarrierRequest, Times: always, Mute: true})
		sw.Inject(ofgrouptest.Fault{On: ofgrouptest.MsgMultipartRequest, Times: always, Mute: true})
		errs := make(chan error)
		calls := []func() error{
			func() error { return commitTo(t, conn, 1) },
			func() error { _, err := conn.SendMessage(t.Context(), ofconn.FlowMod{}); return err },
			func() error { return conn.Barrier(t.Context()) },
			func() error { _, _, err := conn.GroupDesc(t.Context(), 1); return err },
			func() error { _, err := conn.Ports(t.Context()); return err },
		}
		for _, call := range calls {
			go func() { errs <- call() }()
		}
		time.Sleep(heldNoLonger) // all is written
		old := live(t, conn)
		require.Equal(t, len(calls), old.Stats().Pending)

		sw.Disconnect()

		for range calls {
			err := <-errs
			require.ErrorIs(t, err, ofgroup.ErrDisconnected)
			require.NotErrorIs(t, err, ofgroup.ErrNotSent, "it was written")
		}
		again(t, conn, old)
	})
}

func TestASilentSwitchIsGivenUpAndCalledAgain(t *testing.T) {
	withConn(t, ofconn.Config{}, func(t *testing.T, sw *front, conn *ofconn.Conn) {
		old := live(t, conn)
		disarm := sw.Inject(ofgrouptest.Fault{On: ofgrouptest.MsgEchoRequest, Times: always, Ignore: true})
		start := time.Now()
		again(t, conn, old)
		require.ErrorIs(t, old.Err(), ofconn.ErrDeadPeer)
		require.InDelta(t, 15, time.Since(start).Seconds(), 1)
		disarm()
		require.NoError(t, commitTo(t, conn, 1))
	})
}

func TestTheEndOfRunClosesTheConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sw := newFront(t)
		var cause error
		events := 0
		conn := ofconn.New(ofconn.Config{
			Dial: sw.Dial, OnDisconnect: func(err error) { cause = err },
			Events: ofconn.Events{PacketIn: func(*ofconn.PacketIn, time.Time) { events++ }},
		})
		for range 2 { // and it may be run again
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan error, 1)
			go func() { done <- conn.Run(ctx) }()
			require.NoError(t, conn.WaitConnected(ctx))
			require.ErrorIs(t, conn.Run(ctx), ofconn.ErrRunning)
			sw.Send(numbered(1, 0))
			synctest.Wait()

			cancel()

			require.NoError(t, <-done)
			synctest.Wait()
			require.Zero(t, sw.Conns())
			require.ErrorIs(t, cause, ofconn.ErrClosed)
			require.ErrorIs(t, commitTo(t, conn, 1), ofgroup.ErrNotSent)
		}
		require.Equal(t, 2, events, "both times")
	})
}

func TestAVersionThatWeCannotSpeakEndsRunAtOnce(t *testing.T) {
	conn := ofconn.New(ofconn.Config{Versions: []ofgroup.Version{5}})
	require.ErrorIs(t, conn.Run(t.Context()), ofgroup.ErrVersion)
}

func isNotSent(err error) bool { return errors.Is(err, ofgroup.ErrNotSent) }
