package main

import (
	"log/slog"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/igmp/snooper"
	"github.com/ofmcast/ofmcast/mcast"
)

// inVLANs is an agent that has served these VLANs, and is connected to nothing.
func inVLANs(t *testing.T, vlans []uint16, args ...string) *agent {
	o, err := parseOptions(append([]string{"-ovsdb", "", "-state", ""}, args...), t.Output())
	require.NoError(t, err)
	a, err := newAgent(o, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	a.layout = newLayout([]port{{number: 1, role: roleUplink, vlans: trunk(vlans...)}}, nil, nil)
	a.keepQueriers()
	require.Len(t, a.queriers, len(vlans))
	return a
}

// heardQuery is the query of another querier, which says these numbers.
func heardQuery(vlan snooper.VLAN, qqi time.Duration) *snooper.Query {
	return &snooper.Query{
		VLAN: vlan, Port: 1, Host: snooper.Host{Addr: netip.MustParseAddr("192.0.2.1")}, Version: 3,
		Group: netip.IPv4Unspecified(), MaxResp: 10 * time.Second, QRV: 2, QQI: qqi, At: time.Unix(1, 0),
	}
}

func TestTheTimingIsThatOfTheMostPatientVLAN(t *testing.T) {
	a := inVLANs(t, []uint16{10, 20})
	ours := a.timed
	require.Equal(t, mcast.Timing{RV: 2, QI: 125 * time.Second, QRI: 10 * time.Second, LMQI: time.Second, LMQC: 2}, ours)
	a.heard(heardQuery(10, 60*time.Second))
	require.Equal(t, ours, a.timed, "VLAN 20 is still asked by us")
	a.heard(heardQuery(20, 300*time.Second))
	require.Equal(t, 300*time.Second, a.timed.QI)
	require.False(t, a.timed.NonQuerier, "members' leaves are heard by us alone")
}

func TestLeavesAreTheQueriersWhereItHearsThem(t *testing.T) {
	a := inVLANs(t, []uint16{10, 20}, "-report", "transparent")
	a.heard(heardQuery(10, 125*time.Second))
	require.False(t, a.timed.NonQuerier, "there is one VLAN where it hears none")
	a.heard(heardQuery(20, 125*time.Second))
	require.True(t, a.timed.NonQuerier)
}

func TestQueriersComeAndGoWithTheirVLANs(t *testing.T) {
	a := inVLANs(t, []uint16{10, 20})
	a.heard(heardQuery(10, 125*time.Second))
	kept := a.queriers[10]
	a.layout.vlans = []uint16{10, 30}
	a.keepQueriers()
	require.Len(t, a.queriers, 2)
	require.Same(t, kept, a.queriers[10], "an election is not begun anew")
	require.NotNil(t, a.queriers[30])
}
