package igmpconn

import (
	"errors"
	"os"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/mdlayher/packet"
	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

const errNoDevice = unix.ENODEV

// conn is a packet socket to read from, and a raw IP socket to send with.
type conn struct {
	name  string
	index int
	in    *packet.Conn
	raw   syscall.RawConn // in's descriptor
	out   *sender
	end   func() error

	closed atomic.Bool

	reading chan struct{} // full while somebody reads
	buf     []byte
	oob     []byte
	down    bool // the reader was told ErrDown, and the interface was not seen up since

	counting sync.Mutex
	sum      Stats
}

func (c *conn) open(name string, cfg Config) error {
	c.name = name
	ifi, err := interfaceByName(name)
	if err != nil {
		return err
	}
	c.index = ifi.Index
	shut, err := bpf.Assemble(nothing)
	if err != nil {
		return err
	}
	// Nothing passes before tags can be put back: without, a frame of a VLAN would seem untagged.
	if c.in, err = packet.Listen(ifi, packet.Raw, unix.ETH_P_ALL, &packet.Config{Filter: shut}); err != nil {
		return err
	}
	if err := c.setUp(cfg); err != nil {
		return errors.Join(err, c.in.Close())
	}
	if c.out, err = newSender(c.index, cfg.Loop); err != nil {
		return errors.Join(err, c.in.Close())
	}
	c.reading = make(chan struct{}, 1)
	c.buf, c.oob = make([]byte, maxFrame), make([]byte, unix.CmsgSpace(auxSize)+unix.CmsgSpace(stampSize))
	c.end = sync.OnceValue(c.shut)
	return nil
}

// maxFrame is room for the largest IPv4 packet in an Ethernet frame with three tags.
const maxFrame = 0xffff + ethHeader + 3*vlanTag

func (c *conn) setUp(cfg Config) (err error) {
	if c.raw, err = c.in.SyscallConn(); err != nil {
		return err
	}
	var fault error
	if err := c.raw.Control(func(fd uintptr) { fault = prepare(int(fd), c.index, cfg) }); err != nil {
		return err
	}
	if fault != nil {
		return fault
	}
	program, err := bpf.Assemble(filter(cfg))
	if err != nil {
		return err
	}
	return c.in.SetBPF(program)
}

// prepare sets the options that package packet does not know.
func prepare(fd, index int, cfg Config) error {
	sa, err := unix.Getsockname(fd)
	if err != nil {
		return os.NewSyscallError("getsockname", err)
	}
	if ll, ok := sa.(*unix.SockaddrLinklayer); !ok || ll.Hatype != unix.ARPHRD_ETHER && ll.Hatype != unix.ARPHRD_LOOPBACK {
		return ErrLinkType
	}
	_ = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_TIMESTAMPNS_NEW, 1) // before Linux 5.1 the time of reading does
	all := unix.PacketMreq{Ifindex: int32(index), Type: unix.PACKET_MR_ALLMULTI}
	return errors.Join(
		os.NewSyscallError("PACKET_ADD_MEMBERSHIP", unix.SetsockoptPacketMreq(fd, unix.SOL_PACKET, unix.PACKET_ADD_MEMBERSHIP, &all)),
		os.NewSyscallError("PACKET_AUXDATA", unix.SetsockoptInt(fd, unix.SOL_PACKET, unix.PACKET_AUXDATA, 1)),
		enlarge(fd, cfg.ReadBuffer))
}

// enlarge makes room beyond the system's limit if we may, and up to it if not.
func enlarge(fd, bytes int) error {
	if unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, bytes) == nil {
		return nil
	}
	return os.NewSyscallError("SO_RCVBUF", unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUF, bytes))
}

// stats adds up what the kernel counts from one call to the next.
func (c *conn) stats() (Stats, error) {
	c.counting.Lock()
	defer c.counting.Unlock()
	s, err := c.in.Stats()
	if err != nil {
		return c.sum, c.explain(err)
	}
	c.sum.Received += uint64(s.Packets - s.Drops) // the kernel's number of packets has those that were dropped
	c.sum.Dropped += uint64(s.Drops)
	return c.sum, nil
}

func (c *conn) close() error { return c.end() }

func (c *conn) shut() error {
	c.closed.Store(true)
	err := errors.Join(c.in.Close(), c.out.close())
	c.reading <- struct{}{} // whoever reads has come back
	defer func() { <-c.reading }()
	c.buf = nil
	return err
}
