package ofconn_test

import (
	"encoding/hex"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/internal/ovslab"
	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
)

// told is what a real switch told a Conn.
type told struct {
	packets chan *ofconn.PacketIn
	ports   chan ofconn.PortStatus
	flows   chan ofconn.FlowRemoved
	refused chan *ofgroup.SwitchError
}

func newTold() told {
	const room = 100
	return told{
		make(chan *ofconn.PacketIn, room), make(chan ofconn.PortStatus, room),
		make(chan ofconn.FlowRemoved, room), make(chan *ofgroup.SwitchError, room),
	}
}

// events asks for all there is, as controller 7 and with user data.
func (h told) events() ofconn.Events {
	return ofconn.Events{
		PacketIn:         func(p *ofconn.PacketIn, _ time.Time) { h.packets <- p },
		PortStatus:       func(p ofconn.PortStatus, _ time.Time) { h.ports <- p },
		FlowRemoved:      func(f ofconn.FlowRemoved, _ time.Time) { h.flows <- f },
		PacketOutRefused: func(err *ofgroup.SwitchError) { h.refused <- err },
		ControllerID:     7,
		Format:           ofconn.FormatPacketIn2,
	}
}

// awaitPort returns when the switch has told of a port that is set like this.
func (h told) awaitPort(config ofconn.PortConfig) {
	for p := range h.ports {
		if p.Port.Config == config {
			return
		}
	}
}

// packetThrough has the switch receive reportFrame on a port until it tells of it: on a
// busy machine the first one has been seen to get lost in the switch.
func (h told) packetThrough(t *testing.T, lab *ovslab.Lab, port ofgroup.Port) *ofconn.PacketIn {
	const tries = 60
	for range tries {
		receive(t, lab, int(port), reportFrame)
		if p := h.await(port, time.After(time.Second)); p != nil {
			return p
		}
	}
	require.FailNow(t, "none of the frames came through")
	return nil
}

// await is the next packet-in of a port, or nil at the end of time.
func (h told) await(port ofgroup.Port, end <-chan time.Time) *ofconn.PacketIn {
	for {
		select {
		case p := <-h.packets:
			if p.InPort == port {
				return p
			}
		case <-end:
			return nil
		}
	}
}

// caughtBy7 sends what matches to controller 7, with a mark.
var caughtBy7 = ofgroup.Controller(ofgroup.PacketInAction{ID: 7, UserData: []byte{0xfe}})

// All that a Conn asked a real switch for works again on its next connection.
func TestARealSwitchTellsEveryConnectionTheSame(t *testing.T) {
	lab := newLab(t)
	d := &heldByDialer{dial: lab.Dial}
	heard := newTold()
	conn := ofconn.New(ofconn.Config{
		Dial: d.Dial, Events: heard.events(),
		Versions: []ofgroup.Version{ofgroup.OpenFlow13, ofgroup.OpenFlow15},
	})
	running(t, conn)
	flow := ofconn.FlowMod{
		Cookie: 9, Match: ofgroup.NewMatch(ofgroup.IsIPv4()), Actions: []ofgroup.Action{caughtBy7},
		Flags: ofconn.FlowSendRemoved,
	}
	for range 3 {
		requireConfirmed(t, conn, flow)
		p := heard.packetThrough(t, lab, 2)
		require.Equal(t, reportFrame, hex.EncodeToString(p.Frame))
		require.Equal(t, []byte{0xfe}, p.UserData)

		// Through a second port it comes back as if it had been received there.
		requireConfirmed(t, conn, ofconn.PacketOut{
			InPort: 3, Actions: []ofgroup.Action{ofgroup.Output(ofgroup.PortTable)}, Frame: unhex(reportFrame),
		})
		require.NotNil(t, heard.await(3, time.After(time.Minute)))

		requireConfirmed(t, conn, ofconn.FlowMod{Command: ofconn.FlowDelete, Table: ofconn.AllTables, Cookie: 9, CookieMask: ^uint64(0)})
		require.EqualValues(t, 9, (<-heard.flows).Cookie)

		_, err := lab.Ofctl(t.Context(), "mod-port", lab.Bridge(), "2", "down")
		require.NoError(t, err)
		heard.awaitPort(ofconn.PortDown)
		_, err = lab.Ofctl(t.Context(), "mod-port", lab.Bridge(), "2", "up")
		require.NoError(t, err)
		heard.awaitPort(0)

		old := live(t, conn)
		require.NoError(t, d.current().Close())
		<-old.Done()
		requireAnother(t, conn, old)
	}
}

