package ofgrouptest

import (
	"bufio"
	"io"
	"net"
	"sync"
	"time"

	"github.com/ofmcast/ofmcast/internal/openflow"
)

// outgoingQueue bounds the replies that wait for a controller that does not read.
// When it is full the switch stops reading too.
const outgoingQueue = 256

// outgoing is one message to the controller and what it must wait for. Replies keep
// their order, so one that waits holds up all behind it, as in a real switch. Without
// bytes it is only a wait; the last one ends the connection.
type outgoing struct {
	bytes []byte
	due   time.Time
	until <-chan struct{}
	last  bool
}

// switchConn is one connection: a goroutine that reads and obeys, and one that
// writes, so that neither side can be blocked by the other's full pipe.
type switchConn struct {
	sw  *Switch
	nc  net.Conn
	out chan outgoing

	cutOnce sync.Once
	gone    chan struct{} // closed by cut

	number     int // from 1, in the order they were made
	greeted    bool
	bundles    map[uint32]*bundle
	killed     bool // by Restart: what it sent is not obeyed any more
	connConfig      // guarded by the switch's lock, as the three above are
}

func newSwitchConn(s *Switch, nc net.Conn, number int) *switchConn {
	return &switchConn{
		sw: s, nc: nc, out: make(chan outgoing, outgoingQueue), gone: make(chan struct{}),
		number: number, connConfig: newConnConfig(), bundles: make(map[uint32]*bundle),
	}
}

// cut ends the connection at once.
func (c *switchConn) cut() {
	c.cutOnce.Do(func() {
		close(c.gone)
		_ = c.nc.Close()
	})
}

// enqueue hands a message to the writer, or drops it when the connection is gone.
func (c *switchConn) enqueue(o outgoing) {
	select {
	case c.out <- o:
	case <-c.gone:
	}
}

// offer hands over a message that nobody asked for, unless so many wait already that the
// controller does not read: a switch must not wait for one controller on behalf of another.
func (c *switchConn) offer(m []byte) {
	select {
	case c.out <- outgoing{bytes: m}:
	default:
	}
}

// read obeys messages until the connection ends. What was answered before a message
// that cannot be followed is still written.
func (c *switchConn) read() {
	defer c.sw.running.Done()
	defer c.sw.forgetUnread(c)
	c.enqueue(outgoing{bytes: switchHello()})
	r := bufio.NewReaderSize(c.nc, 1<<16)
	for {
		m, err := readMessage(r)
		if err != nil {
			c.cut()
			return
		}
		if !c.obey(m) {
			c.enqueue(outgoing{last: true})
			return
		}
	}
}

// readMessage reads one whole message into memory of its own.
func readMessage(r io.Reader) ([]byte, error) {
	var fixed [openflow.HeaderLen]byte
	if _, err := io.ReadFull(r, fixed[:]); err != nil {
		return nil, err
	}
	h, err := openflow.ParseHeader(fixed[:])
	if err != nil {
		return nil, err
	}
	m := make([]byte, h.Length)
	copy(m, fixed[:])
	_, err = io.ReadFull(r, m[openflow.HeaderLen:])
	return m, err
}

// write sends what is queued, in order, until the connection ends.
func (c *switchConn) write() {
	defer c.sw.running.Done()
	defer c.sw.forget(c)
	defer c.cut()
	for {
		select {
		case <-c.gone:
			return
		case o := <-c.out:
			if o.last || !c.wait(o) {
				return
			}
			if len(o.bytes) == 0 {
				continue // over a pipe it would be read as nothing, and readers give up on that
			}
			if _, err := c.nc.Write(o.bytes); err != nil {
				return
			}
		}
	}
}

// wait holds a message back for as long as it must wait; false when the connection
// ended meanwhile.
func (c *switchConn) wait(o outgoing) bool {
	if o.until != nil {
		select {
		case <-o.until:
		case <-c.gone:
			return false
		}
	}
	left := time.Until(o.due)
	if o.due.IsZero() || left <= 0 {
		return true
	}
	t := time.NewTimer(left)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-c.gone:
		return false
	}
}
