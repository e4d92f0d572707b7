package querier_test

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/igmp/querier"
	"github.com/ofmcast/ofmcast/internal/ovslab"
)

// A switch that snoops and has no querier forgets its hosts' groups. A Linux bridge is one: its entries live as long as
// our queries make the hosts answer, and age out when they stop although the hosts are members all the time.
func TestALinuxBridgesEntriesLiveByOurQueriesAlone(t *testing.T) {
	t.Parallel()
	const membership = 2 * time.Second
	lab := startSnoopingBridge(t)
	groups := map[string]netip.Addr{"v2": netip.MustParseAddr("239.1.1.2"), "v3": netip.MustParseAddr("239.1.1.3")}
	for host, group := range groups {
		_, err := lab.Host(host).Join(group)
		require.NoError(t, err)
	}
	listed := func() (n int) {
		mdb, err := lab.Node().Run(t.Context(), "bridge", "mdb", "show", "dev", "br1")
		require.NoError(t, err)
		for host, group := range groups {
			if strings.Contains(mdb, "port "+host+" grp "+group.String()+" ") {
				n++
			}
		}
		return n
	}
	cfg := querier.Config{Addrs: []netip.Addr{lab.Host("us").Addr()}, QI: 500 * time.Millisecond, QRI: 200 * time.Millisecond}
	us := drive(t, lab, cfg)
	await(t, 10*time.Second, "both groups are listed", func() bool { return listed() == len(groups) })

	for end := time.Now().Add(5 * membership / 2); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		require.Equal(t, len(groups), listed(), "while we ask")
	}
	us.stop()
	await(t, 10*time.Second, "the entries age out when nobody asks", func() bool { return listed() == 0 })
	drive(t, lab, cfg)
	await(t, 10*time.Second, "one question brings them back", func() bool { return listed() == len(groups) })
}

// startSnoopingBridge makes a Linux bridge without a querier of its own, with us and two hosts at its ports, which have
// the hosts' names. Open vSwitch has no part in it.
func startSnoopingBridge(t *testing.T) *ovslab.NetLab {
	uplink := func(n byte) netip.Addr { return netip.AddrFrom4([4]byte{192, 0, 2, 100 + n}) }
	lab := ovslab.NewNet(t, ovslab.NetConfig{Hosts: []ovslab.HostConfig{
		{Name: "us", Uplink: uplink(1)}, {Name: "v2", Uplink: uplink(2), IGMPVersion: 2}, {Name: "v3", Uplink: uplink(3)},
	}})
	ip(t, lab.Node(), []string{"link", "add", "br1", "type", "bridge", "stp_state", "0", "forward_delay", "0",
		"mcast_snooping", "1", "mcast_querier", "0", "mcast_igmp_version", "3", "mcast_membership_interval", "200"})
	for _, port := range []string{"us", "v2", "v3"} {
		ip(t, lab.Node(), []string{"addr", "flush", "dev", port}, []string{"link", "set", "dev", port, "master", "br1"})
	}
	ip(t, lab.Node(), []string{"link", "set", "dev", "br1", "up"})
	return lab
}
