package igmpconn

import (
	"context"
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// lookDown is how often a reader looks whether an interface that is down has been deleted, of which the kernel says
// nothing.
const lookDown = 200 * time.Millisecond

func (c *conn) read(ctx context.Context) (Frame, error) {
	select {
	case c.reading <- struct{}{}:
		defer func() { <-c.reading }()
	case <-ctx.Done(): // however long the other reader's context is
		return Frame{}, ctx.Err()
	}
	for {
		if err := ctx.Err(); err != nil {
			return Frame{}, err
		}
		f, err := c.attempt(ctx)
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, unix.EINTR):
			if c.down && c.gone() {
				return Frame{}, c.explain(unix.ENODEV)
			}
			c.down = c.down && !c.up()
		case errors.Is(err, unix.ENETDOWN):
			c.down = true
			if c.gone() {
				err = unix.ENODEV
			}
			return Frame{}, c.explain(err)
		case err != nil:
			return Frame{}, c.explain(err)
		default:
			return f, nil
		}
	}
}

// attempt waits for a frame until ctx ends, or while the interface is down for a little.
func (c *conn) attempt(ctx context.Context) (Frame, error) {
	var until time.Time
	if c.down {
		until = time.Now().Add(lookDown)
	}
	if err := c.in.SetReadDeadline(until); err != nil {
		return Frame{}, err
	}
	interrupted := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(interrupted)
		_ = c.in.SetReadDeadline(time.Unix(1, 0)) // a Conn that is closed needs no deadline
	})
	f, err := c.receive()
	if !stop() {
		<-interrupted // before the next attempt sets a deadline of its own
	}
	return f, err
}

// receive reads one frame and what the kernel says about it.
func (c *conn) receive() (Frame, error) {
	var (
		n, oobn int
		from    unix.Sockaddr
		fault   error
	)
	err := c.raw.Read(func(fd uintptr) bool {
		// With MSG_TRUNC n is the frame's length, however much of it there was room for.
		n, oobn, _, from, fault = unix.Recvmsg(int(fd), c.buf, c.oob, unix.MSG_TRUNC)
		return fault != unix.EAGAIN
	})
	if err = errors.Join(err, os.NewSyscallError("recvmsg", fault)); err != nil {
		return Frame{}, err
	}
	about := readControl(c.oob[:oobn])
	f := Frame{At: about.at(time.Now())}
	if ll, ok := from.(*unix.SockaddrLinklayer); ok {
		f.Outgoing = ll.Pkttype == packetOutgoing
	}
	f.Data = about.tag.restore(c.buf[:min(n, len(c.buf))])
	f.Len = n + len(f.Data) - min(n, len(c.buf))
	return f, nil
}

// readControl reads the messages that come with a frame.
func readControl(oob []byte) (a control) {
	messages, err := unix.ParseSocketControlMessage(oob)
	if err != nil {
		return control{}
	}
	for _, m := range messages {
		switch {
		case m.Header.Level == unix.SOL_PACKET && m.Header.Type == unix.PACKET_AUXDATA:
			a.tag = readAux(m.Data)
		case m.Header.Level == unix.SOL_SOCKET && m.Header.Type == unix.SO_TIMESTAMPNS_NEW:
			a.stamp = readStamp(m.Data)
		}
	}
	return a
}
