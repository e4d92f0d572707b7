package routesink_test

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/examples/agent/routesink"
	"github.com/ofmcast/ofmcast/mcast"
	"github.com/ofmcast/ofmcast/mroute"
)

var (
	group = mcast.Group{Addr: netip.MustParseAddr("239.1.1.1")}
	s1    = netip.MustParseAddr("198.51.100.1")
	start = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
)

// kernel notes what it is asked, and answers leaves as it is told to.
type kernel struct {
	sets      []mroute.Filter
	refreshed []netip.Addr
	leaveErr  error
}

func (k *kernel) Set(_ mroute.Membership, f mroute.Filter) error {
	k.sets = append(k.sets, f)
	if f.IsNone() {
		return k.leaveErr
	}
	return nil
}

func (k *kernel) Refresh(_ context.Context, g netip.Addr) error {
	k.refreshed = append(k.refreshed, g)
	return nil
}

// loopback is the name of an interface that every machine has.
func loopback(t *testing.T) string {
	all, err := net.Interfaces()
	require.NoError(t, err)
	i := slices.IndexFunc(all, func(i net.Interface) bool { return i.Flags&net.FlagLoopback != 0 })
	require.GreaterOrEqual(t, i, 0)
	return all[i].Name
}

// history applies reports a second apart to a cache in front of the sink.
func history(t *testing.T, sink mcast.Sink[int], reports ...mcast.Report[int]) (last error) {
	cache := mcast.New(mcast.Config[int]{Leave: func(int) mcast.LeavePolicy { return mcast.Immediate }})
	_, err := cache.AddSink("routes", sink, mcast.SinkConfig{MinInterval: -1, MinRetry: time.Hour})
	require.NoError(t, err)
	for i, r := range reports {
		r.Group, r.At = group, start.Add(time.Duration(i)*time.Second)
		require.NoError(t, cache.Apply(r))
		cache.Advance(r.At)
		last = cache.Flush(t.Context())
	}
	return last
}

func TestTheMergedFilterIsJoinedAndTheLastMemberLeaves(t *testing.T) {
	k := &kernel{}
	require.NoError(t, history(t, routesink.New[int](k, k, loopback(t)),
		mcast.Report[int]{Member: 1, Kind: mcast.AllowNewSources, Sources: []netip.Addr{s1}},
		mcast.Report[int]{Member: 2, Kind: mcast.ChangeToExclude},
		mcast.Report[int]{Member: 2, Kind: mcast.ChangeToInclude},
		mcast.Report[int]{Member: 1, Kind: mcast.BlockOldSources, Sources: []netip.Addr{s1}},
	))
	require.Equal(t, []mroute.Filter{mroute.Only(s1), mroute.AnySource(), mroute.Only(s1), {}}, k.sets)
	require.Len(t, k.refreshed, 4)
}

// What some members want others see to.
func TestOnlyThoseAreServedWhoShallBe(t *testing.T) {
	k := &kernel{}
	ours := func(s mcast.State[int]) mcast.Filter {
		return mcast.Merge(func(yield func(mcast.Filter) bool) {
			for m, f := range s.All() {
				if m == 1 && !yield(f) {
					return
				}
			}
		})
	}
	require.NoError(t, history(t, routesink.NewFor(ours, k, k, loopback(t)),
		mcast.Report[int]{Member: 2, Kind: mcast.ChangeToExclude},
		mcast.Report[int]{Member: 1, Kind: mcast.ChangeToInclude, Sources: []netip.Addr{s1}},
	))
	require.Equal(t, []mroute.Filter{{}, mroute.Only(s1)}, k.sets)
}

func TestAFailedLeaveKeepsNoRoute(t *testing.T) {
	k := &kernel{leaveErr: errors.New("the kernel says no")}
	require.ErrorIs(t, history(t, routesink.New[int](k, k, loopback(t)),
		mcast.Report[int]{Member: 1, Kind: mcast.ChangeToExclude},
		mcast.Report[int]{Member: 1, Kind: mcast.ChangeToInclude},
	), k.leaveErr)
	require.Equal(t, []netip.Addr{group.Addr, group.Addr}, k.refreshed, "the routes follow all the same")
}

func TestAnUplinkThatIsNotThereIsTriedAgainAndNeedsNoLeave(t *testing.T) {
	k := &kernel{}
	sink := routesink.New[int](k, k, "no-such-interface")
	join := mcast.Report[int]{Member: 1, Kind: mcast.ChangeToExclude}
	leave := mcast.Report[int]{Member: 1, Kind: mcast.ChangeToInclude}
	require.Error(t, history(t, sink, join))
	require.NoError(t, history(t, sink, join, leave), "it took its memberships along")
	require.Empty(t, k.sets)
}
