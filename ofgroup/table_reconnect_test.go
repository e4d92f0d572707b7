package ofgroup_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
	"github.com/ofmcast/ofmcast/ofgroup/ofgrouptest"
)

// agent is a program that has all its state restored after a disconnect.
type agent struct {
	conn  *ofconn.Conn
	table *ofgroup.Table
	meter ofconn.MeterMod
	flows []ofconn.FlowMod
	lost  chan error
}

func startAgent(t *testing.T, sw *ofgrouptest.Switch) *agent {
	t.Helper()
	a := &agent{meter: ofconn.MeterMod{ID: 1, Rate: 100}, lost: make(chan error, 2)}
	a.conn = ofconn.New(ofconn.Config{
		Dial: sw.Dial, OnConnect: a.restore, MinBackoff: time.Millisecond,
		OnDisconnect: func(err error) { a.lost <- err },
		Events: ofconn.Events{
			PacketIn:     func(*ofconn.PacketIn, time.Time) {},
			PortStatus:   func(ofconn.PortStatus, time.Time) {},
			ControllerID: 3, Format: ofconn.FormatPacketIn2,
		},
	})
	a.table = ofgroup.NewTable(a.conn, ofgroup.TableConfig{})
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { _ = a.conn.Run(ctx) })
	t.Cleanup(func() { cancel(); running.Wait() })
	require.NoError(t, a.conn.WaitConnected(t.Context()))
	return a
}

// restore is meters, then groups, then flows.
func (a *agent) restore(ctx context.Context, s *ofconn.Session) error {
	if _, err := s.SendMessage(ctx, a.meter); err != nil {
		return err
	}
	if err := a.table.Replay(ctx, s); err != nil {
		return err
	}
	for _, f := range a.flows {
		if _, err := s.SendMessage(ctx, f); err != nil {
			return err
		}
	}
	return nil
}

// told are the messages of one connection but for echoes and barriers, in their order,
// without what may differ: numbers, the generation of a role, and ADD for ADD_OR_MOD.
func told(sw *ofgrouptest.Switch, conn int) (kinds []ofgrouptest.MessageType, messages []string) {
	for _, l := range sw.Log() {
		if l.Conn != conn || l.Type == ofgrouptest.MsgBarrierRequest {
			continue
		}
		m := l.Message
		clear(m[4:8])
		switch l.Type {
		case ofgrouptest.MsgRoleRequest:
			clear(m[16:24])
		case ofgrouptest.MsgGroupMod:
			clear(m[8:10])
		}
		kinds = append(kinds, l.Type)
		messages = append(messages, string(m))
	}
	return kinds, messages
}

func TestAllThatWasSetIsSetAgainAfterARestartAndInOrder(t *testing.T) {
	sw := ofgrouptest.NewSwitch(ofgrouptest.SwitchConfig{})
	defer sw.Close()
	a := startAgent(t, sw)
	for id := range ofgroup.ID(10) {
		_, err := a.table.Commit(t.Context(), toPorts(id+1, ofgroup.All, 1, 2))
		require.NoError(t, err)
		f := ofconn.FlowMod{Priority: uint16(id), Actions: []ofgroup.Action{ofgroup.Meter(1), ofgroup.OutputGroup(id + 1)}}
		_, err = a.conn.SendMessage(t.Context(), f)
		require.NoError(t, err)
		a.flows = append(a.flows, f)
	}
	groups, err := sw.Groups()
	require.NoError(t, err)
	flows, meters := sw.Flows(), sw.Meters()
	require.Len(t, flows, 10)

	sw.Restart()
	<-a.lost
	require.NoError(t, a.conn.WaitConnected(t.Context()))

	after, err := sw.Groups()
	require.NoError(t, err)
	require.Len(t, after, len(groups))
	for i, g := range groups {
		require.True(t, g.Equal(after[i]))
	}
	require.Equal(t, flows, sw.Flows())
	require.Equal(t, meters, sw.Meters())
	_, first := told(sw, 1)
	kinds, second := told(sw, 2)
	require.ElementsMatch(t, first, second)
	require.Less(t, slices.Index(kinds, ofgrouptest.MsgMeterMod), slices.Index(kinds, ofgrouptest.MsgGroupMod))
	firstFlow := slices.Index(kinds, ofgrouptest.MsgFlowMod)
	require.NotContains(t, kinds[firstFlow:], ofgrouptest.MsgGroupMod)
}
