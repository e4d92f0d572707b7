package ofconn

import (
	"encoding/binary"

	"github.com/ofmcast/ofmcast/internal/openflow"
	"github.com/ofmcast/ofmcast/ofgroup"
)

// SwitchConfig sets how the switch speaks to this connection (OpenFlow 1.5.1,
// 7.3.2). The message also says how IP fragments are matched, for the whole
// bridge and all its connections: in the usual way, as a bridge does anyway
// unless somebody has set it otherwise.
type SwitchConfig struct {
	// MissSendLen is how much of a packet without a flow is sent. Open vSwitch
	// always sends all, but a connection to a bridge's management socket gets no
	// packet-in, port status or flow-removed until it has set this to something
	// else than 0. Use WholePacket.
	MissSendLen uint16
}

// WholePacket is the MissSendLen that cuts nothing off.
const WholePacket = 0xffff

// AppendMessage appends the message; see Message.
func (m SwitchConfig) AppendMessage(b []byte, v ofgroup.Version) ([]byte, error) {
	return appendMessage(b, v, openflow.TypeSetConfig, func(b []byte) ([]byte, error) {
		return binary.BigEndian.AppendUint16(appendZeros(b, 2), m.MissSendLen), nil
	})
}
