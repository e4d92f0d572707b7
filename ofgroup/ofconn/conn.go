package ofconn

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/ofmcast/ofmcast/ofgroup"
)

// Conn is a connection to one switch that is made again whenever it ends. It
// implements ofgroup.Sender. See the package comment.
type Conn struct {
	cfg   Config
	inbox *inbox

	generation uint64 // the last one asked for; run's own

	mu      sync.Mutex
	running bool
	session *Session      // nil while there is no connection
	cause   error         // why there is none
	up      chan struct{} // closed while there is one
	version ofgroup.Version
	stats   ConnStats
}

// ConnStats counts what became of a Conn's connections.
type ConnStats struct {
	Attempts  uint64 // connections that were tried
	Connected uint64 // those that came as far as to be reported as connected
}

var errNotYet = errors.New("no connection has been made yet")

// New returns a Conn that is not connected: Run connects it.
func New(cfg Config) *Conn {
	cfg = cfg.withDefaults()
	if cfg.NoFence {
		cfg.window = unfencedWindow
	} else {
		cfg.lasting.settings.keepRole(RoleMaster)
	}
	return &Conn{
		cfg:        cfg,
		inbox:      newInbox(cfg.Events, cfg.lasting.log),
		generation: NoGeneration,
		cause:      disconnected(errNotYet),
		up:         make(chan struct{}),
		version:    slices.Max(cfg.Versions),
	}
}

// Version is the OpenFlow version of the connection, or of the last one, or
// before the first one the highest of Config.Versions. A message of another
// version than the connection's is refused, with an error that matches
// ofgroup.ErrVersion and ofgroup.ErrNotSent.
func (c *Conn) Version() ofgroup.Version {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.version
}

// Session is the live connection, or an error that matches
// ofgroup.ErrDisconnected and ofgroup.ErrNotSent and tells why there is none. A
// session does not outlive its connection: ask again for every use.
func (c *Conn) Session() (*Session, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.session == nil {
		return nil, ofgroup.NotSent(c.cause)
	}
	return c.session, nil
}

// WaitConnected returns nil as soon as there is a connection, whose OnConnect
// has returned; or when ctx ends, with its error and why there is none.
func (c *Conn) WaitConnected(ctx context.Context) error {
	c.mu.Lock()
	up := c.up
	c.mu.Unlock()
	select {
	case <-up:
		return nil
	case <-ctx.Done():
		c.mu.Lock()
		defer c.mu.Unlock()
		return fmt.Errorf("%w: %w", ctx.Err(), c.cause)
	}
}

// Reconnect ends the connection, if there is one, as any other loss would: Run makes
// another, which takes its role anew and runs OnConnect. It waits for nothing, so
// handlers may call it.
func (c *Conn) Reconnect() {
	if s, err := c.Session(); err == nil {
		s.fail(ErrReconnect)
	}
}

// Stats returns the counts since New.
func (c *Conn) Stats() ConnStats {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.stats
}

// EventStats counts what became of the events of all connections since New.
func (c *Conn) EventStats() EventStats { return c.inbox.snapshot() }

// connected makes s what everybody sends on, and lets its events through.
func (c *Conn) connected(s *Session) {
	c.mu.Lock()
	c.session, c.cause = s, nil
	c.version = s.Version()
	c.stats.Connected++
	close(c.up)
	c.mu.Unlock()
	c.inbox.admit()
}

// disconnected takes the session from everybody, if there is one.
func (c *Conn) disconnected(cause error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.session != nil {
		c.session = nil
		c.up = make(chan struct{})
	}
	c.cause = cause
}
