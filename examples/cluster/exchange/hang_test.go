package exchange

import (
	"net"
	"sync"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/examples/cluster/internal/engine"
)

// hangingConn is a connection through which, on demand, nothing comes.
func hangingConn(t *testing.T, e *engineProcess, name string) (*nats.Conn, func(bool)) {
	h := &hanging{}
	h.changed = sync.NewCond(&h.mu)
	conn, err := engine.Connect(e.url, name, nats.SetCustomDialer(h))
	require.NoError(t, err)
	t.Cleanup(func() { h.set(false) })
	return conn, h.set
}

type hanging struct {
	mu      sync.Mutex
	hangs   bool
	changed *sync.Cond
}

func (h *hanging) set(on bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.hangs = on
	h.changed.Broadcast()
}

func (h *hanging) wait() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for h.hangs {
		h.changed.Wait()
	}
}

func (h *hanging) Dial(network, address string) (net.Conn, error) {
	c, err := net.Dial(network, address)
	return hungConn{c, h}, err
}

type hungConn struct {
	net.Conn
	h *hanging
}

// Read hands on what came only when nothing hangs; nothing gets lost.
func (c hungConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.h.wait()
	return n, err
}
