package igmp

import (
	"net"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestGroupMACTakesTheLow23Bits(t *testing.T) {
	for group, want := range map[string]string{
		"224.0.0.1": "01:00:5e:00:00:01", "239.1.1.1": "01:00:5e:01:01:01", "239.129.1.1": "01:00:5e:01:01:01",
		"239.255.255.255": "01:00:5e:7f:ff:ff", "::ffff:224.0.0.22": "01:00:5e:00:00:16",
	} {
		got, err := GroupMAC(addr(group))
		require.NoError(t, err)
		require.Equal(t, want, got.String())
	}
	for _, a := range []netip.Addr{{}, addr("192.0.2.1"), addr("240.0.0.1"), addr("255.255.255.255"), addr("ff02::1")} {
		_, err := GroupMAC(a)
		require.ErrorIs(t, err, ErrAddress, "%v", a)
	}
}

func TestMACPrintsLikeTheStandardLibrary(t *testing.T) {
	m := MAC{0x01, 0x00, 0x5e, 0x7f, 0xab, 0xff}
	require.Equal(t, net.HardwareAddr(m[:]).String(), m.String())
}

func TestTagRoundTrip(t *testing.T) {
	for _, tpid := range []uint16{tpidCustomer, tpidService} {
		for tci := range 1 << 16 {
			gotTPID, gotTCI, err := vlanFrom(tpid, uint16(tci)).tag()
			require.NoError(t, err)
			if gotTPID != tpid || gotTCI != uint16(tci) {
				t.Fatalf("%#x %#x became %#x %#x", tpid, tci, gotTPID, gotTCI)
			}
		}
	}
}

func TestNamesOfTypes(t *testing.T) {
	for typ, want := range map[Type]string{
		TypeQuery: "query", TypeReportV1: "v1 report", TypeReportV2: "v2 report", TypeLeave: "v2 leave",
		TypeReportV3: "v3 report", TypeDVMRP: "DVMRP", TypePIMv1: "PIMv1", TypeTraceQuery: "mtrace query",
		TypeTraceResponse: "mtrace response", TypeRouterAdvertisement: "router advertisement",
		TypeRouterSolicitation: "router solicitation", TypeRouterTermination: "router termination",
		0: "Type(0x00)", 0x99: "Type(0x99)",
	} {
		require.Equal(t, want, typ.String())
	}
	for typ, want := range map[RecordType]string{
		0: "RecordType(0x00)", 1: "IS_IN", 2: "IS_EX", 3: "TO_IN", 4: "TO_EX", 5: "ALLOW", 6: "BLOCK", 7: "RecordType(0x07)",
		0xff: "RecordType(0xff)",
	} {
		require.Equal(t, want, typ.String())
		require.Equal(t, typ >= 1 && typ <= 6, typ.Known())
	}
}

func TestNamesOfLayersAndChecksumStates(t *testing.T) {
	for l, want := range []string{"none", "Ethernet", "IPv4", "IGMP", "Layer(0x04)"} {
		require.Equal(t, want, Layer(l).String())
	}
	for s, want := range []string{"unread", "good", "bad", "ChecksumState(0x03)"} {
		require.Equal(t, want, ChecksumState(s).String())
	}
}

func TestDestinationOfRouterDiscovery(t *testing.T) {
	for typ, want := range map[Type]netip.Addr{
		TypeRouterAdvertisement: allSnoopers, TypeRouterTermination: allSnoopers, TypeRouterSolicitation: allRouters,
	} {
		got, err := Destination(&Other{MessageType: typ})
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
}
