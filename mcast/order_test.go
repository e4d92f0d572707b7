package mcast_test

import (
	"cmp"
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/mcast"
)

func TestO1_MembersComeByOrderOrByJoining(t *testing.T) {
	r := newRig(t, mcast.Config[string]{})
	for _, m := range []string{"c", "a", "d", "b"} {
		r.join(0, g1, m)
	}
	r.join(0, g2, "b") // another group has an order of its own
	r.join(0, g2, "a")
	r.report(1, g1, "a", mcast.AllowNewSources, s1) // a change keeps the place
	r.report(1, g1, "c", mcast.ChangeToInclude, s1)
	r.to(10)
	s, _ := r.c.Lookup(g1)
	require.Equal(t, []string{"c", "a", "d", "b"}, slices.Collect(s.Members()))
	s, _ = r.c.Lookup(g2)
	require.Equal(t, []string{"b", "a"}, slices.Collect(s.Members()))

	byLength := func(a, b string) int { return cmp.Compare(len(a), len(b)) }
	r = newRig(t, mcast.Config[string]{Order: byLength})
	for _, m := range []string{"zz", "ccc", "y", "aa", "x"} {
		r.join(0, g1, m)
	}
	s, _ = r.c.Lookup(g1)
	require.Equal(t, []string{"y", "x", "zz", "aa", "ccc"}, slices.Collect(s.Members()))
	for range s.Members() {
		break // a range may stop
	}
}

// forwarding is "any:a,b 198.51.100.1:b".
func forwarding(s mcast.State[string]) string {
	var out []string
	for src, members := range s.Forwarding() {
		name := "any"
		if src.IsValid() {
			name = src.String()
		}
		out = append(out, name+":"+strings.Join(slices.Collect(members), ","))
	}
	return strings.Join(out, " ")
}

func TestO2_TheOrderStaysWhileNothingChanges(t *testing.T) {
	r := newRig(t, mcast.Config[string]{})
	for _, m := range ports(100) {
		r.report(0, g1, m, mcast.ChangeToExclude, s2, s1)
	}
	r.report(0, g1, "one", mcast.AllowNewSources, s3)
	s, _ := r.c.Lookup(g1)
	members, rows := slices.Collect(s.Members()), forwarding(s)
	for i := range 100 {
		r.report(float64(i+1), g1, ports(100)[99-i], mcast.ModeIsExclude, s1, s2)
		s, _ = r.c.Lookup(g1)
		require.Equal(t, members, slices.Collect(s.Members()))
		require.Equal(t, rows, forwarding(s))
	}
}

func TestO3_ReportsCountInTheOrderInWhichTheyAreApplied(t *testing.T) {
	r := newRig(t, mcast.Config[string]{Leave: func(string) mcast.LeavePolicy { return mcast.Immediate }})
	r.to(20)
	require.NoError(t, r.c.Apply(mcast.Join(g1, "port1", sec(10))))
	require.NoError(t, r.c.Apply(mcast.Leave(g1, "port1", sec(9)))) // made before, applied after
	require.Empty(t, r.has(g1))
	require.NoError(t, r.c.Apply(mcast.Join(g1, "port1", sec(8))))
	r.to(277.9)
	require.Equal(t, "port1:EXCLUDE{}", r.has(g1))
	r.to(278) // timers start when a report was made
	require.Empty(t, r.has(g1))
}

func TestO4_AStateNeverChanges(t *testing.T) {
	r := newRig(t, mcast.Config[string]{})
	type copied struct {
		state mcast.State[string]
		was   string
	}
	var kept []copied
	keep := func() {
		s, _ := r.c.Lookup(g1)
		kept = append(kept, copied{s, s.String() + forwarding(s) + s.Filter().String()})
	}
	for i, m := range ports(60) {
		r.report(float64(i), g1, m, mcast.ModeIsExclude, s1)
		keep()
		r.report(float64(i), g1, ports(60)[i/2], mcast.AllowNewSources, s1)
		keep()
		if i%5 == 0 {
			r.c.RemoveMember(ports(60)[i/5], sec(float64(i)))
			keep()
		}
	}
	r.to(1000)
	for _, k := range kept {
		require.Equal(t, k.was, k.state.String()+forwarding(k.state)+k.state.Filter().String())
	}
}

// TestReadersAndWritersDoNotMeet is for the race detector: joins and leaves by
// remote owners beside readers of snapshots that range over everything.
func TestReadersAndWritersDoNotMeet(t *testing.T) {
	r := newRig(t, mcast.Config[string]{Leave: func(string) mcast.LeavePolicy { return mcast.Immediate }})
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			for i := range 300 {
				m := fmt.Sprintf("tunnel%d", (w+i)%20)
				kind := []mcast.Kind{mcast.ChangeToExclude, mcast.ChangeToInclude, mcast.AllowNewSources, mcast.BlockOldSources}[i%4]
				_ = r.c.Apply(mcast.Report[string]{Group: nth(i % 3), Member: m, Kind: kind, Owner: node1,
					Sources: []netip.Addr{s1, s2, s3}[:i%4], At: sec(float64(i))})
				if i%50 == 0 {
					r.c.RemoveMember(m, sec(float64(i)-1))
					r.c.HoldAging(i%100 == 0)
				}
			}
		})
		wg.Go(func() {
			for i := range 100 {
				for s := range r.c.Groups() {
					_ = s.String() + forwarding(s)
				}
				s, _ := r.c.Lookup(nth(i % 3))
				require.Equal(t, s.Len(), len(slices.Collect(s.Members())))
				_ = r.c.Statistics()
				_, _ = r.c.Next()
			}
		})
	}
	wg.Go(func() {
		for i := range 300 {
			r.c.Advance(sec(float64(i)))
			_ = r.c.Flush(context.Background())
		}
	})
	wg.Wait()
	r.flush()
	for s := range r.c.Groups() {
		require.Equal(t, s.String(), r.Holds()[s.Group()].String())
	}
}
