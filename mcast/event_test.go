package mcast_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/mcast"
)

// heard are the events that are there, as "12.0 233.252.0.1 port1 left EXCLUDE{}",
// with "by static" or "by remote node1" at the end when it was not a host.
func heard(w *mcast.Watcher[string]) []string {
	var out []string
	for e, ok := w.TryNext(); ok; e, ok = w.TryNext() {
		line := fmt.Sprintf("%.1f %v", e.At.Sub(epoch).Seconds(), e)
		if e.Owner.Kind != mcast.Learned {
			line += fmt.Sprintf(" by %v %s", e.Owner.Kind, e.Owner.ID)
		}
		out = append(out, line)
	}
	return out
}

func immediate(string) mcast.LeavePolicy { return mcast.Immediate }

func TestE1_AWatcherIsToldOfEveryVisibleChangeAsItHappens(t *testing.T) {
	c := mcast.New(mcast.Config[string]{Leave: immediate}) // no sink, no Run, no Flush, no Advance
	w := c.Watch(0)
	apply := func(s float64, m string, k mcast.Kind, sources int, want ...string) {
		t.Helper()
		require.NoError(t, c.Apply(mcast.Report[string]{Group: g1, Member: m, Kind: k, Sources: addrs(s1, s2)[:sources], At: sec(s)}))
		require.Equal(t, want, heard(w))
	}
	apply(1, "a", mcast.ChangeToExclude, 0, "1.0 233.252.0.1 a joined EXCLUDE{}")
	apply(2, "b", mcast.AllowNewSources, 1, "2.0 233.252.0.1 b joined INCLUDE{198.51.100.1}")
	apply(3, "b", mcast.AllowNewSources, 2, "3.0 233.252.0.1 b refiltered INCLUDE{198.51.100.1} to INCLUDE{198.51.100.1, 198.51.100.2}")
	apply(4, "b", mcast.BlockOldSources, 1, "4.0 233.252.0.1 b refiltered INCLUDE{198.51.100.1, 198.51.100.2} to INCLUDE{198.51.100.2}")
	apply(5, "b", mcast.ChangeToExclude, 0, "5.0 233.252.0.1 b refiltered INCLUDE{198.51.100.2} to EXCLUDE{}")
	apply(6, "a", mcast.ModeIsExclude, 0)
	apply(7, "a", mcast.AllowNewSources, 1) // in X of the RFC's tables: not visible
	apply(8, "c", mcast.ChangeToInclude, 0) // was never there
	apply(9, "a", mcast.ChangeToInclude, 1, "9.0 233.252.0.1 a refiltered EXCLUDE{} to INCLUDE{198.51.100.1}")
	apply(10, "a", mcast.ChangeToInclude, 0, "10.0 233.252.0.1 a left INCLUDE{198.51.100.1}")
	apply(300, "b", mcast.ChangeToExclude, 0,
		"275.0 233.252.0.1 b expired EXCLUDE{}",
		"300.0 233.252.0.1 b joined EXCLUDE{}")
	require.ErrorIs(t, c.Apply(mcast.Join(g1, "d", time.Time{})), mcast.ErrInvalid)
	require.Empty(t, heard(w), "what was refused has not happened")
}

// byLeave says what a leave does to whom, by the first letter of the name.
func byLeave(m string) mcast.LeavePolicy {
	return map[byte]mcast.LeavePolicy{'i': mcast.Immediate, 'l': mcast.QueryLast}[m[0]]
}

