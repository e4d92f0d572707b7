package igmpconn

import (
	"errors"
	"net"
	"net/netip"
	"os"

	"github.com/mdlayher/packet"
	"golang.org/x/net/ipv4"
	"golang.org/x/sys/unix"

	"github.com/ofmcast/ofmcast/igmp"
)

// sender is a raw IP socket that only sends.
type sender struct {
	raw   *ipv4.RawConn
	index int
}

// sendOnly is IPPROTO_RAW: a raw socket that receives nothing, and sends what comes with its own IPv4 header (raw(7)).
const sendOnly = "ip4:255"

func newSender(index int, loop bool) (*sender, error) {
	socket, err := net.ListenPacket(sendOnly, netip.IPv4Unspecified().String())
	if err != nil {
		return nil, err
	}
	raw, err := ipv4.NewRawConn(socket)
	if err != nil {
		return nil, errors.Join(err, socket.Close())
	}
	if err := raw.SetMulticastLoopback(loop); err != nil {
		return nil, errors.Join(os.NewSyscallError("IP_MULTICAST_LOOP", err), raw.Close())
	}
	return &sender{raw: raw, index: index}, nil
}

func (s *sender) close() error { return s.raw.Close() }

// routerAlert is the option of RFC 2113.
var routerAlert = [...]byte{148, 4, 0, 0}

// send sends the packet of a frame out of the interface, whatever the routes.
func (s *sender) send(v *igmp.View) error {
	h := &ipv4.Header{
		Version: ipv4.Version, Len: ipv4.HeaderLen, TOS: int(v.TOS), ID: int(v.ID), Flags: ipv4.DontFragment,
		TTL: int(v.TTL), Protocol: protocolIGMP, Src: v.Src.AsSlice(), Dst: v.Dst.AsSlice(),
	}
	if v.RouterAlert {
		h.Options = routerAlert[:]
		h.Len += len(h.Options)
	}
	h.TotalLen = h.Len + len(v.Payload())
	return s.raw.WriteTo(h, v.Payload(), &ipv4.ControlMessage{IfIndex: s.index})
}

func (c *conn) send(frame []byte) error {
	var d igmp.Decoder
	v, err := d.Frame(frame)
	if err != nil {
		return err
	}
	if len(v.VLANs()) > 0 || v.Src.IsUnspecified() {
		_, err = c.in.WriteTo(frame, &packet.Addr{HardwareAddr: v.EthDst[:]})
	} else {
		err = c.out.send(v)
	}
	if errors.Is(err, unix.ENETUNREACH) { // what the kernel says of a route out of an interface that is down
		err = unix.ENETDOWN
	}
	if errors.Is(err, unix.ENETDOWN) && c.gone() {
		err = unix.ENODEV
	}
	return c.explain(err)
}
