package igmpin

import (
	"context"
	"errors"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/igmp/igmpconn"
)

func TestAnInterfaceThatIsNotThereIsWaitedFor(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	asked := 0
	Read(ctx, "nothing0", func(in Input) bool {
		asked++
		require.Nil(t, in.Conn)
		if errors.Is(in.Err, errors.ErrUnsupported) {
			return true // and does not pass
		}
		require.True(t, Passes(in.Err), "%v", in.Err)
		return asked < 2
	})
	require.Positive(t, asked)
}

func TestWhatPasses(t *testing.T) {
	require.True(t, Passes(&igmpconn.Error{Err: igmpconn.ErrGone}))
	require.False(t, Passes(&igmpconn.Error{Err: igmpconn.ErrLinkType}))
	require.False(t, Passes(os.ErrPermission))
}
