package ofconn_test

import (
	"encoding/hex"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/internal/ovslab"
	. "github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
)

// listens asks for everything, as the controller of this number.
func (c *rawClient) listens(id ofconn.ControllerID) {
	c.t.Helper()
	require.NoError(c.t, c.do(
		ofconn.SwitchConfig{MissSendLen: ofconn.WholePacket},
		ofconn.AsyncConfig{PacketIn: ofconn.AllReasons, PortStatus: ofconn.AllReasons, FlowRemoved: ofconn.AllReasons},
		id,
	))
}

// receive has a frame come in by a port of the lab.
func receive(t *testing.T, lab *ovslab.Lab, port int, frame string) {
	t.Helper()
	_, err := lab.Appctl(t.Context(), "netdev-dummy/receive", fmt.Sprintf("p%d", port), frame)
	require.NoError(t, err)
}

// reportFrame is an IGMPv2 report of 239.1.2.3.
const reportFrame = "01005e0102030a0000000005080046c0002012340000010216db0a000005ef010203940400001600f8faef0102030000000000" +
	"000000000000000000"

// The management socket sends nothing until it is asked, and our frames and
// packets pass it unchanged.
func TestPacketsComeAndGoThroughARealSwitch(t *testing.T) {
	for v := range prefixes {
		for _, format := range []ofconn.PacketInFormat{ofconn.FormatStandard, ofconn.FormatPacketIn2} {
			t.Run(fmt.Sprint(v, " format ", uint8(format)), func(t *testing.T) {
				lab := newLab(t)
				c := dialRaw(t, lab, v)
				c.listens(7)
				require.NoError(t, c.do(format, ofconn.FlowMod{
					Table: 0, Cookie: layoutCookie, Match: ip(igmp), Actions: actions(Set(Metadata, 5), Set(Reg(0), 10), Set(Reg(5), 11), Resubmit(100)),
				}, ofconn.FlowMod{
					Table: 100, Cookie: layoutCookie | 9, Match: ip(igmp, from(2)), Actions: actions(caught(0xfe)),
				}))
				received := byte(typePacketIn)
				if format == ofconn.FormatPacketIn2 {
					received = 4
				}

				receive(t, lab, 2, reportFrame)
				p, err := ofconn.ParsePacketIn(c.await(received))
				require.NoError(t, err)
				want := ofconn.PacketIn{
					InPort: 2, Table: 100, Reason: ofconn.ReasonAction, Cookie: layoutCookie | 9, Metadata: 5,
					Regs: [16]uint32{0: 10, 5: 11}, Frame: unhex(reportFrame), TotalLen: 60,
				}
				if format == ofconn.FormatPacketIn2 {
					want.UserData = []byte{0xfe}
				}
				require.Equal(t, want, p)

				frame := queryFrame + hex.EncodeToString(make([]byte, 10)) // the smallest there is
				require.NoError(t, err)
				c.send(ofconn.PacketOut{Frame: unhex(frame), Actions: actions(caught(1))})
				p, err = ofconn.ParsePacketIn(c.await(received))
				require.NoError(t, err)
				require.Equal(t, frame, hex.EncodeToString(p.Frame))
				require.Equal(t, PortController, p.InPort)
			})
		}
	}
}

func TestPortsAndFlowsThatChangeAreTold(t *testing.T) {
	for v := range prefixes {
		t.Run(v.String(), func(t *testing.T) {
			lab := newLab(t)
			c := dialRaw(t, lab, v)
			c.listens(7)
			_, err := lab.Ofctl(t.Context(), "mod-port", lab.Bridge(), "2", "down")
			require.NoError(t, err)
			s, err := ofconn.ParsePortStatus(c.await(typePortStatus))
			require.NoError(t, err)
			require.Equal(t, ofconn.PortModified, s.Reason)
			require.Equal(t, Port(2), s.Port.Number)
			require.Equal(t, "p2", s.Port.Name)
			require.Equal(t, ofconn.PortDown, s.Port.Config)

			flow := ofconn.FlowMod{Table: 7, Priority: 9, Cookie: layoutCookie, Match: ip(), Flags: ofconn.FlowSendRemoved}
			gone := ofconn.FlowMod{Command: ofconn.FlowDeleteStrict, Table: 7, Priority: 9, Match: ip()}
			c.send(flow, gone)
			r, err := ofconn.ParseFlowRemoved(c.await(typeFlowRemoved))
			require.NoError(t, err)
			require.Equal(t, ofconn.FlowRemoved{Cookie: layoutCookie, Table: 7, Priority: 9, Reason: ofconn.FlowDeleted}, r)
		})
	}
}

func TestThePortsOfARealSwitchAreDescribed(t *testing.T) {
	lab := newLab(t)
	for v := range prefixes {
		c := dialRaw(t, lab, v)
		c.send(ofconn.PortDescRequest{})
		msg := c.await(typeMultipartReply)
		descs, err := ofconn.ParsePortDescs(v, msg[multipartHeaderLen:])
		require.NoError(t, err)
		names := map[Port]string{}
		for _, p := range descs {
			names[p.Number] = p.Name
		}
		require.Equal(t, map[Port]string{1: "p1", 2: "p2", 3: "p3", 4: "p4", 5: "p5", PortLocal: lab.Bridge()}, names)
	}
}

// A new master makes its predecessor a slave, which can change nothing, is told
// nothing, and cannot come back with an old generation.
func TestARoleFencesThePredecessorOff(t *testing.T) {
	for v := range prefixes {
		t.Run(v.String(), func(t *testing.T) {
			lab := newLab(t)
			old, next := dialRaw(t, lab, v), dialRaw(t, lab, v)
			old.listens(7)
			next.listens(7)
			require.Equal(t, ofconn.RoleReply{Role: ofconn.RoleEqual, Generation: ofconn.NoGeneration}, old.role(0, 0))
			require.Equal(t, ofconn.RoleReply{Role: ofconn.RoleMaster, Generation: 5}, old.role(ofconn.RoleMaster, 5))
			require.Equal(t, ofconn.RoleReply{Role: ofconn.RoleEqual, Generation: 5}, next.role(0, 0))
			require.Equal(t, ofconn.RoleReply{Role: ofconn.RoleMaster, Generation: 6}, next.role(ofconn.RoleMaster, 6))

			require.Equal(t, ofconn.RoleReply{Role: ofconn.RoleSlave, Generation: 6}, old.role(0, 0))
			require.ErrorContains(t, old.do(ofconn.FlowMod{}), "OFPBRC_IS_SLAVE")
			require.True(t, ofconn.IsStale(old.do(ofconn.RoleRequest{Role: ofconn.RoleMaster, Generation: 5})))

			_, err := lab.Ofctl(t.Context(), "mod-port", lab.Bridge(), "2", "down")
			require.NoError(t, err)
			next.await(typePortStatus)
			require.Empty(t, old.sync())
		})
	}
}

func (c *rawClient) role(r ofconn.Role, generation uint64) ofconn.RoleReply {
	c.t.Helper()
	c.send(ofconn.RoleRequest{Role: r, Generation: generation})
	reply, err := ofconn.ParseRoleReply(c.await(typeRoleReply))
	require.NoError(c.t, err)
	return reply
}
