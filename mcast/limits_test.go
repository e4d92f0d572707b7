package mcast_test

import (
	"fmt"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/ofmcast/ofmcast/mcast"
)

// fresh are n sources that nobody else names.
func fresh(n int) []netip.Addr {
	out := make([]netip.Addr, n)
	for i := range out {
		out[i] = netip.AddrFrom4([4]byte{192, 0, 2, byte(i)})
	}
	return out
}

// shared is a cache in which two members that name all they may leave room for others.
var shared = mcast.Limits{Sources: 20, TotalSourcesPerMember: 6}

// Whatever one member says, and for whomever: it names no more than its own
// sources over all its groups, what it gives up counts no more, and all that
// the cache has beyond them is there for somebody else.
func TestAMemberCannotUseUpTheSourcesOfTheOthers(t *testing.T) {
	owners := []mcast.Owner{{}, {}, {}, static, node1}
	rapid.Check(t, func(t *rapid.T) {
		c := mcast.New(mcast.Config[string]{
			Limits: shared,
			Leave:  func(string) mcast.LeavePolicy { return mcast.Immediate },
		})
		now := epoch
		sources := func() (n int) {
			c.Advance(now)
			for _, m := range c.MembershipsOf("hostile") {
				n += len(m.Sources)
			}
			return n
		}
		for range rapid.IntRange(0, 40).Draw(t, "reports") {
			now = now.Add(rapid.SampledFrom([]time.Duration{0, time.Second, 200 * time.Second}).Draw(t, "wait"))
			r := mcast.Report[string]{
				Group: nth(rapid.IntRange(0, 4).Draw(t, "group")), Member: "hostile", At: now,
				Kind:    mcast.Kind(rapid.IntRange(1, 6).Draw(t, "kind")),
				Owner:   rapid.SampledFrom(owners).Draw(t, "owner"),
				Sources: fresh(9)[rapid.IntRange(0, 5).Draw(t, "first"):rapid.IntRange(5, 9).Draw(t, "last")],
			}
			before := sources()
			if err := c.Apply(r); err != nil {
				require.ErrorIs(t, err, mcast.ErrLimit)
				require.Equal(t, before, sources(), "nothing is changed")
			}
			require.LessOrEqual(t, sources(), shared.TotalSourcesPerMember)
			require.Equal(t, sources(), c.Statistics().Sources)
			if rapid.IntRange(0, 20).Draw(t, "gone") == 0 {
				c.RemoveMember("hostile", now)
				now = now.Add(1)
			}
		}
		left := shared.TotalSourcesPerMember - sources()
		more := mcast.Report[string]{Group: nth(9), Member: "hostile", Kind: mcast.AllowNewSources, Sources: fresh(left + 1), At: now}
		require.ErrorIs(t, c.Apply(more), mcast.ErrLimit)
		more.Sources = fresh(left)
		require.NoError(t, c.Apply(more), "what has ended is not counted")
		for i := range shared.Sources - shared.TotalSourcesPerMember {
			r := mcast.Report[string]{Group: nth(i % 3), Member: fmt.Sprint(i % 3), Kind: mcast.AllowNewSources, Sources: fresh(i + 1)[i:], At: now}
			require.NoError(t, c.Apply(r))
		}
		require.Equal(t, shared.Sources, c.Statistics().Sources)
	})
}

func TestT8_ARestoredMemberIsHeldToItsSourcesOverAllGroups(t *testing.T) {
	r := newRig(t, mcast.Config[string]{})
	for i := range 5 {
		r.report(0, nth(i), "a", mcast.ModeIsInclude, s1, s2)
		r.report(0, nth(i), "b", mcast.ModeIsInclude, s1)
	}
	n, done := r.restored(0, mcast.Config[string]{Limits: shared})
	require.Equal(t, mcast.Restored{Restored: 8, Refused: 2}, done, "three of a, all of b")
	require.Equal(t, uint64(2), n.c.Statistics().RefusedLimit)
	n.c.RemoveMember("a", sec(1))
	n.report(2, g1, "a", mcast.AllowNewSources, fresh(6)...)
	require.ErrorIs(t, n.c.Apply(mcast.Report[string]{Group: g2, Member: "a", Kind: mcast.AllowNewSources, Sources: addrs(s1), At: sec(2)}), mcast.ErrLimit)
}

func TestLimitsOfSourcesHaveDefaultsAndCanBeLifted(t *testing.T) {
	name := func(l mcast.Limits) int {
		l.SourcesPerMember = -1
		c := mcast.New(mcast.Config[string]{Limits: l})
		list := make([]netip.Addr, 1<<16)
		for i := range list {
			list[i] = netip.AddrFrom4([4]byte{198, 18, byte(i >> 8), byte(i)})
		}
		for g := range 3 {
			_ = c.Apply(mcast.Report[string]{Group: nth(g), Member: "a", Kind: mcast.AllowNewSources, Sources: list, At: epoch})
		}
		return c.Statistics().Sources
	}
	require.Equal(t, 2<<16, name(mcast.Limits{}))
	require.Equal(t, 3<<16, name(mcast.Limits{TotalSourcesPerMember: -1}))
}
