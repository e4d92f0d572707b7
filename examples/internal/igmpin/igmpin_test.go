package igmpin

import (
	"context"
	"errors"
	"os"
	"testing"
	"testing/synctest"
	"time"

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

func TestWaitTakesWhatIsThereAndNoMoreThanThat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var taken []int
		inputs := make(chan int, 3)
		take := func(n int) error {
			taken = append(taken, n)
			inputs <- n + 10 // whoever always has more must not keep the time from passing
			return nil
		}
		began := time.Now()
		require.NoError(t, Wait(t.Context(), inputs, began.Add(time.Second), take))
		require.Equal(t, time.Second, time.Since(began))
		require.Empty(t, taken)

		inputs <- 1
		inputs <- 2
		require.NoError(t, Wait(t.Context(), inputs, began.Add(time.Hour), take))
		require.Equal(t, []int{1, 2, 11, 12}, taken)
		require.Equal(t, time.Second, time.Since(began))

		fault := errors.New("fault")
		require.ErrorIs(t, Wait(t.Context(), inputs, began, func(int) error { return fault }), fault)
	})
}

func TestWaitEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		require.NoError(t, Wait(ctx, make(chan int), began.Add(time.Hour), func(int) error { return nil }))
		require.Equal(t, time.Second, time.Since(began))
	})
}

func TestWhatPasses(t *testing.T) {
	require.True(t, Passes(&igmpconn.Error{Err: igmpconn.ErrGone}))
	require.False(t, Passes(&igmpconn.Error{Err: igmpconn.ErrLinkType}))
	require.False(t, Passes(os.ErrPermission))
}
