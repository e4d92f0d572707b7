//go:build linux

package main

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/internal/ovslab"
)

// Linux's own bridge as the querier beyond an uplink: it judges our reports, as a switch outside does.
func TestALinuxBridgeBeyondAnUplinkQueriesAndLearnsFromOurReports(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"3", "2"} {
		t.Run("version "+version, func(t *testing.T) {
			t.Parallel()
			linuxBridgeBeyondAnUplink(t, version)
		})
	}
}

func linuxBridgeBeyondAnUplink(t *testing.T, version string) {
	r := newRig(t, []string{"-role", "router=uplink"}, besideRouter...)
	r.makeBridge("router", version)
	eventually(t, func() bool { return len(r.groupPorts("4")) == 1 }, 8*time.Second, 50*time.Millisecond, "its queries make it a router port")
	require.False(t, r.forwardedBeyond("router", group))
	m := r.join("m2", group)
	r.awaitBuckets(group, 5*time.Second, "2")
	eventually(t, func() bool { return r.forwardedBeyond("router", group) }, 5*time.Second, 50*time.Millisecond)
	// It asks us every 2 s, and would forget us after 5 s.
	never(t, func() bool { return !r.forwardedBeyond("router", group) }, 6*time.Second, 200*time.Millisecond)

	tap := r.tap("m2", group)
	r.send("router", ovslab.Stream{To: group, Packets: 100})
	requireOnce(t, tap, 100)

	require.NoError(t, m.Leave())
	eventually(t, func() bool { return !r.forwardedBeyond("router", group) }, 5*time.Second, 50*time.Millisecond)
}

// makeBridge puts a Linux bridge that queries behind a host's interface, with the host's address.
func (r *rig) makeBridge(host, version string) {
	r.t.Helper()
	h := r.lab.Host(host)
	for _, args := range []string{
		"link add lan type bridge forward_delay 0 mcast_querier 1 mcast_igmp_version " + version +
			" mcast_query_use_ifaddr 1 mcast_query_interval 200 mcast_startup_query_interval 100" +
			" mcast_query_response_interval 100 mcast_membership_interval 500 mcast_last_member_interval 50",
		"addr flush dev eth0", "addr add " + h.Addr().String() + "/24 dev lan",
		"link set eth0 master lan", "link set lan up",
	} {
		_, err := h.Run(r.t.Context(), "ip", strings.Fields(args)...)
		require.NoError(r.t, err, args)
	}
}

// forwardedBeyond says whether the bridge has learnt that its port to us wants the group.
func (r *rig) forwardedBeyond(host string, g netip.Addr) bool {
	r.t.Helper()
	out, err := r.lab.Host(host).Run(r.t.Context(), "bridge", "mdb", "show", "dev", "lan")
	require.NoError(r.t, err)
	return strings.Contains(string(out), "port eth0 grp "+g.String()+" ")
}
