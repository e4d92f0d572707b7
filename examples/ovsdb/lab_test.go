package ovsdb_test

import (
	"context"
	"strings"
	"testing"

	"github.com/ofmcast/ofmcast/examples/ovsdb"
	"github.com/ofmcast/ofmcast/internal/ovslab"
	"github.com/stretchr/testify/require"
)

// lab is a private switch and a client of its database.
type lab struct {
	*ovslab.Lab
	*ovsdb.Client
	t *testing.T
}

func newLab(t *testing.T, ports ...string) lab {
	t.Parallel()
	l := ovslab.New(t, ovslab.Config{Ports: ports})
	return lab{Lab: l, Client: dial(t, "unix:"+l.Dir()+"/db.sock"), t: t}
}

func dial(t *testing.T, address string) *ovsdb.Client {
	c, err := ovsdb.Dial(t.Context(), address)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, c.Close()) })
	return c
}

// vsctl runs ovs-vsctl, the judge of what the database has.
func (l lab) vsctl(args ...string) string {
	l.t.Helper()
	out, err := l.Vsctl(context.WithoutCancel(l.t.Context()), args...)
	require.NoError(l.t, err)
	return strings.TrimSpace(out)
}

// bridge is br0 as the client sees it.
func (l lab) bridge() ovsdb.Bridge {
	l.t.Helper()
	br, err := l.Client.Bridge(l.t.Context(), "br0")
	require.NoError(l.t, err)
	return br
}

// port is one of its ports.
func (l lab) port(name string) ovsdb.Port {
	l.t.Helper()
	for _, p := range l.bridge().Ports {
		if p.Name == name {
			return p
		}
	}
	require.Fail(l.t, "no port "+name)
	return ovsdb.Port{}
}

func (l lab) setSnooping(s ovsdb.SnoopingState) (previous ovsdb.SnoopingState) {
	l.t.Helper()
	previous, err := l.SetSnooping(l.t.Context(), "br0", s)
	require.NoError(l.t, err)
	return previous
}
