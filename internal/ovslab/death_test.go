//go:build unix

package ovslab

import (
	"io"
	"net"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// However the owner of a lab dies, its daemons end and its directory goes.
func TestALabDiesWithItsOwner(t *testing.T) {
	requireInstalled(t)
	for _, way := range []string{"panic", "exit", "SIGINT", "SIGTERM", "SIGKILL"} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			owner := startOwner(t, way)
			pids := daemonPIDs(t, owner.dir)
			lifelines := []net.Conn{dialLifeline(t, owner.dir, dbCtl), dialLifeline(t, owner.dir, switchCtl)}

			owner.die(t, way)

			for i, lifeline := range lifelines {
				_, err := io.Copy(io.Discard, lifeline) // until the daemon is gone
				if err != nil {
					require.ErrorIs(t, err, syscall.ECONNRESET)
				}
				requireGone(t, pids[i])
			}
			require.Eventually(t, func() bool {
				_, err := os.Stat(owner.dir)
				return os.IsNotExist(err)
			}, 10*time.Second, time.Millisecond)
		})
	}
}

// Ctrl-C reaches the whole process group of the terminal at once. The guard
// must not be in it: it would die first and leave its daemon behind.
func TestAnInterruptOfTheGroupReachesTheOwnerOnly(t *testing.T) {
	requireInstalled(t)
	owner := startOwner(t, "SIGINT")
	group, err := syscall.Getpgid(owner.cmd.Process.Pid)
	require.NoError(t, err)
	for _, pid := range daemonPIDs(t, owner.dir) {
		daemonGroup, err := syscall.Getpgid(pid)
		require.NoError(t, err)
		require.NotEqual(t, group, daemonGroup)
	}
	owner.die(t, "SIGINT")
}
