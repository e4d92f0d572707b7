package ovslab

import (
	"net/netip"
	"os"
	"time"
)

// packetInfo is what the kernel says about a packet that a socket received.
type packetInfo struct {
	at   time.Time
	from netip.Addr // the sender, of a datagram
	sent bool       // a captured frame left through the interface
	tag  Tag        // the kernel has taken it off a captured frame
}

// Tag is the outermost VLAN tag of a frame, or none. Two can be compared with ==.
type Tag struct {
	Tagged bool
	VLAN   uint16 // 0 in a priority tag, and without one
}

// openSocket opens a socket in the namespace.
func (n *Namespace) openSocket(open func() (*os.File, error)) (socket *os.File, err error) {
	err = n.Do(func() (err error) {
		socket, err = open()
		return err
	})
	return socket, err
}
