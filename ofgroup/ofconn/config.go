package ofconn

import (
	"context"
	"log/slog"
	"net"
	"time"

	"github.com/ofmcast/ofmcast/ofgroup"
)

// Config says how to reach a switch. Only Dial is needed.
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

	// Logger hears of the session's end and of errors nobody waited for; nil
	// is silent.
	Logger *slog.Logger
}

const (
	defaultTimeout      = 10 * time.Second
	defaultEchoInterval = 5 * time.Second
	echoesBeforeDead    = 3
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
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return c
}
