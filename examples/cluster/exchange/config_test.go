package exchange

import (
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"
)

func TestWhatCannotWorkIsSaidAtOnce(t *testing.T) {
	for name, spoil := range map[string]func(*Config[member]){
		"no connection":  func(c *Config[member]) { c.Conn = nil },
		"no cache":       func(c *Config[member]) { c.Cache = nil },
		"no members":     func(c *Config[member]) { c.Member = nil },
		"no locals":      func(c *Config[member]) { c.Local = nil },
		"no name":        func(c *Config[member]) { c.Node = "" },
		"an odd name":    func(c *Config[member]) { c.Node = "a b" },
		"a past lease":   func(c *Config[member]) { c.Lease = -1 },
		"a past keeping": func(c *Config[member]) { c.Keep = -1 },
	} {
		cfg := config(&nats.Conn{}, "a")
		spoil(&cfg)
		_, err := New(cfg)
		require.ErrorIs(t, err, ErrConfig, name)
	}
}
