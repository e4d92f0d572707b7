package view

import (
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/igmp"
)

func TestHostsAreRememberedWithTheirPort(t *testing.T) {
	var h Hosts
	one, two := igmp.MAC{2, 0, 0, 0, 0, 1}, igmp.MAC{2, 0, 0, 0, 0, 2}
	addr := netip.MustParseAddr("192.0.2.1")
	h.Asked(start, 7, 8)
	h.Heard(7, one, addr, 3, start.Add(time.Second))
	h.Heard(7, two, netip.IPv4Unspecified(), 2, start.Add(2*time.Second))
	h.Heard(7, one, addr, 1, start.Add(3*time.Second))
	h.Asked(start.Add(4*time.Second), 7)

	p := Port{Number: 7}
	h.fill(&p)
	require.Equal(t, []Host{
		{MAC: "02:00:00:00:00:01", Addr: addr, IGMP: 1, Last: start.Add(3 * time.Second)},
		{MAC: "02:00:00:00:00:02", Addr: netip.IPv4Unspecified(), IGMP: 2, Last: start.Add(2 * time.Second)},
	}, p.Hosts, "the newest first, each once")
	require.Equal(t, start.Add(4*time.Second), *p.LastQuery)
	require.Equal(t, start.Add(3*time.Second), *p.LastAnswer)

	silent := Port{Number: 8}
	h.fill(&silent)
	require.Equal(t, start, *silent.LastQuery, "the general query went there too")
	require.Nil(t, silent.LastAnswer)
	other := Port{Number: 9}
	h.fill(&other)
	require.Nil(t, other.LastQuery, "nobody is asked there")

	h.keep([]PortInfo{{Number: 8}})
	gone := Port{Number: 7}
	h.fill(&gone)
	require.Empty(t, gone.Hosts, "a port that is gone takes what was known of it along")
}

func TestAPortRemembersSoManyHostsAndNoMore(t *testing.T) {
	var h Hosts
	for i := range 10 * maxHosts {
		h.Heard(1, igmp.MAC{2, 0, 0, 0, byte(i >> 8), byte(i)}, netip.Addr{}, 3, start.Add(time.Duration(i)*time.Second))
	}
	p := Port{Number: 1}
	h.fill(&p)
	require.Len(t, p.Hosts, maxHosts)
	require.Equal(t, start.Add((10*maxHosts-1)*time.Second), p.Hosts[0].Last)
	require.Equal(t, start.Add(9*maxHosts*time.Second), p.Hosts[maxHosts-1].Last, "the longest silent ones are forgotten")
}
