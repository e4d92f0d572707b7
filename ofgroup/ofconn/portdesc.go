package ofconn

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"net"
	"strings"

	"github.com/ofmcast/ofmcast/internal/openflow"
	"github.com/ofmcast/ofmcast/ofgroup"
)

// PortDesc is a port as the switch describes it (OpenFlow 1.5.1, 7.2.1). It is
// comparable.
type PortDesc struct {
	Number ofgroup.Port // PortLocal is the bridge's own
	Name   string       // at most 15 bytes: Open vSwitch cuts longer ones
	MAC    [6]byte
	Config PortConfig
	State  PortState
}

// String names the port for logs.
func (p PortDesc) String() string {
	s := fmt.Sprintf("%v(%s): addr:%v", p.Number, p.Name, net.HardwareAddr(p.MAC[:]))
	if p.Config != 0 {
		s += " config:" + p.Config.String()
	}
	if p.State != 0 {
		s += " state:" + p.State.String()
	}
	return s
}

// PortConfig is what an administrator has set.
type PortConfig uint32

const (
	PortDown       PortConfig = 1 << 0 // set down by configuration
	PortNoRecv     PortConfig = 1 << 2 // drops what comes in
	PortNoFwd      PortConfig = 1 << 5 // drops what is sent to it
	PortNoPacketIn PortConfig = 1 << 6 // what comes in causes no packet-in
)

// String is the settings in ovs-ofctl's words, 0 for none.
func (c PortConfig) String() string {
	return flagText(uint32(c), "PORT_DOWN", "", "NO_RECV", "", "", "NO_FWD", "NO_PACKET_IN")
}

// PortState is what the switch sees of the port.
type PortState uint32

const (
	PortLinkDown PortState = 1 << 0 // nothing is at the other end
	PortBlocked  PortState = 1 << 1 // by a spanning tree
	PortLive     PortState = 1 << 2 // counts as alive in a fast failover group
)

// String is the state in ovs-ofctl's words, 0 for none.
func (s PortState) String() string { return flagText(uint32(s), "LINK_DOWN", "BLOCKED", "LIVE") }

// flagText names the bits of v, from the lowest on, and prints others as a number.
func flagText(v uint32, names ...string) string {
	if v == 0 {
		return "0"
	}
	var words []string
	for i, name := range names {
		if bit := uint32(1) << i; v&bit != 0 && name != "" {
			words = append(words, name)
			v &^= bit
		}
	}
	if v != 0 {
		words = append(words, fmt.Sprintf("0x%x", v))
	}
	return strings.Join(words, " ")
}

// Offsets within a port's description. In OpenFlow 1.5 it has a length and ends
// with properties; in 1.3 it has always the same length.
const (
	offPortLen    = 4 // 1.5 only
	offPortMAC    = 8
	offPortName   = 16
	offPortConfig = 32
	offPortState  = 36
	portHeaderLen = 40 // without the properties of 1.5
	portLen13     = 64
	portNameLen   = 16
)

// nextPort takes one port off the start of b and tells how many bytes it took.
func nextPort(v ofgroup.Version, b []byte) (PortDesc, int, error) {
	n, least := portLen13, portLen13
	if v == ofgroup.OpenFlow15 {
		least = portHeaderLen
		if len(b) >= portHeaderLen {
			n = int(binary.BigEndian.Uint16(b[offPortLen:]))
		}
	}
	if n < least || n > len(b) {
		return PortDesc{}, 0, malformed("port length")
	}
	name, _, _ := bytes.Cut(b[offPortName:offPortName+portNameLen], []byte{0})
	return PortDesc{
		Number: ofgroup.Port(binary.BigEndian.Uint32(b)),
		Name:   string(name),
		MAC:    [6]byte(b[offPortMAC:]),
		Config: PortConfig(binary.BigEndian.Uint32(b[offPortConfig:])),
		State:  PortState(binary.BigEndian.Uint32(b[offPortState:])),
	}, n, nil
}

// ParsePortDescs decodes the joined bodies of an OFPMP_PORT_DESC reply in version
// v. The error matches ofgroup.ErrMalformed.
func ParsePortDescs(v ofgroup.Version, body []byte) ([]PortDesc, error) {
	var ports []PortDesc
	for len(body) > 0 {
		p, n, err := nextPort(v, body)
		if err != nil {
			return nil, err
		}
		ports, body = append(ports, p), body[n:]
	}
	return ports, nil
}

// PortDescRequest asks for the description of every port (OFPMP_PORT_DESC).
type PortDescRequest struct{}

// AppendMessage appends the message; see Message.
func (PortDescRequest) AppendMessage(b []byte, v ofgroup.Version) ([]byte, error) {
	return appendMessage(b, v, openflow.TypeMultipartRequest, func(b []byte) ([]byte, error) {
		b = binary.BigEndian.AppendUint16(b, openflow.MultipartPortDesc)
		b = appendZeros(b, 6) // flags and padding
		if v == ofgroup.OpenFlow15 {
			b = binary.BigEndian.AppendUint32(b, uint32(ofgroup.PortAny))
			b = appendZeros(b, 4)
		}
		return b, nil
	})
}
