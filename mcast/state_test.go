package mcast_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/mcast"
)

func TestForwardingServesEachSourceByWhatMembersWant(t *testing.T) {
	r := newRig(t, mcast.Config[string]{})
	r.report(0, g1, "only1", mcast.ModeIsInclude, s1)
	s, _ := r.c.Lookup(g1)
	require.Equal(t, "198.51.100.1:only1", forwarding(s))

	r.report(0, g1, "not2", mcast.ModeIsExclude, s2)
	s, _ = r.c.Lookup(g1)
	require.Equal(t, "any:not2 198.51.100.1:only1,not2 198.51.100.2:", forwarding(s))

	r.report(0, g1, "all", mcast.ModeIsExclude)
	s, _ = r.c.Lookup(g1)
	require.Equal(t, "any:not2,all 198.51.100.1:only1,not2,all 198.51.100.2:all", forwarding(s))

	for range s.Forwarding() {
		break // a range may stop
	}
	for _, members := range s.Forwarding() {
		for range members {
			break
		}
	}
	empty, ok := r.c.Lookup(g2)
	require.False(t, ok)
	require.Empty(t, forwarding(empty))
}

// Excluding one source must not cut off the others.
func TestExcludingASourceLeavesAllOthers(t *testing.T) {
	r := newRig(t, mcast.Config[string]{})
	r.report(0, g1, "port1", mcast.ChangeToExclude, s1)
	s, _ := r.c.Lookup(g1)
	f, ok := s.FilterOf("port1")
	require.True(t, ok)
	require.False(t, f.Accepts(s1))
	require.True(t, f.Accepts(s2))
	require.Equal(t, "any:port1 198.51.100.1:", forwarding(s))
	require.True(t, s.Filter().Accepts(s2))
	require.Equal(t, 1, s.Len(), "a sink that cannot filter sees a member")
	_, ok = s.FilterOf("port2")
	require.False(t, ok)
}

// A join for all and one for a source live side by side behind one member;
// the removal of one leaves the other.
func TestAnyAndOneSourceLiveSideBySide(t *testing.T) {
	r := newRig(t, mcast.Config[string]{})
	r.report(0, g1, "port1", mcast.ChangeToExclude)
	r.report(1, g1, "port1", mcast.AllowNewSources, s1)
	r.report(2, g1, "port1", mcast.BlockOldSources, s1)
	r.report(3, g1, "port1", mcast.ChangeToInclude)
	r.to(5)
	require.Empty(t, r.has(g1))
	require.Empty(t, r.Holds())
	require.Zero(t, r.c.Statistics().Sources)
}

// Members in different modes are merged, they do not take turns.
func TestIncludeAndExcludeReceiversDoNotFight(t *testing.T) {
	r := newRig(t, mcast.Config[string]{})
	r.report(0, g1, "a", mcast.AllowNewSources, s1)
	r.report(0, g1, "b", mcast.ChangeToExclude)
	for i := 1; i <= 10; i++ {
		r.report(float64(i), g1, "a", mcast.ModeIsInclude, s1)
		r.report(float64(i), g1, "b", mcast.ModeIsExclude)
	}
	require.Equal(t, 2, r.Len())
	require.Equal(t, "INCLUDE{198.51.100.1}", r.Calls()[0].Filter().String())
	require.Equal(t, "EXCLUDE{}", r.Calls()[1].Filter().String())
	r.leave(20, g1, "b")
	r.to(22)
	require.Equal(t, 3, r.Len())
	for _, s := range r.Calls() {
		require.True(t, s.Filter().Accepts(s1), "no gap for s1")
	}
	require.Equal(t, "INCLUDE{198.51.100.1}", r.Calls()[2].Filter().String())
}

func TestChangesAreWhatSetsPrevApart(t *testing.T) {
	r := newRig(t, mcast.Config[string]{})
	fails := true
	r.OnSync = func(_ ctx, s mcast.State[string]) error {
		if fails {
			return errBusy
		}
		return nil
	}
	r.join(0, g1, "stays")
	r.join(0, g1, "leaves")
	r.report(0, g1, "changes", mcast.ModeIsInclude, s1)
	fails = false
	r.to(1)
	r.c.RemoveMember("leaves", sec(2))
	require.NoError(t, r.c.Apply(mcast.Report[string]{Group: g1, Member: "changes", Kind: mcast.ChangeToExclude, At: sec(2)}))
	require.NoError(t, r.c.Apply(mcast.Join(g1, "joins", sec(2))))
	r.to(2)
	last := r.Calls()[r.Len()-1]
	var got []string
	for m, c := range last.Changes() {
		got = append(got, fmt.Sprint(m, " ", c.Kind, " ", c.Old, " ", c.New))
	}
	require.Equal(t, []string{
		"leaves left EXCLUDE{} INCLUDE{}",
		"changes refiltered INCLUDE{198.51.100.1} EXCLUDE{}",
		"joins joined INCLUDE{} EXCLUDE{}",
	}, got)
	for range last.Changes() {
		break
	}
	prev, ok := last.Prev()
	require.True(t, ok)
	require.Equal(t, []string{"stays", "leaves", "changes"}, slices.Collect(prev.Members()))
	_, ok = prev.Prev()
	require.False(t, ok)
}

