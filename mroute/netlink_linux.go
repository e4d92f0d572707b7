package mroute

import (
	"context"
	"encoding/binary"
	"errors"
	"os"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/mdlayher/netlink"
)

// tableReader asks the kernel for what is in a multicast routing table.
type tableReader struct {
	conn  *netlinkConn
	table uint32
	size  atomic.Int64 // routes of the last dump: the next has about as many
}

// netlinkConn is a connection that says os.ErrClosed of whatever fails after its end. What the library says of it depends
// on the moment.
type netlinkConn struct {
	*netlink.Conn
	asking sync.Mutex // held from a request to the end of its answer
	ended  atomic.Bool
}

func dialNetlink(cfg *netlink.Config) (*netlinkConn, error) {
	c, err := netlink.Dial(syscall.NETLINK_ROUTE, cfg)
	return &netlinkConn{Conn: c}, err
}

func (c *netlinkConn) Close() error {
	c.ended.Store(true)
	return c.Conn.Close()
}

// ask sends a request and returns all that answers it.
func (c *netlinkConn) ask(kind netlink.HeaderType, flags netlink.HeaderFlags, body []byte) ([]netlink.Message, error) {
	var messages []netlink.Message
	err := c.each(kind, flags, body, func(m netlink.Message) error {
		messages = append(messages, m)
		return nil
	})
	return messages, err
}

// each sends a request and calls do with all that answers it, until it fails.
func (c *netlinkConn) each(
	kind netlink.HeaderType, flags netlink.HeaderFlags, body []byte, do func(netlink.Message) error,
) error {
	c.asking.Lock()
	defer c.asking.Unlock()
	asked, err := c.Send(netlink.Message{Header: netlink.Header{Type: kind, Flags: netlink.Request | flags}, Data: body})
	if err != nil {
		return c.closed(err)
	}
	for m, err := range c.ReceiveIter() {
		if err == nil {
			err = netlink.Validate(asked, []netlink.Message{m})
		}
		if err != nil {
			return c.closed(err)
		}
		if err := do(m); err != nil {
			return err
		}
	}
	return nil
}

func (c *netlinkConn) closed(err error) error {
	if err != nil && c.ended.Load() {
		return os.ErrClosed
	}
	return err
}

const (
	// dumpBuffer is the most that the kernel puts into one message of a dump, when it sees that there is room.
	dumpBuffer = 32 << 10
	// changeBuffer is room for some thousand changes that were not read yet.
	changeBuffer = 4 << 20

	rtnlgrpIPv4Mroute = 6
)

func openTableReader(table uint32) (*tableReader, error) {
	conn, err := dialNetlink(&netlink.Config{MessageBufferSize: dumpBuffer})
	if err != nil {
		return nil, err
	}
	// With it the kernel leaves out other tables by itself, since 4.20.
	_ = conn.SetOption(netlink.GetStrictCheck, true)
	return &tableReader{conn: conn, table: table}, nil
}

func (r *tableReader) dumpRoutes() ([]KernelRoute, error) {
	body := make([]byte, rtmsgLen, rtmsgLen+8)
	body[0] = familyIPMR
	body = appendUint32(body, rtaTable, r.table)
	routes := make([]KernelRoute, 0, r.size.Load())
	err := r.conn.each(syscall.RTM_GETROUTE, netlink.Dump, body, func(m netlink.Message) error {
		routes = append(routes, KernelRoute{})
		k := &routes[len(routes)-1]
		if err := k.parse(m.Data); err != nil {
			return err
		}
		if k.Table != r.table {
			routes = routes[:len(routes)-1]
		}
		return nil
	})
	if errors.Is(err, syscall.ENOENT) {
		return nil, nil // the table is made with its first owner
	}
	if err != nil {
		return nil, err
	}
	r.size.Store(int64(len(routes)))
	return routes, nil
}

func appendUint32(b []byte, attribute uint16, value uint32) []byte {
	b = binary.NativeEndian.AppendUint16(b, 8)
	b = binary.NativeEndian.AppendUint16(b, attribute)
	return binary.NativeEndian.AppendUint32(b, value)
}

func (r *tableReader) route(k mfcKey) (KernelRoute, error) {
	key := k.bytes()
	body := make([]byte, rtmsgLen, rtmsgLen+3*8)
	body[0], body[1], body[2] = familyIPMR, 32, 32 // the lengths of destination and source
	body = appendUint32(body, rtaSrc, binary.NativeEndian.Uint32(key[:]))
	body = appendUint32(body, rtaDst, binary.NativeEndian.Uint32(key[4:]))
	body = appendUint32(body, rtaTable, r.table)
	messages, err := r.conn.ask(syscall.RTM_GETROUTE, 0, body)
	if err != nil || len(messages) == 0 {
		return KernelRoute{}, errors.Join(err, ErrNoRoute)
	}
	return parseRoute(messages[0].Data)
}

func (r *tableReader) dumpVIFs() ([]KernelVIF, error) {
	body := make([]byte, ifinfomsgLen)
	body[0] = familyIPMR
	messages, err := r.conn.ask(syscall.RTM_GETLINK, netlink.Dump, body)
	if err != nil {
		return nil, err
	}
	var vifs []KernelVIF
	for _, m := range messages {
		if len(m.Data) > 0 && m.Data[0] != familyIPMR {
			return nil, errors.ErrUnsupported // an older kernel lists the interfaces instead
		}
		of, err := parseVIFs(m.Data, r.table)
		if err != nil {
			return nil, err
		}
		vifs = append(vifs, of...)
	}
	return vifs, nil
}

// changeReader follows what happens in a table.
type changeReader struct {
	conn  *netlinkConn
	table uint32
	ready []Change
}

func openChangeReader(table uint32) (*changeReader, error) {
	conn, err := dialNetlink(&netlink.Config{Groups: 1 << (rtnlgrpIPv4Mroute - 1)})
	if err != nil {
		return nil, err
	}
	_ = conn.SetReadBuffer(changeBuffer) // as much as the system allows
	return &changeReader{conn: conn, table: table}, nil
}

func (r *changeReader) next(ctx context.Context) (Change, error) {
	for len(r.ready) == 0 {
		var messages []netlink.Message
		if err := untilDone(ctx, r.conn, func() (err error) {
			messages, err = r.conn.Receive()
			return err
		}); err != nil {
			return Change{}, r.conn.closed(err)
		}
		r.take(messages)
	}
	c := r.ready[0]
	r.ready = r.ready[1:]
	return c, nil
}

func (r *changeReader) take(messages []netlink.Message) {
	for _, m := range messages {
		if m.Header.Type != syscall.RTM_NEWROUTE && m.Header.Type != syscall.RTM_DELROUTE {
			continue
		}
		if k, err := parseRoute(m.Data); err == nil && k.Table == r.table {
			r.ready = append(r.ready, Change{Deleted: m.Header.Type == syscall.RTM_DELROUTE, KernelRoute: k})
		}
	}
}

func (r *changeReader) close() error { return r.conn.Close() }
