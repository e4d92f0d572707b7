//go:build unix

package ovslab

import (
	"io"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestAKilledSwitchTakesItsGroupsAndConnectionsWithIt(t *testing.T) {
	lab := New(t, Config{Ports: []string{"p1", "p2"}})
	_, err := lab.Ofctl(t.Context(), "add-group", lab.Bridge(), "group_id=7,type=all,bucket=output:1")
	require.NoError(t, err)
	conn := dialLifeline(t, lab.Dir(), lab.Bridge()+mgmtSuffix)
	pids := daemonPIDs(t, lab.Dir())

	require.NoError(t, lab.KillSwitch())

	_, _ = io.Copy(io.Discard, conn) // until the connection ends
	requireGone(t, pids[1])
	_, err = lab.Dial(t.Context())
	require.Error(t, err)
	require.ErrorIs(t, lab.KillSwitch(), ErrSwitchDown)

	require.NoError(t, lab.RestartSwitch(t.Context()))

	dump, err := lab.Ofctl(t.Context(), "dump-groups", lab.Bridge())
	require.NoError(t, err)
	require.NotContains(t, dump, "group_id=7")
	ports, err := lab.Ofctl(t.Context(), "dump-ports-desc", lab.Bridge())
	require.NoError(t, err)
	require.Regexp(t, `(?s) 1\(?.*addr.* 2\(?.*addr`, ports, "the ports are back, with their numbers")
	require.NoError(t, lab.Close())
	requireGone(t, pids[0])
}

func TestARestartReplacesASwitchThatRuns(t *testing.T) {
	lab := New(t, Config{})
	before := daemonPIDs(t, lab.Dir())
	require.NoError(t, lab.RestartSwitch(t.Context()))
	requireGone(t, before[1])
	require.NotEqual(t, before[1], daemonPIDs(t, lab.Dir())[1])
}

func TestAnEndedLabStartsNoSwitch(t *testing.T) {
	lab := New(t, Config{})
	require.NoError(t, lab.Close())
	require.ErrorIs(t, lab.RestartSwitch(t.Context()), os.ErrClosed)
}

// A connection through a relay ends with the switch, and a new one reaches the
// switch that took its place.
func TestARelayOutlivesItsSwitch(t *testing.T) {
	lab := New(t, Config{})
	relay, err := lab.Relay()
	require.NoError(t, err)
	defer relay.Close()
	old, err := relay.Dial(t.Context())
	require.NoError(t, err)
	defer old.Close()
	require.NoError(t, old.SetDeadline(time.Now().Add(10*time.Second)))

	require.NoError(t, lab.RestartSwitch(t.Context()))

	_, err = io.Copy(io.Discard, old)
	require.NotErrorIs(t, err, os.ErrDeadlineExceeded)
	_, err = lab.Ofctl(t.Context(), "dump-groups", "unix:"+relay.Path())
	require.NoError(t, err)
}
