package ovsdb_test

import (
	"context"
	"testing"
	"time"

	"github.com/ofmcast/ofmcast/examples/ovsdb"
	"github.com/stretchr/testify/require"
)

func TestEveryChangeOfWhatABridgeIsIsHeard(t *testing.T) {
	l := newLab(t, "p1")
	require.NoError(t, l.Watch(t.Context()))
	for _, change := range [][]string{
		{"set", "port", "p1", "tag=10"},
		{"set", "port", "p1", "external_ids:a=b"},
		{"set", "interface", "p1", "external_ids:a=b"},
		{"set", "bridge", "br0", "fail_mode=standalone"},
		{"add-port", "br0", "p2", "--", "set", "interface", "p2", "type=dummy"},
		{"del-port", "br0", "p2"},
	} {
		l.settle()
		l.vsctl(change...)
		require.NoError(t, l.AwaitChange(soon(t, 5*time.Second)), "%v", change)
	}
}

// settle waits until nothing has changed for a while: adding a port is several
// changes, of which the switch itself writes some.
func (l lab) settle() {
	for l.AwaitChange(soon(l.t, 300*time.Millisecond)) == nil {
	}
}

func soon(t *testing.T, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

func TestWhatABridgeIsNotMadeOfIsNotHeard(t *testing.T) {
	l := newLab(t, "p1")
	require.NoError(t, l.Watch(t.Context()))
	l.settle()
	l.vsctl("set", "interface", "p1", "other_config:a=b")
	require.ErrorIs(t, l.AwaitChange(soon(t, 300*time.Millisecond)), context.DeadlineExceeded)
}

func TestChangesThatNobodyAwaitedAreOne(t *testing.T) {
	l := newLab(t, "p1")
	require.NoError(t, l.Watch(t.Context()))
	for _, tag := range []string{"1", "2", "3"} {
		l.vsctl("set", "port", "p1", "tag="+tag)
	}
	l.bridge() // an answer that came after the notifications
	require.NoError(t, l.AwaitChange(soon(t, 5*time.Second)))
	require.Equal(t, uint16(3), l.port("p1").Tag)
	l.settle()
}

func TestAWatchEndsWithTheConnection(t *testing.T) {
	l := newLab(t)
	require.NoError(t, l.Watch(t.Context()))
	l.settle()
	require.NoError(t, l.Client.Close())
	require.ErrorIs(t, l.AwaitChange(t.Context()), ovsdb.ErrConnLost)
	require.ErrorIs(t, l.Watch(t.Context()), ovsdb.ErrConnLost)
}

func TestExternalIDsAreReadOfPortAndInterface(t *testing.T) {
	l := newLab(t, "p1")
	l.vsctl("set", "port", "p1", "external_ids:role=router", "--", "set", "interface", "p1", `external_ids:iface-id="a b"`)
	require.Equal(t, map[string]string{"role": "router"}, l.port("p1").ExternalIDs)
	require.Equal(t, map[string]string{"iface-id": "a b"}, l.port("p1").Interfaces[0].ExternalIDs)
}
