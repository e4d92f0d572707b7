package ofsink_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/examples/agent/ofsink"
	"github.com/ofmcast/ofmcast/mcast"
	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
	"github.com/ofmcast/ofmcast/ofgroup/ofgrouptest"
)

// A burst of joins is few messages: what happens while one is under way is in the next.
func TestABurstOfJoinsIsFewGroupMods(t *testing.T) {
	const members = 2000
	sw := ofgrouptest.NewSwitch(ofgrouptest.SwitchConfig{})
	defer func() { require.NoError(t, sw.Close()) }()
	session, err := ofconn.Open(t.Context(), ofconn.Config{Dial: sw.Dial})
	require.NoError(t, err)
	defer func() { _ = session.Close() }()
	sink := ofsink.New(ofsink.Config[ofgroup.Port]{Bucket: ofsink.ToPort, Table: ofgroup.NewTable(session, ofgroup.TableConfig{})})
	cache := mcast.New(mcast.Config[ofgroup.Port]{})

	synced := make(chan int, members)
	_, err = cache.AddSink("slow", mcast.SyncFunc[ofgroup.Port](func(ctx context.Context, s mcast.State[ofgroup.Port]) error {
		time.Sleep(time.Millisecond)
		defer func() { synced <- s.Len() }()
		return sink.Sync(ctx, s)
	}), mcast.SinkConfig{})
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- cache.Run(ctx) }()

	for p := range ofgroup.Port(members) {
		require.NoError(t, cache.Apply(mcast.Join(group, p+1, time.Now())))
	}
	for <-synced < members {
	}
	stop()
	require.NoError(t, <-ended)

	require.LessOrEqual(t, sw.GroupMods(), 40)
	held, err := sw.Groups()
	require.NoError(t, err)
	require.Len(t, held, 1)
	s, ok := cache.Lookup(group)
	require.True(t, ok)
	require.True(t, held[0].Equal(describe(held[0].ID(), s.Members())))
}
