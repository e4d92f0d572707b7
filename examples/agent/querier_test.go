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

// What leaves on the wire is the frame that the querier rendered, byte for byte: IP protocol, TTL,
// Router Alert and both checksums.
func TestAGeneralQueryArrivesAsItWasRendered(t *testing.T) {
	t.Parallel()
	r := newRig(t, []string{"-query-address", "192.0.2.254"}, versions...)
	queries, err := r.lab.Host("v3").Capture(isGeneralQuery)
	require.NoError(t, err)
	frames, err := queries.Await(within(t, 5*time.Second), atLeast(1))
	require.NoError(t, err)

	var d igmp.Decoder
	v, err := d.Frame(frames[0].Data)
	require.NoError(t, err, "checksums are verified")
	require.Equal(t, netip.MustParseAddr("192.0.2.254"), v.Src)
	require.Equal(t, netip.MustParseAddr("224.0.0.1"), v.Dst)
	require.EqualValues(t, 1, v.TTL)
	require.EqualValues(t, 0xc0, v.TOS)
	require.True(t, v.RouterAlert)
	require.EqualValues(t, 2, v.Protocol)
	require.EqualValues(t, 3, v.Version)
	require.Equal(t, time.Second, v.MaxResp)
	require.Equal(t, 2*time.Second, v.QQI)
}

// Queries that the switch does not take are noticed: while nobody can be asked, silence ends nothing.
func TestMembersStayWhileNobodyCanBeAsked(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil, ovslab.HostConfig{Name: "a", Port: "shared"}, ovslab.HostConfig{Name: "b", Port: "shared"})
	r.join("a", group)
	r.awaitBuckets(group, 5*time.Second, "1")
	// Without the group of the member ports, a query's packet-out is refused.
	_, err := r.lab.Ofctl(t.Context(), "del-groups", r.lab.Mgmt(), "group_id=1")
	require.NoError(t, err)
	// The only member goes without a word. The port's link stays up: another host is there.
	require.NoError(t, r.lab.Host("a").Crash(t.Context()))
	never(t, func() bool { return r.bucketsOf(group) == nil }, 9*time.Second, 200*time.Millisecond,
		"the membership interval is 6 s")

	// The first query that goes out again and finds nobody is the end of it.
	_, err = r.lab.Ofctl(t.Context(), "add-group", r.lab.Mgmt(), "group_id=1,type=all,bucket=actions=output:1")
	require.NoError(t, err)
	r.awaitGone(group, 8*time.Second)
}

// Hosts of every version answer queries of version 3 on their own ports. Two reports are a join's own;
// the third is an answer, for which an IGMPv1 host takes up to 10 s.
func TestHostsOfEveryVersionAnswerOnTheirPorts(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil, versions[:3]...)
	types := map[string]igmp.Type{"v1": igmp.TypeReportV1, "v2": igmp.TypeReportV2, "v3": igmp.TypeReportV3}
	reports := make(map[string]*ovslab.Capture)
	for h := range types {
		capture, err := r.lab.Capture(h, isReport)
		require.NoError(t, err)
		reports[h] = capture
		r.join(h, group)
	}
	r.awaitBuckets(group, 5*time.Second, "1", "2", "3")
	for h, want := range types {
		got, err := reports[h].Await(within(t, 40*time.Second), atLeast(3))
		require.NoError(t, err, h)
		for _, f := range got {
			require.Equal(t, want, igmpType(f.Data), h)
		}
	}
}

func isReport(f ovslab.Frame) bool {
	switch igmpType(f.Data) {
	case igmp.TypeReportV1, igmp.TypeReportV2, igmp.TypeReportV3:
		return !f.Sent
	}
	return false
}
