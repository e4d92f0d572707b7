package snooper

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/ofmcast/ofmcast/igmp"
	"github.com/stretchr/testify/require"
)

func TestAQueryIsToldWhole(t *testing.T) {
	m := &igmp.Query{
		Version: 3, Group: group, MaxResp: time.Second, SuppressRouter: true, QRV: 3, QQI: 60 * time.Second,
		Sources: addrs("198.51.100.1", "198.51.100.2"),
	}
	r := New(Config{}).Frame(4, frameOf(t, querier, m, 10), t0)
	require.Equal(t, AcceptedQuery, r.Verdict)
	require.Equal(t, ForwardAll, r.Forward)
	require.Empty(t, r.Records)
	want := &Query{
		Port: 4, Host: Host{MAC: hostMAC, Addr: querier}, VLAN: 10, Version: 3, Group: group, MaxResp: time.Second,
		SuppressRouter: true, QRV: 3, QQI: 60 * time.Second, Sources: m.Sources, At: t0,
	}
	require.Empty(t, cmp.Diff(want, r.Query, cmpopts.EquateComparable(group)))
	require.False(t, r.Query.General())
	require.False(t, r.Query.Proxy())
}

// Hosts need it and timers follow it, but who sends it is no router.
func TestAQueryFrom0000IsAQueryButNoSignOfARouter(t *testing.T) {
	frame := unhex(t, "01005e00000100005e005301080046c00024000040000102041300000000e0000001940400001164ec1e00000000027d0000")
	s := New(Config{})
	r := s.Frame(1, frame, t0)
	require.Equal(t, AcceptedQuery, r.Verdict)
	require.Equal(t, ForwardAll, r.Forward)
	require.True(t, r.Query.Proxy())
	require.True(t, r.Query.General())
	require.Equal(t, 125*time.Second, r.Query.QQI)
	require.Empty(t, routerPorts(s, 0))
	_, waiting := s.Next()
	require.False(t, waiting)
}

func TestAV1QueryIsGeneralWhateverItsGroupField(t *testing.T) {
	r := New(Config{}).Frame(1, frameTo(t, querier, addr("224.0.0.1"), &igmp.Query{Version: 1, Group: group}), t0)
	require.True(t, r.Query.General())
}

func TestAGeneralQueryHasNoSources(t *testing.T) {
	m := generalQuery()
	m.Sources = addrs("198.51.100.1")
	r := New(Config{}).Frame(1, frameOf(t, querier, m), t0)
	require.True(t, r.Query.General())
	require.Empty(t, r.Query.Sources)
}

func TestAQueryForAUnicastAddressIsIgnored(t *testing.T) {
	s := New(Config{})
	m := generalQuery()
	m.Group = host
	r := s.Frame(1, frameTo(t, querier, addr("224.0.0.1"), m), t0)
	require.Equal(t, IgnoredNotMulticast, r.Verdict)
	require.Equal(t, ForwardNone, r.Forward)
	require.Nil(t, r.Query)
	require.Empty(t, routerPorts(s, 0))
}

// A query's sources share their array with records', one frame later.
func TestAResultIsReplacedByTheNextCall(t *testing.T) {
	s := New(Config{})
	q := s.Frame(1, frameOf(t, querier, generalQuery()), t0).Query
	require.True(t, q.General())
	m := generalQuery()
	m.Group = group
	require.Same(t, q, s.Frame(1, frameOf(t, querier, m), t0).Query)
	require.Nil(t, s.Frame(1, frameOf(t, host, &igmp.ReportV2{Group: group}), t0).Query)
}
