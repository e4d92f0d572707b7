//go:build unix

package ovslab

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLabsRunSideBySideEachWithItsOwnGroups(t *testing.T) {
	one := New(t, Config{Ports: []string{"p1", "p2"}})
	two := New(t, Config{})

	_, err := one.Ofctl(t.Context(), "add-group", one.Bridge(), "group_id=7,type=all,bucket=output:1")
	require.NoError(t, err)

	dump, err := one.Ofctl(t.Context(), "dump-groups", one.Mgmt())
	require.NoError(t, err)
	require.Contains(t, dump, "group_id=7,type=all,bucket=bucket_id:0,actions=output:1")
	dump, err = two.Ofctl(t.Context(), "dump-groups", two.Bridge())
	require.NoError(t, err)
	require.NotContains(t, dump, "group_id")
}

func TestPortsGetTheirNumbersInOrder(t *testing.T) {
	lab := New(t, Config{Ports: []string{"eth9", "eth1"}})

	numbers, err := lab.Vsctl(t.Context(), "get", "interface", "eth9", "ofport", "--", "get", "interface", "eth1", "ofport")
	require.NoError(t, err)
	require.Equal(t, []string{"1", "2"}, strings.Fields(numbers))
	ports, err := lab.Appctl(t.Context(), "dpif/show")
	require.NoError(t, err)
	require.Contains(t, ports, "dummy@ovs-dummy")
}

func TestTheBridgeSpeaksOldAndNewOpenFlow(t *testing.T) {
	lab := New(t, Config{})
	for _, version := range []string{"OpenFlow10", "OpenFlow13", "OpenFlow15"} {
		_, err := lab.Ofctl(t.Context(), "-O", version, "dump-flows", lab.Bridge())
		require.NoError(t, err, version)
	}
}

func TestCloseEndsBothDaemonsAndRemovesTheDirectory(t *testing.T) {
	lab := New(t, Config{})
	pids := daemonPIDs(t, lab.Dir())

	require.NoError(t, lab.Close())
	require.NoError(t, lab.Close(), "a second Close does nothing")

	for _, pid := range pids {
		require.ErrorIs(t, syscall.Kill(pid, 0), syscall.ESRCH)
	}
	require.NoDirExists(t, lab.Dir())
}

func TestADeepTemporaryPlaceIsAvoided(t *testing.T) {
	above, err := os.MkdirTemp("/tmp", "o")
	require.NoError(t, err)
	defer os.RemoveAll(above)
	for _, depth := range []int{70, 80, 95} { // at 80 the names of the lab's own sockets would fit, but no relay's
		place := filepath.Join(above, strings.Repeat("y", depth-len(above)-1))
		require.NoError(t, os.Mkdir(place, 0o700))
		t.Setenv("TMPDIR", place)
		lab := New(t, Config{})
		require.Equal(t, depth == 70, filepath.Dir(lab.Dir()) == place)
		conn, err := relayOf(t, lab).Dial(t.Context())
		require.NoError(t, err)
		require.NoError(t, conn.Close())
	}
}

func TestAStartThatFailsLeavesNothing(t *testing.T) {
	requireInstalled(t)
	place := t.TempDir()
	t.Setenv("TMPDIR", place)

	t.Run("when cancelled", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := Start(ctx, Config{})
		require.ErrorIs(t, err, context.Canceled)
	})
	t.Run("when the bridge is refused", func(t *testing.T) {
		_, err := Start(t.Context(), Config{Protocols: "OpenFlow99"})
		var tool *ToolError
		require.ErrorAs(t, err, &tool)
		require.Equal(t, "ovs-vsctl", tool.Args[0])
		require.Contains(t, tool.Stderr, "OpenFlow99")
	})
	left, err := os.ReadDir(place)
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestAToolThatFailsSaysWhy(t *testing.T) {
	lab := New(t, Config{})
	_, err := lab.Ofctl(t.Context(), "add-group", lab.Bridge(), "group_id=1,type=none")
	var tool *ToolError
	require.ErrorAs(t, err, &tool)
	require.Contains(t, tool.Stderr, "none")
	require.Contains(t, err.Error(), "ovs-ofctl")
}
