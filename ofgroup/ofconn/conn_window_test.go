package ofconn_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
	"github.com/ofmcast/ofmcast/ofgroup/ofgrouptest"
)

const window = 8

func TestWithoutFencingFewMessagesAreUnconfirmed(t *testing.T) {
	withConn(t, ofconn.Config{NoFence: true}, func(t *testing.T, sw *front, conn *ofconn.Conn) {
		held := make(chan struct{})
		sw.Inject(ofgrouptest.Fault{On: ofgrouptest.MsgBarrierRequest, Until: held})
		const commits = 50
		errs := make(chan error, commits)
		for id := range ofgroup.ID(commits) {
			go func() { errs <- commitTo(t, conn, id) }()
		}
		synctest.Wait()
		require.Equal(t, window, sw.GroupMods())

		close(held)
		for range commits {
			require.NoError(t, <-errs)
		}
		require.Equal(t, commits, sw.GroupMods())
	})
}

// What a caller gave up on may still be in line at the switch, so it goes on to
// count until the switch has answered something behind it.
func TestAnAbandonedMessageStillCountsUntilTheSwitchIsPastIt(t *testing.T) {
	withConn(t, ofconn.Config{NoFence: true}, func(t *testing.T, sw *front, conn *ofconn.Conn) {
		disarm := sw.Inject(ofgrouptest.Fault{On: ofgrouptest.MsgBarrierRequest, Times: always, Mute: true})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		errs := make(chan error)
		for id := range ofgroup.ID(2 * window) {
			go func() { _, err := ports(id, 1).Commit(ctx, conn); errs <- err }()
		}
		written := 0
		for range 2 * window {
			err := <-errs
			require.ErrorIs(t, err, context.DeadlineExceeded)
			if !isNotSent(err) {
				written++
			}
		}
		require.Equal(t, window, written)
		require.Equal(t, window, sw.GroupMods())
		short, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := ports(99, 1).Commit(short, conn)
		require.ErrorIs(t, err, ofgroup.ErrNotSent, "the window is full")

		disarm()
		old := live(t, conn)
		sw.Disconnect()
		again(t, conn, old)
		require.NoError(t, commitTo(t, conn, 1), "a new connection starts afresh")
	})
}

func TestAFullWindowIsOpenedByABarrierOfItsOwn(t *testing.T) {
	withConn(t, ofconn.Config{NoFence: true}, func(t *testing.T, sw *front, conn *ofconn.Conn) {
		// The barriers are lost, and in the end all those who would ask again: first
		// those that no barrier covered yet, then the others.
		const barriers = 3
		sw.Inject(ofgrouptest.Fault{On: ofgrouptest.MsgBarrierRequest, Times: barriers, Mute: true})
		errs := make(chan error, window)
		for id := range window {
			after := time.Second
			if id >= barriers {
				after /= 2
			}
			ctx, cancel := context.WithTimeout(t.Context(), after)
			defer cancel()
			go func() { _, err := ports(ofgroup.ID(id), 1).Commit(ctx, conn); errs <- err }()
			synctest.Wait()
		}
		for range window {
			require.ErrorIs(t, <-errs, context.DeadlineExceeded)
		}
		synctest.Wait()
		require.Equal(t, barriers+1, sw.Count(ofgrouptest.MsgBarrierRequest))
		require.NoError(t, commitTo(t, conn, 1))
		require.NoError(t, commitTo(t, conn, 2))
	})
}

func TestPacketOutsTakeNoPlaceInTheWindow(t *testing.T) {
	withConn(t, ofconn.Config{NoFence: true}, func(t *testing.T, sw *front, conn *ofconn.Conn) {
		for range 3 * window {
			_, err := conn.PacketOut(t.Context(), query)
			require.NoError(t, err)
		}
		synctest.Wait()
		require.Equal(t, 3*window, sw.Count(ofgrouptest.MsgPacketOut))
		require.Zero(t, sw.Count(ofgrouptest.MsgBarrierRequest))
	})
}
