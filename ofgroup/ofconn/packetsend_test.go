package ofconn_test

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
	"github.com/ofmcast/ofmcast/ofgroup/ofgrouptest"
)

var query = ofconn.PacketOut{Actions: []ofgroup.Action{ofgroup.Output(3)}, Frame: make([]byte, 60)}

func TestARefusedPacketOutIsCountedAndToldByItsNumber(t *testing.T) {
	var told []uint32
	handler := func(err *ofgroup.SwitchError) { told = append(told, err.XID) }
	withConn(t, ofconn.Config{Events: ofconn.Events{PacketOutRefused: handler}}, func(t *testing.T, sw *front, conn *ofconn.Conn) {
		_, err := conn.PacketOut(t.Context(), query)
		require.NoError(t, err)
		synctest.Wait()
		sw.refuseAll(ofgrouptest.MsgPacketOut, 5, 0)
		var sent []uint32
		for range 3 {
			receipt, err := conn.PacketOut(t.Context(), query)
			require.NoError(t, err)
			require.False(t, receipt.Confirmed)
			sent = append(sent, receipt.XID)
		}
		synctest.Wait()
		require.Equal(t, sent, told)
		require.EqualValues(t, 3, conn.EventStats().PacketOutsRefused)
		require.Zero(t, live(t, conn).Stats().Unmatched)

		_, err = conn.SendMessage(t.Context(), query)
		var refused *ofgroup.SwitchError
		require.ErrorAs(t, err, &refused, "who waits is told by the call")
		require.Len(t, told, 3)
	})
}

func TestPacketOutsAskForFewBarriers(t *testing.T) {
	withConn(t, ofconn.Config{}, func(t *testing.T, sw *front, conn *ofconn.Conn) {
		before := sw.Count(ofgrouptest.MsgBarrierRequest)
		send := func(n int) {
			for range n {
				_, err := conn.PacketOut(t.Context(), query)
				require.NoError(t, err)
				synctest.Wait()
			}
		}
		send(63)
		require.Equal(t, before, sw.Count(ofgrouptest.MsgBarrierRequest))
		require.Zero(t, live(t, conn).Stats().Pending, "nobody waits")
		send(1)
		require.Equal(t, before+1, sw.Count(ofgrouptest.MsgBarrierRequest))
		send(1)
		require.NoError(t, commitTo(t, conn, 1))
		require.Equal(t, before+2, sw.Count(ofgrouptest.MsgBarrierRequest), "one barrier for both")
	})
}

func TestPacketOutsThatTheSwitchDoesNotGetToAreRefused(t *testing.T) {
	withConn(t, ofconn.Config{}, func(t *testing.T, sw *front, conn *ofconn.Conn) {
		for range 2 { // all are confirmed in between
			sw.ResetCounts()
			disarm := sw.Inject(ofgrouptest.Fault{On: ofgrouptest.MsgBarrierRequest, Times: always, Mute: true})
			for range 1024 {
				_, err := conn.PacketOut(t.Context(), query)
				require.NoError(t, err)
				synctest.Wait()
			}
			_, err := conn.PacketOut(t.Context(), query)
			require.ErrorIs(t, err, ofconn.ErrBusy)
			require.ErrorIs(t, err, ofgroup.ErrNotSent)
			require.Equal(t, 3, sw.Count(ofgrouptest.MsgBarrierRequest), "no more are tried for them alone")

			disarm()
			require.NoError(t, conn.Barrier(t.Context()))
		}
	})
}

func TestAPacketOutThatIsCancelledIsNotSent(t *testing.T) {
	withConn(t, ofconn.Config{}, func(t *testing.T, sw *front, conn *ofconn.Conn) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := conn.PacketOut(ctx, query)
		require.ErrorIs(t, err, ofgroup.ErrNotSent)
		require.ErrorIs(t, err, context.Canceled)
		synctest.Wait()
		require.Empty(t, sw.heard(1, ofgrouptest.MsgPacketOut))
	})
}
