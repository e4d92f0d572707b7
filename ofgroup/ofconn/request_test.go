package ofconn_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
	"github.com/ofmcast/ofmcast/ofgroup/ofgrouptest"
)

func TestARefusedMessageIsATypedErrorOfItsOwnCall(t *testing.T) {
	withConn(t, ofconn.Config{}, func(t *testing.T, sw *front, conn *ofconn.Conn) {
		sw.refuseAll(ofgrouptest.MsgFlowMod, 5, 3) // OFPFMFC_OVERLAP
		receipt, err := conn.SendMessage(t.Context(), ofconn.FlowMod{Priority: 7})
		var refused *ofgroup.SwitchError
		require.ErrorAs(t, err, &refused)
		require.Equal(t, [2]uint16{5, 3}, [2]uint16{refused.Type, refused.Code})
		require.Equal(t, receipt.XID, refused.XID)
		require.False(t, receipt.Confirmed)
		require.NotErrorIs(t, err, ofgroup.ErrNotSent)
		require.Equal(t, sw.heard(1, ofgrouptest.MsgFlowMod)[0], refused.Data)

		receipt, err = conn.SendMessage(t.Context(), ofconn.MeterMod{ID: 1, Rate: 100})
		require.NoError(t, err)
		require.True(t, receipt.Confirmed)
		require.Len(t, sw.heard(1, ofgrouptest.MsgMeterMod), 1)
	})
}

func TestAMessageThatCannotBeEncodedIsRefusedAtOnceAndTheNextWorks(t *testing.T) {
	withConn(t, ofconn.Config{}, func(t *testing.T, sw *front, conn *ofconn.Conn) {
		bad := ofgroup.Set(ofgroup.Reg(99), 1)
		for _, m := range []ofconn.Message{
			ofconn.FlowMod{Actions: []ofgroup.Action{bad}},
			ofconn.FlowMod{Match: ofgroup.NewMatch(ofgroup.Is(ofgroup.Reg(99), 1))},
			ofconn.PacketOut{Frame: make([]byte, 1<<16)},
			ofconn.MeterMod{Command: 9},
		} {
			_, err := conn.SendMessage(t.Context(), m)
			require.ErrorIs(t, err, ofgroup.ErrNotSent, "%T", m)
		}
		_, err := conn.PacketOut(t.Context(), ofconn.PacketOut{Actions: []ofgroup.Action{bad}})
		require.ErrorIs(t, err, ofgroup.ErrNotSent)
		require.ErrorIs(t, err, ofgroup.ErrField)
		_, err = conn.SendMessage(t.Context(), ofconn.FlowMod{})
		require.NoError(t, err)
		require.Len(t, withoutBarriers(sw.heard(1)), 1+2+1, "hello, roles and the last one")
	})
}

func TestPortsAreAsTheSwitchDescribesThem(t *testing.T) {
	withConn(t, ofconn.Config{}, func(t *testing.T, _ *front, conn *ofconn.Conn) {
		all, err := conn.Ports(t.Context())
		require.NoError(t, err)
		names := map[ofgroup.Port]string{}
		for _, p := range all {
			names[p.Number] = p.Name
		}
		require.Equal(t, "p1", names[1])
		require.Equal(t, "p4", names[4])
		require.Contains(t, names, ofgroup.PortLocal)
	})
}

func TestARoleCanBeAskedForAndRefused(t *testing.T) {
	withConn(t, ofconn.Config{}, func(t *testing.T, _ *front, conn *ofconn.Conn) {
		s := live(t, conn)
		now, err := s.Role(t.Context(), ofconn.RoleRequest{})
		require.NoError(t, err)
		require.Equal(t, ofconn.RoleReply{Role: ofconn.RoleMaster, Generation: 0}, now)
		_, err = s.Role(t.Context(), ofconn.RoleRequest{Role: ofconn.RoleMaster, Generation: ^uint64(0)})
		require.True(t, ofconn.IsStale(err), "%v", err)
	})
}
