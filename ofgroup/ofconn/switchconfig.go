package ofconn

import (
	"encoding/binary"

	"github.com/ofmcast/ofmcast/internal/openflow"
	"github.com/ofmcast/ofmcast/ofgroup"
)

// SwitchConfig sets how the switch speaks to this connection (OpenFlow 1.5.1,
// 7.3.2).
type SwitchConfig struct {
	// Fragments is how IP fragments are matched, for the whole bridge and all its
	// connections. The zero value is how a bridge does it unless somebody has set it
	// otherwise.
	Fragments Fragments

	// MissSendLen is how much of a packet without a flow is sent. Open vSwitch
	// always sends all, but a connection to a bridge's management socket gets no
	// packet-in, port status or flow-removed until it has set this to something
	// else than 0. Use WholePacket.
	MissSendLen uint16
}

// Fragments is a way to treat IP fragments.
type Fragments uint16

const (
	FragmentsNormal Fragments = 0 // later ones match as if their ports were 0
	FragmentsDrop   Fragments = 1 // all fragments
	FragmentsMatch  Fragments = 3 // Open vSwitch's own: by the fields it has for them
)

// WholePacket is the MissSendLen that cuts nothing off.
const WholePacket = 0xffff

// AppendMessage appends the message; see Message.
func (m SwitchConfig) AppendMessage(b []byte, v ofgroup.Version) ([]byte, error) {
	return appendMessage(b, v, openflow.TypeSetConfig, func(b []byte) ([]byte, error) {
		b = binary.BigEndian.AppendUint16(b, uint16(m.Fragments))
		return binary.BigEndian.AppendUint16(b, m.MissSendLen), nil
	})
}
