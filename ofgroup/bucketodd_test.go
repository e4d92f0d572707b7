package ofgroup_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	. "github.com/ofmcast/ofmcast/ofgroup"
)

func TestWhatFewBucketsHaveComesAndGoesInAnyOrder(t *testing.T) {
	plain := NewBucket(Output(7)).WithID(2)
	all := plain.WithKey("k").WithWatchPort(3).WithWatchGroup(0)
	require.True(t, all == plain.WithWatchGroup(0).WithWatchPort(9).WithKey("k").WithWatchPort(3))
	require.False(t, all == plain.WithKey("k").WithWatchPort(3))
	require.False(t, all == plain.WithKey("l").WithWatchPort(3).WithWatchGroup(0))
	require.False(t, all == plain.WithKey("k").WithWatchPort(4).WithWatchGroup(0))
	require.False(t, all == plain.WithKey("k").WithWatchPort(3).WithWatchGroup(1))
	require.True(t, plain == all.WithWatchPort(PortAny).WithKey("").WithWatchGroup(AnyGroup))

	key, has := all.Key()
	require.True(t, has)
	require.Equal(t, "k", key)
	port, has := all.WithWatchPort(0).WatchPort()
	require.True(t, has)
	require.Zero(t, port)
	group, has := all.WithKey("").WatchGroup()
	require.True(t, has)
	require.Zero(t, group)
	_, has = all.WithWatchGroup(AnyGroup).WatchGroup()
	require.False(t, has)
}

// A bucket keeps its fault and what else it was given.
func TestABucketWithAFaultKeepsIt(t *testing.T) {
	b := NewBucket(Output(PortAny)).WithKey("k").WithWatchPort(3).WithWatchPort(PortAny)
	require.ErrorIs(t, New(1, All).AddBuckets(b).Validate(), ErrAction)
	key, _ := b.Key()
	require.Equal(t, "k", key)
	require.True(t, b.WithKey("") == NewBucket(Output(PortAny)))
}
