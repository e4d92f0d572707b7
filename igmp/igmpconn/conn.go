package igmpconn

import (
	"context"
	"time"
)

// Config says what is read and how. The zero value reads the IGMP frames of others.
type Config struct {
	// Outgoing reads the frames that this host sends on the interface too, and marks them; but never those of Send
	// that have tags or no source.
	Outgoing bool
	// Loop lets this host's own IGMP hear what Send sends. A querier wants it, with Outgoing, where programs on its
	// own host are members of groups: else nobody asks them, and a snooping switch forgets them.
	Loop bool
	// All reads every frame, of any protocol, for those who look for what is broken.
	All bool
	// ReadBuffer is how many bytes of frames may wait in the kernel, each counting for some hundred bytes more than it
	// has; 0 means 1 MiB. Without CAP_NET_ADMIN it is bounded by net.core.rmem_max. What finds no room is lost, and
	// counted in Stats.
	ReadBuffer int
}

const defaultReadBuffer = 1 << 20

// Frame is one frame that passed on the interface.
type Frame struct {
	// Data is the Ethernet frame, with its VLAN tags and without FCS. It is the receiver's.
	Data []byte
	// Len is the frame's length; more than len(Data) if it was too large to be read whole, which no IGMP frame is.
	Len int
	// At is when the kernel received it, with a monotonic reading.
	At time.Time
	// Outgoing says that this host sent it.
	Outgoing bool
}

// Stats is what the kernel counted since Listen.
type Stats struct {
	// Received frames passed the filter and were kept for Read.
	Received uint64
	// Dropped ones found the buffer full.
	Dropped uint64
}

// Conn reads and sends on one interface. Its methods may be called from any number of goroutines; each frame is read by
// one of them.
type Conn struct{ conn }

// Listen opens an interface, up or down. The error is an *Error around ErrNoInterface, ErrLinkType,
// errors.ErrUnsupported or the kernel's error number, which is os.ErrPermission without CAP_NET_RAW.
func Listen(name string, cfg Config) (*Conn, error) {
	if cfg.ReadBuffer <= 0 {
		cfg.ReadBuffer = defaultReadBuffer
	}
	c := &Conn{}
	if err := c.open(name, cfg); err != nil {
		return nil, &Error{Op: "listen", Interface: name, Err: err}
	}
	return c, nil
}

// Read waits for the next frame. The error is the context's, or an *Error around
//   - ErrDown: the interface went down, or was so from the beginning. It is said once each time; read on, frames come
//     again when it is up.
//   - ErrGone: the interface was deleted. Nothing will come any more.
//   - net.ErrClosed: the Conn is closed.
//   - the kernel's error number.
func (c *Conn) Read(ctx context.Context) (Frame, error) {
	f, err := c.read(ctx)
	if err != nil && err != ctx.Err() {
		err = c.fail("read", err)
	}
	return f, err
}

// Send sends an Ethernet frame with an IGMP message, as igmp.AppendFrame makes it and igmp/querier returns it. Of its
// Ethernet header only the tags count, unless the source address is 0.0.0.0. Nothing is kept of it. The error is an
// *Error around what igmp.Decoder says of the frame, ErrDown, ErrGone, net.ErrClosed or the kernel's error number.
func (c *Conn) Send(frame []byte) error { return c.fail("send", c.send(frame)) }

// Stats returns the counters.
func (c *Conn) Stats() (Stats, error) {
	s, err := c.stats()
	return s, c.fail("read statistics", err)
}

// Close ends Read and Send, wherever they wait, and returns when they have ended. Further calls return the same.
func (c *Conn) Close() error { return c.fail("close", c.close()) }

// fail says in which call on which interface an error happened.
func (c *Conn) fail(op string, err error) error {
	if err == nil {
		return nil
	}
	return &Error{Op: op, Interface: c.name, Err: err}
}
