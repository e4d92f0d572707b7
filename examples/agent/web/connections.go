package web

import (
	"net"
	"sync"
)

// maxConnections may be open at a time.
const maxConnections = 512

// boundedListener closes connections that are too many.
type boundedListener struct {
	net.Listener
	places chan struct{}
}

func bound(l net.Listener, most int) net.Listener {
	return boundedListener{l, make(chan struct{}, most)}
}

// Accept implements net.Listener.
func (l boundedListener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		select {
		case l.places <- struct{}{}:
			return &boundedConn{Conn: c, leave: sync.OnceFunc(func() { <-l.places })}, nil
		default:
			_ = c.Close()
		}
	}
}

type boundedConn struct {
	net.Conn
	leave func()
}

// Close implements net.Conn. The place is free for another then.
func (c *boundedConn) Close() error {
	err := c.Conn.Close()
	c.leave()
	return err
}
