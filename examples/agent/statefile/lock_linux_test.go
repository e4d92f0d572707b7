package statefile_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/examples/agent/statefile"
)

func TestAFileIsLockedThroughItsReplacement(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "dir", "state")
	lock, err := statefile.Lock(path)
	require.NoError(t, err)
	require.NoError(t, kind.Write(path, some))
	_, err = statefile.Lock(path)
	require.ErrorIs(t, err, statefile.ErrInUse)
	require.ErrorContains(t, err, path)
	require.NoError(t, os.Remove(path))
	_, err = statefile.Lock(path)
	require.ErrorIs(t, err, statefile.ErrInUse)
	other, err := statefile.Lock(path + "2")
	require.NoError(t, err)
	require.NoError(t, other.Close())

	require.NoError(t, lock.Close())
	lock, err = statefile.Lock(path)
	require.NoError(t, err)
	require.NoError(t, lock.Close())
}
