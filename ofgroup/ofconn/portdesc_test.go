package ofconn_test

import (
	"fmt"
	"net"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
)

const multipartHeaderLen = 16

// printedPort is p as ovs-ofctl prints it.
func printedPort(p ofconn.PortDesc) string {
	return fmt.Sprintf("%v(%s): addr:%v\n     config:     %v\n     state:      %v\n",
		p.Number, p.Name, net.HardwareAddr(p.MAC[:]), p.Config, p.State)
}

func TestPortDescriptionsAreWhatOvsOfctlPrintsOfThem(t *testing.T) {
	for _, r := range recordedOf(t, "port_desc_reply") {
		msg := unhex(r.Hex)
		descs, err := ofconn.ParsePortDescs(ofgroup.Version(msg[0]), msg[multipartHeaderLen:])
		require.NoError(t, err, r.Name)
		require.Len(t, descs, strings.Count(r.Text, "addr:"), r.Name)
		for _, p := range descs {
			require.Contains(t, r.Text, " "+printedPort(p), r.Name)
		}
	}
}

func TestPortDescriptionsAreAskedForAsOvsOfctlDoes(t *testing.T) {
	for v, before := range prefixes {
		requireMessage(t, recordedNamed(t, before+"port-desc-request"), ofconn.PortDescRequest{}, v)
	}
}

// The longest name that Open vSwitch can say has 15 bytes; the wire has room for 16.
func TestAPortNameMayFillItsRoom(t *testing.T) {
	msg := recordedNamed(t, "of15-port-desc-reply-port-2")
	copy(msg[multipartHeaderLen+16:], "sixteen-bytes-ok")
	descs, err := ofconn.ParsePortDescs(ofgroup.OpenFlow15, msg[multipartHeaderLen:])
	require.NoError(t, err)
	require.Equal(t, "sixteen-bytes-ok", descs[0].Name)
	clear(msg)
	require.Equal(t, "sixteen-bytes-ok", descs[0].Name, "it owns its memory")
}

func TestPortsPrintWhatTheyAre(t *testing.T) {
	p := ofconn.PortDesc{
		Number: 3, Name: "p3", MAC: [6]byte{0xaa, 0x55, 0xaa, 0x55, 0, 2},
		Config: ofconn.PortDown | ofconn.PortNoFwd | ofconn.PortNoRecv | ofconn.PortNoPacketIn,
		State:  ofconn.PortLinkDown | ofconn.PortBlocked | ofconn.PortLive | 0x10,
	}
	require.Equal(t, "3(p3): addr:aa:55:aa:55:00:02 config:PORT_DOWN NO_RECV NO_FWD NO_PACKET_IN "+
		"state:LINK_DOWN BLOCKED LIVE 0x10", p.String())
	require.Equal(t, "LOCAL(br0): addr:00:00:00:00:00:00",
		ofconn.PortDesc{Number: ofgroup.PortLocal, Name: "br0"}.String())
	require.Equal(t, "0x2", ofconn.PortConfig(2).String(), "a bit that has no name")
}

func TestAPortDescriptionOfAnotherVersionOrLengthIsMalformed(t *testing.T) {
	body := recordedNamed(t, "of15-port-desc-reply-port-2")[multipartHeaderLen:]
	for _, length := range []byte{0, 7, 39, 73, 0xff} {
		cut := append([]byte(nil), body...)
		cut[5] = length
		_, err := ofconn.ParsePortDescs(ofgroup.OpenFlow15, cut)
		require.ErrorIs(t, err, ofgroup.ErrMalformed, length)
	}
	_, err := ofconn.ParsePortDescs(ofgroup.OpenFlow13, body)
	require.ErrorIs(t, err, ofgroup.ErrMalformed, "72 bytes are not whole ports of 1.3")
}
