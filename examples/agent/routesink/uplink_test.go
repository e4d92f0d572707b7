package routesink

import (
	"context"
	"errors"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/mcast"
	"github.com/ofmcast/ofmcast/mroute"
)

// asked is a Joiner that keeps what it is asked for, as mroute's does, and Routes that there are none of.
type asked struct {
	held  map[mroute.Membership]bool
	fails bool
}

func (a *asked) Set(m mroute.Membership, f mroute.Filter) error {
	switch {
	case a.fails:
		return errors.New("the kernel says no")
	case f.IsNone():
		delete(a.held, m)
	default:
		a.held[m] = true
	}
	return nil
}

func (*asked) Refresh(context.Context, netip.Addr) error { return nil }

// uplink is an interface that comes and goes, before it a sink and before that a cache with one group.
type uplink struct {
	index mroute.IfIndex
	fault error // of asking for the index
	asked asked
	group netip.Addr
	cache *mcast.Cache[int]
	sink  *mcast.Handle[int]
	now   time.Time
}

func newUplink(t *testing.T) *uplink {
	u := &uplink{
		index: 7, group: netip.MustParseAddr("239.1.1.1"), now: time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC),
		asked: asked{held: make(map[mroute.Membership]bool)},
		cache: mcast.New(mcast.Config[int]{Leave: func(int) mcast.LeavePolicy { return mcast.Immediate }}),
	}
	sink := New[int](&u.asked, &u.asked, "up0")
	sink.index = func(string) (mroute.IfIndex, error) { return u.index, u.fault }
	var err error
	u.sink, err = u.cache.AddSink("routes", sink, mcast.SinkConfig{MinInterval: -1, MinRetry: time.Second, MaxRetry: time.Second})
	require.NoError(t, err)
	return u
}

// report is what a member says, or with zero nothing, and what the sink then does.
func (u *uplink) report(t *testing.T, kind mcast.Kind) error {
	u.now = u.now.Add(time.Minute)
	if kind != 0 {
		require.NoError(t, u.cache.Apply(mcast.Report[int]{Group: mcast.Group{Addr: u.group}, Member: 1, Kind: kind, At: u.now}))
	}
	u.cache.Advance(u.now)
	return u.cache.Flush(t.Context())
}

// joined is where the joiner believes the group joined.
func (u *uplink) joined() (at []mroute.IfIndex) {
	for m := range u.asked.held {
		at = append(at, m.Interface)
	}
	return at
}

func TestNothingIsKeptOfAnInterfaceThatIsNoUplinkAnyMore(t *testing.T) {
	u := newUplink(t)
	require.NoError(t, u.report(t, mcast.ChangeToExclude))
	require.Equal(t, []mroute.IfIndex{7}, u.joined())

	u.index = 9
	u.sink.Resync()
	require.NoError(t, u.report(t, 0))
	require.Equal(t, []mroute.IfIndex{9}, u.joined(), "it came back as another")

	u.index = 0
	u.sink.Resync()
	require.ErrorIs(t, u.report(t, 0), mroute.ErrNoInterface)
	require.Empty(t, u.joined(), "it is gone")

	u.index = 9
	require.NoError(t, u.report(t, 0))
	require.Equal(t, []mroute.IfIndex{9}, u.joined(), "and joined where it is again")

	u.index = 0
	require.NoError(t, u.report(t, mcast.ChangeToInclude))
	require.Empty(t, u.joined())
}

func TestALeaveThatFailedIsMadeAgainWhereTheUplinkWas(t *testing.T) {
	u := newUplink(t)
	require.NoError(t, u.report(t, mcast.ChangeToExclude))
	u.index, u.asked.fails = 0, true
	require.ErrorContains(t, u.report(t, mcast.ChangeToInclude), "as it was")
	u.asked.fails = false
	require.NoError(t, u.report(t, 0))
	require.Empty(t, u.joined())
}

func TestAnUplinkThatCannotBeAskedForIsNotTakenToBeGone(t *testing.T) {
	u := newUplink(t)
	require.NoError(t, u.report(t, mcast.ChangeToExclude))
	u.index, u.fault = 0, errors.New("no more file descriptors")
	u.sink.Resync()
	require.ErrorIs(t, u.report(t, 0), u.fault)
	require.Equal(t, []mroute.IfIndex{7}, u.joined())
	require.ErrorIs(t, u.report(t, mcast.ChangeToInclude), u.fault)
	u.index, u.fault = 7, nil
	require.NoError(t, u.report(t, 0))
	require.Empty(t, u.joined(), "the leave was owed")
}
