//go:build linux

package main

import (
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/igmp"
	"github.com/ofmcast/ofmcast/internal/ovslab"
)

// leavesOf tells the records by which a host takes its leave of a group (RFC 9776 5.1).
func leavesOf(g netip.Addr) func(ovslab.Frame) bool {
	return func(f ovslab.Frame) bool {
		var d igmp.Decoder
		v, err := d.Frame(f.Data)
		if err != nil || v.Type != igmp.TypeReportV3 {
			return false
		}
		for r := range v.Records() {
			if r.Group == g && r.Type == igmp.ToIn {
				return true
			}
		}
		return false
	}
}

// While anybody on the bridge wants a group the world outside hears of no leave, whoever leaves and
// whatever version they speak; the last one's is told once it is known that nobody is left.
func TestALeaveGoesUpstreamOnlyWithTheLastMember(t *testing.T) {
	t.Parallel()
	r := newRouterRig(t, versions...)
	members := map[string]*ovslab.Membership{}
	for _, host := range []string{"v2", "v3", "idle"} {
		members[host] = r.join(host, group)
	}
	r.awaitBuckets(group, 5*time.Second, "2", "3", "4", gatewayPort)
	eventually(t, func() bool { return r.outerJoin(group) }, 2*time.Second, 20*time.Millisecond)
	leaves, err := r.lab.Host("outside").Capture(leavesOf(group))
	require.NoError(t, err)

	require.NoError(t, members["v3"].Leave())
	r.awaitBuckets(group, 4*time.Second, "2", "4", gatewayPort)
	require.NoError(t, members["idle"].Leave())
	r.awaitBuckets(group, 4*time.Second, "2", gatewayPort)
	require.Empty(t, leaves.Frames())
	require.True(t, r.outerJoin(group))

	left := time.Now()
	require.NoError(t, members["v2"].Leave())
	frames, err := leaves.Await(within(t, 6*time.Second), atLeast(1))
	require.NoError(t, err)
	require.Greater(t, frames[0].At.Sub(left), 1900*time.Millisecond, "not before the last-member time is over")
	eventually(t, func() bool { return !r.outerJoin(group) }, 2*time.Second, 20*time.Millisecond)
}
