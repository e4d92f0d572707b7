package ofconn

import (
	"fmt"

	"github.com/ofmcast/ofmcast/internal/openflow"
	"github.com/ofmcast/ofmcast/ofgroup"
)

// PortStatus is the switch's news of a port (OpenFlow 1.5.1, 7.4.3).
type PortStatus struct {
	Reason PortReason
	Port   PortDesc
}

// PortReason is what happened to a port.
type PortReason uint8

const (
	PortAdded    PortReason = 0 // there is a new port
	PortDeleted  PortReason = 1 // it is gone
	PortModified PortReason = 2 // something of it is another now
)

// String is ovs-ofctl's word for the reason.
func (r PortReason) String() string {
	switch r {
	case PortAdded:
		return "ADD"
	case PortDeleted:
		return "DEL"
	case PortModified:
		return "MOD"
	default:
		return fmt.Sprintf("PortReason(0x%x)", uint8(r))
	}
}

// The reason, seven bytes of padding, and the port.
const (
	offPortReason  = openflow.HeaderLen
	offPortChanged = 16
)

// ParsePortStatus decodes a whole OFPT_PORT_STATUS, of either version. The error
// matches ofgroup.ErrMalformed.
func ParsePortStatus(msg []byte) (PortStatus, error) {
	h, err := checkMessage(msg, openflow.TypePortStatus, offPortChanged)
	if err != nil {
		return PortStatus{}, err
	}
	p, _, err := nextPort(ofgroup.Version(h.Version), msg[offPortChanged:])
	if err != nil {
		return PortStatus{}, err
	}
	return PortStatus{Reason: PortReason(msg[offPortReason]), Port: p}, nil
}
