package snooper

import (
	"net/netip"
	"slices"
	"testing"

	"github.com/ofmcast/ofmcast/igmp"
	"github.com/stretchr/testify/require"
)

func TestDataOfAGroupGoesToRouterPortsEvenWithoutMembers(t *testing.T) {
	s := New(Config{})
	s.SetRole(3, Router)
	g := addr("233.252.0.1")
	members := map[netip.Addr][]Port{}
	receivers := func() []Port {
		require.Equal(t, ForwardMembers, s.Data(g))
		all := append(slices.Clone(members[g]), routerPorts(s, 0)...)
		slices.Sort(all)
		return slices.Compact(all)
	}
	require.Equal(t, []Port{3}, receivers())
	for _, rec := range s.Frame(1, payloadFrame(t, "2200f0000000000104000000e9fc0001"), t0).Records {
		members[rec.Group] = append(members[rec.Group], rec.Port)
	}
	require.Equal(t, []Port{1, 3}, receivers())
}

// 239.0.0.1, 224.0.0.1 and 224.128.0.1 share the MAC 01:00:5e:00:00:01.
func TestGroupsThatShareAMACStayApart(t *testing.T) {
	join := "01005e00000100005e005301080046c00020000040000102330bc000020bef000001940400001600fafdef000001"
	s := New(Config{})
	r := s.Frame(1, unhex(t, join), t0)
	require.Len(t, r.Records, 1)
	require.Equal(t, addr("239.0.0.1"), r.Records[0].Group)
	require.Equal(t, ForwardAll, s.Data(addr("224.0.0.1")), "never pruned")
	require.Equal(t, ForwardMembers, s.Data(addr("224.128.0.1")), "whose members are others")
}

func TestDataIsForwardedByItsDestination(t *testing.T) {
	s := New(Config{})
	for dst, want := range map[string]Forward{
		"224.0.0.0":          ForwardAll,
		"224.0.0.251":        ForwardAll,
		"::ffff:224.0.0.251": ForwardAll,
		"224.0.1.0":          ForwardMembers,
		"224.0.1.1":          ForwardMembers,
		"232.1.1.1":          ForwardMembers,
		"239.255.255.255":    ForwardMembers,
		"192.0.2.1":          ForwardNormal,
		"240.0.0.1":          ForwardNormal,
		"ff02::fb":           ForwardNormal,
	} {
		require.Equal(t, want, s.Data(addr(dst)), dst)
	}
	require.Equal(t, ForwardNormal, s.Data(netip.Addr{}))
}

// RFC 4541 2.1.1(3).
func TestUnknownIGMPTypesAreFlooded(t *testing.T) {
	known := []igmp.Type{
		igmp.TypeQuery, igmp.TypeReportV1, igmp.TypeReportV2, igmp.TypeLeave, igmp.TypeReportV3, igmp.TypeDVMRP,
		igmp.TypePIMv1, igmp.TypeRouterAdvertisement, igmp.TypeRouterTermination,
	}
	s := New(Config{})
	for b := range 256 {
		if typ := igmp.Type(b); !slices.Contains(known, typ) {
			for _, role := range []Role{Auto, Member} {
				s.SetRole(1, role)
				r := s.Frame(1, frameOf(t, host, &igmp.Other{MessageType: typ, Body: make([]byte, 4)}), t0)
				require.Equal(t, AcceptedOther, r.Verdict, typ)
				require.Equal(t, ForwardAll, r.Forward, typ)
			}
		}
	}
	require.Empty(t, routerPorts(s, 0))
}