// endings begin with port1 in g1 since 0, and go on to 2000.
var endings = map[string]struct {
	do   func(r *rig)
	want []string
}{
	"a leave that nobody objected to": {func(r *rig) { r.leave(10, g1, "port1") }, []string{"12.0 233.252.0.1 port1 left EXCLUDE{}"}},
	"a leave that was objected to, then silence": {func(r *rig) {
		r.leave(10, g1, "port1")
		r.report(11, g1, "port1", mcast.ModeIsExclude)
	}, []string{"281.0 233.252.0.1 port1 expired EXCLUDE{}"}},
	"a leave that an older host overrules, then silence": {func(r *rig) {
		r.old(5, g1, "port1", 1, mcast.ModeIsExclude)
		r.leave(10, g1, "port1")
	}, []string{"275.0 233.252.0.1 port1 expired EXCLUDE{}"}},
	"an immediate leave": {func(r *rig) {
		r.join(5, g1, "i1")
		r.leave(10, g1, "i1")
		r.c.RemoveMember("port1", sec(20))
	}, []string{"5.0 233.252.0.1 i1 joined EXCLUDE{}", "10.0 233.252.0.1 i1 left EXCLUDE{}", "20.0 233.252.0.1 port1 removed EXCLUDE{}"}},
	"leaves of one of two and of the last": {func(r *rig) {
		r.join(5, g2, "l1")
		r.join(5, g2, "l2")
		r.leave(10, g2, "l1")
		r.leave(20, g2, "l2")
		r.c.RemoveMember("port1", sec(0))
	}, []string{"5.0 233.252.0.2 l1 joined EXCLUDE{}", "5.0 233.252.0.2 l2 joined EXCLUDE{}", "10.0 233.252.0.2 l1 left EXCLUDE{}",
		"0.0 233.252.0.1 port1 removed EXCLUDE{}", "22.0 233.252.0.2 l2 left EXCLUDE{}"}},
	"a leave that another querier asked about": {func(r *rig) {
		r.c.SetTiming(mcast.Timing{NonQuerier: true})
		r.leave(10, g1, "port1")
		r.c.QuerySeen(mcast.SeenQuery{Group: g1, At: sec(10.5)})
	}, []string{"12.5 233.252.0.1 port1 left EXCLUDE{}"}},
	"silence": {func(r *rig) {}, []string{"270.0 233.252.0.1 port1 expired EXCLUDE{}"}},
	"silence that was held": {func(r *rig) {
		r.c.HoldAging(true)
		r.to(1000)
		r.c.HoldAging(false)
		r.c.Advance(sec(1000))
	}, []string{"1011.0 233.252.0.1 port1 expired EXCLUDE{}"}},
	"a leave while silence is held": {func(r *rig) {
		r.c.HoldAging(true)
		r.leave(10, g1, "port1")
	}, []string{"12.0 233.252.0.1 port1 left EXCLUDE{}"}},
	"the configuration": {func(r *rig) {
		r.owned(0, static, g2, "port2", mcast.ModeIsInclude, s1)
		r.owned(10, static, g2, "port2", mcast.BlockOldSources, s1)
		r.c.RemoveMember("port1", sec(11))
	}, []string{"0.0 233.252.0.2 port2 joined INCLUDE{198.51.100.1} by static ", "10.0 233.252.0.2 port2 left INCLUDE{198.51.100.1} by static ",
		"11.0 233.252.0.1 port1 removed EXCLUDE{}"}},
	"a remote node that is gone, and one that fell silent": {func(r *rig) {
		r.owned(0, node1, g2, "tunnel", mcast.ModeIsExclude)
		r.owned(0, node2, g3, "tunnel", mcast.ModeIsExclude)
		r.to(30)
		r.c.RemoveOwner(node1)
		r.c.RemoveMember("port1", sec(30))
	}, []string{"0.0 233.252.0.2 tunnel joined EXCLUDE{} by remote node1", "0.0 233.252.0.3 tunnel joined EXCLUDE{} by remote node2",
		"30.0 233.252.0.2 tunnel removed EXCLUDE{} by remote node1", "30.0 233.252.0.1 port1 removed EXCLUDE{}",
		"270.0 233.252.0.3 tunnel expired EXCLUDE{} by remote node2"}},
	"one of several owners": {func(r *rig) {
		r.owned(1, static, g1, "port1", mcast.ModeIsInclude, s1) // adds nothing to EXCLUDE{}
		r.leave(10, g1, "port1")
		r.owned(20, node1, g1, "port1", mcast.ModeIsInclude, s1)
		r.c.RemoveOwner(static)
		r.owned(30, node1, g1, "port1", mcast.BlockOldSources, s1)
	}, []string{"12.0 233.252.0.1 port1 refiltered EXCLUDE{} to INCLUDE{198.51.100.1}",
		"30.0 233.252.0.1 port1 left INCLUDE{198.51.100.1} by remote node1"}},
	"a removed member of several owners": {func(r *rig) {
		r.owned(1, static, g1, "port1", mcast.ModeIsInclude, s1)
		r.c.RemoveMember("port1", sec(10))
	}, []string{"10.0 233.252.0.1 port1 removed EXCLUDE{} by static "}},
}

