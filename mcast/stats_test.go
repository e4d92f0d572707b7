package mcast_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/mcast"
)

// Each way in which a member changes has a counter of its own.
func TestWhatBecomesOfMembersIsCounted(t *testing.T) {
	r := newRig(t, mcast.Config[string]{Leave: func(string) mcast.LeavePolicy { return mcast.Immediate }})
	for _, m := range []string{"leaves", "falls silent", "is removed", "is refiltered"} {
		r.join(0, g1, m)
	}
	r.join(1, g1, "is refiltered") // a refresh
	count := func() [5]uint64 {
		s := r.c.Statistics()
		return [...]uint64{s.Joins, s.Leaves, s.Expiries, s.Removals, s.Refilters}
	}
	require.Equal(t, [...]uint64{4, 0, 0, 0, 0}, count())
	r.leave(2, g1, "leaves")
	require.Equal(t, [...]uint64{4, 1, 0, 0, 0}, count())
	r.c.RemoveMember("is removed", sec(3))
	require.Equal(t, [...]uint64{4, 1, 0, 1, 0}, count())
	r.report(4, g1, "is refiltered", mcast.ChangeToExclude, s1)
	require.Equal(t, [...]uint64{4, 1, 0, 1, 1}, count())
	r.to(270.5)
	require.Equal(t, [...]uint64{4, 1, 1, 1, 1}, count())
	require.Equal(t, uint64(7), r.c.Statistics().Reports, "refreshes are reports too")
}

func TestPrunesAreCounted(t *testing.T) {
	r := newRig(t, mcast.Config[string]{})
	prunes := func() [2]uint64 {
		s := r.c.Statistics().Sinks[0]
		return [...]uint64{s.Prunes, s.PruneErrors}
	}
	require.Equal(t, [...]uint64{1, 0}, prunes(), "the first round's")
	r.OnPrune = func(ctx, []mcast.Group) error { return errBusy }
	r.h.Resync()
	r.flush()
	require.Equal(t, [...]uint64{2, 1}, prunes())
	r.OnPrune = nil
	r.to(2)
	require.Equal(t, [...]uint64{3, 1}, prunes())
}

// What one owner wants is its own, whatever others want.
func TestFilterOfAMembershipIsItsOwners(t *testing.T) {
	r := newRig(t, mcast.Config[string]{})
	r.report(0, g1, "a", mcast.ChangeToInclude, s2, s1)
	require.NoError(t, r.c.Apply(mcast.Report[string]{
		Group: g1, Member: "a", Kind: mcast.ChangeToExclude, Sources: addrs(s1),
		Owner: mcast.Owner{Kind: mcast.Static}, At: sec(0),
	}))
	var filters []string
	for _, m := range r.c.Memberships(g1) {
		filters = append(filters, m.Filter().String())
	}
	require.Equal(t, []string{"INCLUDE{198.51.100.1, 198.51.100.2}", "EXCLUDE{198.51.100.1}"}, filters)
	require.Equal(t, "a:EXCLUDE{}", r.has(g1))
}
