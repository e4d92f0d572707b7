package routesink

import (
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAnInterfaceThatIsNotThereIsToldFromOneThatCannotBeAskedFor(t *testing.T) {
	i, err := index("lo")
	require.NoError(t, err)
	require.NotZero(t, i)
	i, err = index("no-such-link")
	require.NoError(t, err)
	require.Zero(t, i)

	var before syscall.Rlimit
	require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &before))
	none := before
	none.Cur = 0
	require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &none))
	_, err = index("lo")
	require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &before))
	require.ErrorIs(t, err, syscall.EMFILE)
}
