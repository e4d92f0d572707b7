package ofconn

import (
	"context"
	"log/slog"
	"net"
	"time"

	"github.com/ofmcast/ofmcast/ofgroup"
)

// Config says how to reach a switch. Only Dial is needed. OnConnect, OnDisconnect,
// the backoffs and NoFence are a Conn's; Open does not look at them.
type Config struct {
	// Dial connects to the switch, for example to a bridge's management socket
	// or to a TCP port it listens on. The session owns the connection.
	Dial func(ctx context.Context) (net.Conn, error)

	// Versions are the OpenFlow versions to offer; the highest that the switch
	// has too is spoken. Default: OpenFlow 1.5 alone. Add 1.3 for a bridge
	// whose protocols leave 1.5 out, and mind that GroupDesc then reads every
	// group of the switch.
	Versions []ofgroup.Version

	// Timeout bounds every call whose context has no deadline, and Open.
	// Default 10 s.
	Timeout time.Duration

	// EchoInterval is how long the switch may be silent before we ask whether
	// it is there. Default 5 s, and never more than a third of DeadAfter: a
	// switch that has nothing to say must be asked before it is given up.
	EchoInterval time.Duration

	// DeadAfter is how long the switch may be silent, or leave a write
	// unfinished, before the session ends with ErrDeadPeer. Default three times
	// EchoInterval.
	DeadAfter time.Duration

	// Events are the handlers for what the switch tells of its own accord.
	// Without any the switch is not asked to tell.
	Events Events

	// Logger hears of sessions' beginnings and ends, of errors nobody waited
	// for and of handlers that panic; nil is silent. A switch that is away, or that
	// does any of these over and over, does not fill it: some lines of a kind are
	// logged at once, then one a minute with the number of those left out, which
	// have the level Debug.
	Logger *slog.Logger

	// OnConnect brings the switch up to date: it is called for every new
	// connection, before the Conn is connected and before any event of the
	// connection is delivered, with a session that can send; nobody else sends
	// on it meanwhile. ctx ends with the connection. After an error the
	// connection is closed and another attempt follows.
	OnConnect func(ctx context.Context, s *Session) error

	// OnDisconnect is called once after each call of OnConnect, or each
	// connection if there is no OnConnect, when nothing of the connection is
	// left. cause matches ofgroup.ErrDisconnected and the reason, which may be
	// what OnConnect returned.
	OnDisconnect func(cause error)

	// MinBackoff is how long to wait after a connection that ended or an attempt
	// that failed, at most; each further failure doubles it up to MaxBackoff. A
	// part of it, up to half, is left out at random, so that many agents do
	// not come at the same time. Defaults 100 ms and 1 s: a switch on the same
	// host is best found soon.
	MinBackoff, MaxBackoff time.Duration

	// NoFence leaves the roles of connections as they are, for a bridge that has
	// another master. Open vSwitch may then still carry out what an earlier
	// connection had sent, over newer messages. So that it is little, at most
	// eight messages of a Conn are then unconfirmed at a time.
	NoFence bool

	// MaxReply bounds, in bytes, what the answers in several parts that a connection
	// waits for may hold in memory, all together. The call whose answer is over it
	// fails with ErrReplyTooLarge. Default 64 MiB, which are 1,000 groups as large as
	// groups can be.
	MaxReply int

	window  int // bounds a session's unconfirmed messages; 0 does not
	lasting *lasting
}

// unfencedWindow is how many messages NoFence leaves unconfirmed.
const unfencedWindow = 8

const (
	defaultTimeout      = 10 * time.Second
	defaultEchoInterval = 5 * time.Second
	echoesBeforeDead    = 3
	defaultMinBackoff   = 100 * time.Millisecond
	defaultMaxBackoff   = time.Second
	defaultMaxReply     = 64 << 20
)

// withDefaults returns the configuration with every zero field filled in.
func (c Config) withDefaults() Config {
	if len(c.Versions) == 0 {
		c.Versions = []ofgroup.Version{ofgroup.OpenFlow15}
	}
	if c.Timeout <= 0 {
		c.Timeout = defaultTimeout
	}
	if c.EchoInterval <= 0 {
		c.EchoInterval = defaultEchoInterval
	}
	if c.DeadAfter <= 0 {
		c.DeadAfter = echoesBeforeDead * c.EchoInterval
	}
	c.EchoInterval = min(c.EchoInterval, c.DeadAfter/echoesBeforeDead)
	if c.MinBackoff <= 0 {
		c.MinBackoff = defaultMinBackoff
	}
	if c.MaxBackoff <= 0 {
		c.MaxBackoff = defaultMaxBackoff
	}
	c.MaxBackoff = max(c.MaxBackoff, c.MinBackoff)
	if c.MaxReply <= 0 {
		c.MaxReply = defaultMaxReply
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	c.lasting = c.newLasting()
	return c
}

// newLasting is the beginning of what all connections of this configuration share.
func (c *Config) newLasting() *lasting {
	l := &lasting{log: newDamper(c.Logger)}
	for _, m := range c.Events.settings() {
		l.settings.keep(m)
	}
	return l
}