func TestE2_AnEventSaysHowAMembershipEndedAndByWhose(t *testing.T) {
	for name, test := range endings {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, mcast.Config[string]{Leave: byLeave})
			r.join(0, g1, "port1")
			w := r.c.Watch(0)
			test.do(r)
			r.to(2000)
			require.Equal(t, test.want, heard(w))
		})
	}
}

func TestE3_AnEventHasTheTimeOfWhatEndedHoweverLateItIsFound(t *testing.T) {
	sources := func(r *rig) { // s1 is left at 10, s2 expires at 300, s3 at 310
		r.report(0, g1, "port1", mcast.ModeIsInclude, s1)
		r.report(30, g1, "port1", mcast.ModeIsInclude, s2)
		r.report(40, g1, "port1", mcast.ModeIsInclude, s3)
		require.NoError(t, r.c.Apply(mcast.Report[string]{Group: g1, Member: "port1", Kind: mcast.BlockOldSources, Sources: addrs(s1), At: sec(40)}))
	}
	tests := map[string]struct {
		do   func(r *rig)
		want []string
	}{
		"silence": {func(r *rig) { r.join(0, g1, "port1") }, []string{"270.0 233.252.0.1 port1 expired EXCLUDE{}"}},
		"a leave": {func(r *rig) {
			r.join(0, g1, "port1")
			require.NoError(t, r.c.Apply(mcast.Leave(g1, "port1", sec(10))))
		}, []string{"12.0 233.252.0.1 port1 left EXCLUDE{}"}},
		"sources: silence was last": {sources, []string{
			"310.0 233.252.0.1 port1 expired INCLUDE{198.51.100.1, 198.51.100.2, 198.51.100.3}"}},
		"sources: a leave was last": {func(r *rig) {
			sources(r)
			require.NoError(t, r.c.Apply(mcast.Report[string]{Group: g1, Member: "port1", Kind: mcast.BlockOldSources, Sources: addrs(s3), At: sec(308.5)}))
		}, []string{"310.0 233.252.0.1 port1 left INCLUDE{198.51.100.3}"}},
		"sources: silence and a leave together": {func(r *rig) {
			r.report(0, g1, "port1", mcast.ModeIsInclude, s1)
			r.report(40, g1, "port1", mcast.ModeIsInclude, s2)
			require.NoError(t, r.c.Apply(mcast.Report[string]{Group: g1, Member: "port1", Kind: mcast.BlockOldSources, Sources: addrs(s2), At: sec(268)}))
		}, []string{"270.0 233.252.0.1 port1 left INCLUDE{198.51.100.1, 198.51.100.2}"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, mcast.Config[string]{})
			test.do(r)
			w := r.c.Watch(0)
			r.c.Advance(sec(5000))
			require.Equal(t, test.want, heard(w))
		})
	}
}

// A report that was made before what is known by now keeps its time.
func TestALateReportKeepsItsTime(t *testing.T) {
	r := newRig(t, mcast.Config[string]{})
	w := r.c.Watch(0)
	r.to(10)
	require.NoError(t, r.c.Apply(mcast.Join(g1, "port1", sec(8))))
	require.Equal(t, []string{"8.0 233.252.0.1 port1 joined EXCLUDE{}"}, heard(w))
}
