package ofgrouptest

import (
	"cmp"
	"slices"

	"github.com/ofmcast/ofmcast/internal/openflow"
	"github.com/ofmcast/ofmcast/ofgroup"
)

// SwitchPort is a port of the switch (section 7.2.1).
type SwitchPort struct {
	Number ofgroup.Port
	Name   string // at most 15 bytes are described
	MAC    [6]byte
	Config uint32 // OFPPC_* bits
	State  uint32 // OFPPS_* bits; 4 is live
}

const (
	portLive = 1 << 2 // OFPPS_LIVE

	portHeader      = 40
	portNameLen     = 16
	portPropLen     = 32 // OFPPDPT_ETHERNET: what the port can do; zeros here
	portDescription = portHeader + portPropLen
)

// defaultPorts are the bridge's own port and p1 to p4.
func defaultPorts() []SwitchPort {
	ports := []SwitchPort{{Number: ofgroup.PortLocal, Name: "br0", MAC: [6]byte{2, 0, 0, 0, 1, 0}, State: portLive}}
	for n := range byte(4) {
		ports = append(ports, SwitchPort{
			Number: ofgroup.Port(n + 1), Name: "p" + string('1'+rune(n)),
			MAC: [6]byte{2, 0, 0, 0, 0, n + 1}, State: portLive,
		})
	}
	return ports
}

// describePorts are the entries of one port, or of all for "any". An absent port is no
// error, one that cannot be is.
func (s *Switch) describePorts(which uint32) ([][]byte, verdict) {
	if which != anyWatch && !mappablePort(which) {
		return nil, badOutPort
	}
	var entries [][]byte
	for _, p := range s.ports {
		if which == anyWatch || uint32(p.Number) == which {
			entries = append(entries, p.describe(nil))
		}
	}
	return entries, accepted
}

func (p SwitchPort) describe(b []byte) []byte {
	start := len(b)
	b = append(b, make([]byte, portDescription)...)
	e := b[start:]
	be.PutUint32(e, uint32(p.Number))
	be.PutUint16(e[4:], portDescription)
	copy(e[8:], p.MAC[:])
	copy(e[16:16+portNameLen-1], p.Name)
	be.PutUint32(e[32:], p.Config)
	be.PutUint32(e[36:], p.State)
	be.PutUint16(e[portHeader+2:], portPropLen)
	return b
}

// Reasons of a PORT_STATUS (section 7.4.3).
const (
	portAdded    = 0
	portDeleted  = 1
	portModified = 2
)

// SetPort adds a port, or changes the one of its number, and tells the connections that
// asked for port status.
func (s *Switch) SetPort(p SwitchPort) {
	s.mu.Lock()
	reason := uint8(portModified)
	i, there := s.findPort(p.Number)
	if there {
		s.ports[i] = p
	} else {
		reason = portAdded
		s.ports = slices.Insert(s.ports, i, p)
	}
	tell := s.wanting(asyncPortStatus, reason)
	s.mu.Unlock()
	sendPortStatus(tell, reason, p)
}

// RemovePort removes a port, if it is there, and tells the connections that asked for
// port status.
func (s *Switch) RemovePort(number ofgroup.Port) {
	s.mu.Lock()
	i, there := s.findPort(number)
	if !there {
		s.mu.Unlock()
		return
	}
	p := s.ports[i]
	s.ports = slices.Delete(s.ports, i, i+1)
	tell := s.wanting(asyncPortStatus, portDeleted)
	s.mu.Unlock()
	sendPortStatus(tell, portDeleted, p)
}

func (s *Switch) findPort(number ofgroup.Port) (int, bool) {
	return slices.BinarySearchFunc(s.ports, number, func(p SwitchPort, n ofgroup.Port) int {
		return cmp.Compare(p.Number, n)
	})
}

// wanting are the connections that asked for a message of this kind and reason, oldest
// first.
func (s *Switch) wanting(kind int, reason uint8) []*switchConn {
	return slices.DeleteFunc(s.inOrder(), func(c *switchConn) bool { return !c.wants(kind, reason) })
}

func sendPortStatus(to []*switchConn, reason uint8, p SwitchPort) {
	m := message(openflow.Version15, openflow.TypePortStatus, 0, p.describe([]byte{reason, 7: 0}))
	for _, c := range to {
		c.enqueue(outgoing{bytes: m})
	}
}