// The merged filter is what to join upstream, RFC 4605 section 4.1.
func TestMergedFilters(t *testing.T) {
	tests := []struct{ want, a, b string }{
		{"INCLUDE{198.51.100.1, 198.51.100.2}", "in1", "in2"},
		{"INCLUDE{198.51.100.1, 198.51.100.2}", "in12", "in2"},
		{"EXCLUDE{198.51.100.2}", "ex12", "in1"},
		{"EXCLUDE{198.51.100.2}", "in1", "ex12"},
		{"EXCLUDE{198.51.100.1}", "ex12", "ex1"},
		{"EXCLUDE{}", "ex1", "ex2"},
		{"EXCLUDE{}", "ex", "in1"},
		{"EXCLUDE{}", "ex12", "ex"},
		{"EXCLUDE{}", "ex", "ex12"},
	}
	for _, test := range tests {
		r := newRig(t, mcast.Config[string]{})
		for i, name := range []string{test.a, test.b} {
			kind := map[string]mcast.Kind{"in": mcast.ModeIsInclude, "ex": mcast.ModeIsExclude}[name[:2]]
			var list = addrs()
			for _, d := range name[2:] {
				list = append(list, addrs(s1, s2)[d-'1'])
			}
			r.report(0, g1, fmt.Sprint(i), kind, list...)
		}
		s, _ := r.c.Lookup(g1)
		require.Equal(t, test.want, s.Filter().String(), "%v", test)
	}
	require.True(t, mcast.Merge(func(func(mcast.Filter) bool) {}).IsNone())
}

func TestFilterMethods(t *testing.T) {
	var none mcast.Filter
	require.Equal(t, mcast.Include, none.Mode())
	require.True(t, none.IsNone())
	require.False(t, none.Accepts(s1))
	r := newRig(t, mcast.Config[string]{})
	r.report(0, g1, "a", mcast.ModeIsExclude, s2, s1, s2)
	s, _ := r.c.Lookup(g1)
	f, _ := s.FilterOf("a")
	require.Equal(t, mcast.Exclude, f.Mode())
	require.False(t, f.IsNone())
	require.Equal(t, 2, f.Len())
	require.Equal(t, addrs(s1, s2), slices.Collect(f.Sources()))
	require.True(t, f.Equal(f))
	require.False(t, f.Equal(none))
}

func TestWordsForPeople(t *testing.T) {
	require.Equal(t, "IS_IN IS_EX TO_IN TO_EX ALLOW BLOCK Kind(0x09)", fmt.Sprint(
		mcast.ModeIsInclude, mcast.ModeIsExclude, mcast.ChangeToInclude, mcast.ChangeToExclude,
		mcast.AllowNewSources, mcast.BlockOldSources, mcast.Kind(9)))
	require.Equal(t, "INCLUDE EXCLUDE Mode(0x07)", fmt.Sprint(mcast.Include, mcast.Exclude, mcast.Mode(7)))
	require.Equal(t, "joined left refiltered expired removed ChangeKind(0x00)", fmt.Sprint(mcast.Joined, mcast.Left, mcast.Refiltered,
		mcast.Expired, mcast.Removed, mcast.ChangeKind(0)))
	require.Equal(t, "learned static remote OwnerKind(0x05)", fmt.Sprint(mcast.Learned, mcast.Static, mcast.Remote, mcast.OwnerKind(5)))
	require.Equal(t, "QueryEach Immediate QueryLast LeavePolicy(0x03)", fmt.Sprint(mcast.QueryEach, mcast.Immediate, mcast.QueryLast, mcast.LeavePolicy(3)))
	require.Equal(t, "mcast: apply: no time: invalid", (&mcast.Error{Op: "apply", Detail: "no time", Err: mcast.ErrInvalid}).Error())
	require.Equal(t, "mcast: sink ovs: 233.252.0.1: busy", (&mcast.SyncError{Sink: "ovs", Group: g1, Err: errBusy}).Error())
	require.Equal(t, "mcast: sink ovs: prune: busy", (&mcast.SyncError{Sink: "ovs", Err: errBusy}).Error())
	require.Equal(t, "mcast: query 233.252.0.1: busy", (&mcast.SyncError{Group: g1, Err: errBusy}).Error())
	require.Equal(t, "mcast: still running: Config.Query, ovs", (&mcast.StuckError{Sinks: []string{"ovs"}, Query: true}).Error())
}
