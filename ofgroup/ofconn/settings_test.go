package ofconn_test

import (
	"context"
	"encoding/binary"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
	"github.com/ofmcast/ofmcast/ofgroup/ofgrouptest"
)

// settingTypes are the messages of which a switch forgets the effect with the connection.
var settingTypes = []ofgrouptest.MessageType{
	ofgrouptest.MsgExperimenter, ofgrouptest.MsgSetAsync, ofgrouptest.MsgSetConfig,
}

// What was set by a message, the newest of each kind, is set again on each connection
// before OnConnect, whatever Config said.
func TestWhatWasSetByMessagesIsRestored(t *testing.T) {
	var onConnect [][]byte // what the switch had heard by then
	var sw *front
	conns := 0
	cfg := ofconn.Config{Events: everything(), OnConnect: func(context.Context, *ofconn.Session) error {
		conns++
		onConnect = sw.heard(conns, settingTypes...)
		return nil
	}}
	synctest.Test(t, func(t *testing.T) {
		sw = newFront(t)
		cfg.Dial = sw.Dial
		conn := ofconn.New(cfg)
		running(t, conn)
		wanted := []ofconn.Message{
			ofconn.ControllerID(9), ofconn.FormatStandard,
			ofconn.AsyncConfig{PortStatus: ofconn.AllReasons},
			ofconn.SwitchConfig{Fragments: ofconn.FragmentsDrop, MissSendLen: 200},
		}
		for i := len(wanted) - 1; i >= 0; i-- { // the order of the calls does not matter
			requireConfirmed(t, conn, ofconn.ControllerID(8))
			requireConfirmed(t, conn, wanted[i])
		}
		requireConfirmed(t, conn, wanted[0])
		for range 2 {
			old := live(t, conn)
			conn.Reconnect()
			again(t, conn, old)
			require.Len(t, onConnect, len(wanted))
			for i, m := range wanted {
				requireMessage(t, numberless(onConnect[i]), m, ofgroup.OpenFlow15)
			}
		}
	})
}

func TestASettingThatWasRefusedIsNotKept(t *testing.T) {
	withConn(t, ofconn.Config{Events: everything()}, func(t *testing.T, sw *front, conn *ofconn.Conn) {
		sw.Inject(ofgrouptest.Fault{On: ofgrouptest.MsgExperimenter, Refuse: &ofgrouptest.Refusal{Type: 1, Code: 1}})
		_, err := conn.SendMessage(t.Context(), ofconn.ControllerID(9))
		require.Error(t, err)
		old := live(t, conn)
		conn.Reconnect()
		again(t, conn, old)
		requireMessage(t, numberless(sw.heard(2, ofgrouptest.MsgExperimenter)[0]), ofconn.ControllerID(3), ofgroup.OpenFlow15)
	})
}

func TestConfigSaysHowTheSwitchSpeaks(t *testing.T) {
	config := ofconn.SwitchConfig{Fragments: ofconn.FragmentsMatch, MissSendLen: 77}
	events := ofconn.Events{Config: &config, PacketIn: func(*ofconn.PacketIn, time.Time) {}}
	withConn(t, ofconn.Config{Events: events}, func(t *testing.T, sw *front, _ *ofconn.Conn) {
		asked := sw.heard(1, ofgrouptest.MsgSetConfig)
		require.Len(t, asked, 1)
		requireMessage(t, numberless(asked[0]), config, ofgroup.OpenFlow15)
	})
}

// A role that the application chose is not turned into that of master by a lost
// connection, and one that NoFence left alone is kept too.
func TestTheRoleThatWasAskedForIsRestored(t *testing.T) {
	for _, noFence := range []bool{false, true} {
		for _, role := range []ofconn.Role{ofconn.RoleEqual, ofconn.RoleSlave, ofconn.RoleMaster} {
			withConn(t, ofconn.Config{NoFence: noFence}, func(t *testing.T, sw *front, conn *ofconn.Conn) {
				s := live(t, conn)
				_, err := s.Role(t.Context(), ofconn.RoleRequest{Role: role, Generation: 7})
				require.NoError(t, err)
				conn.Reconnect()
				again(t, conn, s)
				asked := sw.heard(2, ofgrouptest.MsgRoleRequest)
				require.Len(t, asked, 2, "which generation there is, and the role")
				require.EqualValues(t, role, binary.BigEndian.Uint32(asked[1][8:]))
				now, err := live(t, conn).Role(t.Context(), ofconn.RoleRequest{})
				require.NoError(t, err)
				require.Equal(t, role, now.Role)
			})
		}
	}
}

// The same on a real switch: packets come to the number that was set by a message, after
// the connection was lost twice.
func TestARealSwitchKnowsTheSettingsOfEveryConnection(t *testing.T) {
	for v := range prefixes {
		t.Run(v.String(), func(t *testing.T) {
			lab := newLab(t)
			heard := newTold()
			conn := ofconn.New(ofconn.Config{
				Dial: lab.Dial, Versions: []ofgroup.Version{v},
				Events: ofconn.Events{PacketIn: func(p *ofconn.PacketIn, _ time.Time) { heard.packets <- p }},
			})
			running(t, conn)
			requireConfirmed(t, conn, ofconn.ControllerID(7))
			requireConfirmed(t, conn, ofconn.FormatPacketIn2)
			requireConfirmed(t, conn, ofconn.SwitchConfig{Fragments: ofconn.FragmentsDrop, MissSendLen: ofconn.WholePacket})
			requireConfirmed(t, conn, ofconn.FlowMod{Match: ip(), Actions: actions(caughtBy7)})
			for range 2 {
				old := live(t, conn)
				conn.Reconnect()
				<-old.Done()
				requireAnother(t, conn, old)
				_, err := lab.Ofctl(t.Context(), "set-frags", lab.Bridge(), "normal") // by somebody else
				require.NoError(t, err)
			}
			require.Equal(t, []byte{0xfe}, heard.packetThrough(t, lab, 2).UserData)
			old := live(t, conn)
			conn.Reconnect()
			<-old.Done()
			requireAnother(t, conn, old)
			frags, err := lab.Ofctl(t.Context(), "get-frags", lab.Bridge())
			require.NoError(t, err)
			require.Equal(t, "drop\n", frags)
		})
	}
}
