package policy_test

import (
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/examples/agent/policy"
	"github.com/ofmcast/ofmcast/mcast"
)

var (
	all = netip.Addr{}
	g1  = netip.MustParseAddr("233.252.0.1")
	g2  = netip.MustParseAddr("239.1.2.3")
	s1  = netip.MustParseAddr("198.51.100.1")
	s2  = netip.MustParseAddr("192.0.2.9")
)

func prefix(s string) netip.Prefix { return netip.MustParsePrefix(s) }

func TestTheFirstRuleThatMatchesDecides(t *testing.T) {
	p := policy.Policy{Rules: []policy.Rule{
		{Port: "vm1", Group: prefix("233.252.0.1/32")},
		{Deny: true, Group: prefix("233.252.0.0/24")},
		{Port: "vm2"},
		{Deny: true},
	}}
	for ask, want := range map[struct {
		port  string
		group netip.Addr
	}]bool{
		{"vm1", g1}: true, {"vm1", g1.Next()}: false, {"vm1", g2}: false, {"vm2", g1}: false, {"vm2", g2}: true, {"vm3", g2}: false,
	} {
		require.Equal(t, want, p.Allows(ask.port, ask.group, all), ask)
	}
	require.True(t, (&policy.Policy{}).Allows("vm1", g1, all))
	require.False(t, (&policy.Policy{DenyRest: true}).Allows("vm1", g1, all))
}

func TestWhoAsksForEverySourceAsksForTheDeniedOnesToo(t *testing.T) {
	deny := policy.Policy{Rules: []policy.Rule{{Deny: true, Source: prefix("198.51.100.0/24")}}}
	require.False(t, deny.Allows("vm1", g1, s1))
	require.True(t, deny.Allows("vm1", g1, s2))
	require.False(t, deny.Allows("vm1", g1, all))
	allow := policy.Policy{Rules: []policy.Rule{{Source: prefix("198.51.100.0/24")}}, DenyRest: true}
	require.True(t, allow.Allows("vm1", g1, s1))
	require.False(t, allow.Allows("vm1", g1, s2))
	require.False(t, allow.Allows("vm1", g1, all))
}

func TestARecordKeepsTheSourcesThatAreAllowed(t *testing.T) {
	p := policy.Policy{Rules: []policy.Rule{{Deny: true, Source: prefix("198.51.100.0/24")}}}
	both := []netip.Addr{s1, s2}
	for _, kind := range []mcast.Kind{mcast.ModeIsInclude, mcast.ChangeToInclude, mcast.AllowNewSources} {
		left, ok := p.Permit("vm1", g1, kind, both)
		require.True(t, ok)
		require.Equal(t, []netip.Addr{s2}, left, kind)
		_, ok = p.Permit("vm1", g1, kind, both[:1])
		require.False(t, ok, "nothing is left")
	}
	require.Equal(t, []netip.Addr{s1, s2}, both, "the record is not changed")
	for _, kind := range []mcast.Kind{mcast.ModeIsExclude, mcast.ChangeToExclude} {
		_, ok := p.Permit("vm1", g1, kind, nil)
		require.False(t, ok)
	}
	p.DenyRest = true
	left, ok := p.Permit("vm1", g1, mcast.BlockOldSources, both)
	require.True(t, ok, "to want less is always allowed")
	require.Equal(t, both, left)
	_, ok = p.Permit("vm1", g1, mcast.ChangeToInclude, nil)
	require.True(t, ok, "and so is a leave")
}

// filterOf is the filter of a member with these records.
func filterOf(t *testing.T, kind mcast.Kind, sources ...netip.Addr) mcast.Filter {
	t.Helper()
	c := mcast.New(mcast.Config[int]{})
	g := mcast.Group{Addr: g1}
	require.NoError(t, c.Apply(mcast.Report[int]{Group: g, Member: 1, Kind: kind, Sources: sources, At: time.Now()}))
	s, _ := c.Lookup(g)
	f, ok := s.FilterOf(1)
	require.True(t, ok)
	return f
}

func TestWhatIsNotAllowedAnyMoreIsTakenAway(t *testing.T) {
	p := policy.Policy{Rules: []policy.Rule{{Deny: true, Source: prefix("198.51.100.0/24")}}}
	kind, sources, yes := p.Denied("vm1", g1, filterOf(t, mcast.ChangeToExclude))
	require.True(t, yes)
	require.Equal(t, mcast.ChangeToInclude, kind)
	require.Empty(t, sources)
	kind, sources, yes = p.Denied("vm1", g1, filterOf(t, mcast.ChangeToInclude, s1, s2))
	require.True(t, yes)
	require.Equal(t, mcast.BlockOldSources, kind)
	require.Equal(t, []netip.Addr{s1}, sources)
	kind, _, yes = p.Denied("vm1", g1, filterOf(t, mcast.ChangeToInclude, s1))
	require.True(t, yes)
	require.Equal(t, mcast.ChangeToInclude, kind, "nothing is left")
	_, _, yes = p.Denied("vm1", g1, filterOf(t, mcast.ChangeToInclude, s2))
	require.False(t, yes)
}

func TestADrainedPortMayHaveNothing(t *testing.T) {
	p := policy.Policy{Drain: []string{"vm1"}, Rules: []policy.Rule{{Port: "vm1"}}}
	require.False(t, p.Allows("vm1", g1, all))
	require.False(t, p.Allows("vm1", g1, s1))
	require.True(t, p.Allows("vm2", g1, all))
	require.True(t, p.Drained("vm1"))
}