// requireAnother waits until a Conn has another session than old.
func requireAnother(t *testing.T, conn *ofconn.Conn, old *ofconn.Session) {
	t.Helper()
	for {
		require.NoError(t, conn.WaitConnected(t.Context()))
		if s, err := conn.Session(); err == nil && s != old {
			return
		}
	}
}

func requireConfirmed(t *testing.T, conn *ofconn.Conn, m ofconn.Message) {
	t.Helper()
	receipt, err := conn.SendMessage(t.Context(), m)
	require.NoError(t, err)
	require.True(t, receipt.Confirmed)
}

func TestARealSwitchsRefusalsAreTyped(t *testing.T) {
	lab := newLab(t)
	heard := newTold()
	conn := ofconn.New(ofconn.Config{Dial: lab.Dial, Events: heard.events()})
	running(t, conn)
	lost := ofconn.PacketOut{Actions: []ofgroup.Action{ofgroup.OutputGroup(99)}, Frame: make([]byte, 60)}
	for name, m := range map[string]ofconn.Message{
		"OFPBAC_BAD_OUT_GROUP":  ofconn.FlowMod{Actions: []ofgroup.Action{ofgroup.OutputGroup(99)}},
		"OFPMMFC_UNKNOWN_METER": ofconn.MeterMod{Command: ofconn.MeterModify, ID: 5, Rate: 1},
		"OFPFMFC_BAD_TABLE_ID":  ofconn.FlowMod{Table: ofconn.AllTables},
		"switch refused it":     lost,
	} {
		_, err := conn.SendMessage(t.Context(), m)
		var refused *ofgroup.SwitchError
		require.ErrorAs(t, err, &refused, name)
		require.ErrorContains(t, err, name)
		require.NotErrorIs(t, err, ofgroup.ErrNotSent)
	}

	receipt, err := conn.PacketOut(t.Context(), lost)
	require.NoError(t, err)
	require.Equal(t, receipt.XID, (<-heard.refused).XID)
	require.EqualValues(t, 1, conn.EventStats().PacketOutsRefused)
}

func TestARealSwitchsMetersAreSet(t *testing.T) {
	lab := newLab(t)
	conn := ofconn.New(ofconn.Config{Dial: lab.Dial})
	running(t, conn)
	requireConfirmed(t, conn, ofconn.MeterMod{ID: 5, Unit: ofconn.PacketsPerSecond, Rate: 100, Burst: 20})
	out, err := lab.Ofctl(t.Context(), "dump-meters", lab.Bridge())
	require.NoError(t, err)
	require.Contains(t, out, "meter=5 pktps burst")
	require.Contains(t, out, "rate=100 burst_size=20")
	requireConfirmed(t, conn, ofconn.MeterMod{Command: ofconn.MeterDelete, ID: 5})
	out, err = lab.Ofctl(t.Context(), "dump-meters", lab.Bridge())
	require.NoError(t, err)
	require.NotContains(t, out, "meter=5")
}

func TestAConnSpeaksTheVersionOfTheSwitch(t *testing.T) {
	lab := ovslab.New(t, ovslab.Config{Protocols: "OpenFlow10,OpenFlow13"})
	conn := ofconn.New(ofconn.Config{
		Dial: lab.Dial, Versions: []ofgroup.Version{ofgroup.OpenFlow13, ofgroup.OpenFlow15}, Events: newTold().events(),
	})
	require.Equal(t, ofgroup.OpenFlow15, conn.Version(), "what is hoped for")
	running(t, conn)
	require.Equal(t, ofgroup.OpenFlow13, conn.Version())
	require.NoError(t, commitTo(t, conn, 1))
}
