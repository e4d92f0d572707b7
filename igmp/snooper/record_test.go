package snooper

import (
	"net/netip"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/ofmcast/ofmcast/igmp"
	"github.com/stretchr/testify/require"
)

// sameRecords compares records, an empty list of sources being none.
func sameRecords(t *testing.T, want, got []Record) {
	t.Helper()
	require.Empty(t, cmp.Diff(want, got, cmpopts.EquateEmpty(), cmpopts.EquateComparable(netip.Addr{})))
}

func TestV1AndV2ReportsAreFoundWhateverTheyAreAddressedTo(t *testing.T) {
	mac := igmp.MAC{0, 0, 0x5e, 0, 0x53, 1}
	for version, frame := range map[uint8]string{
		1: "01005e7c000100005e005301080045c0001c000040000102cd17c000020be9fc000112000402e9fc0001",
		2: "01005e7c000100005e005301080045c0001c000040000102cd17c000020be9fc000116000002e9fc0001",
	} {
		s := New(Config{})
		r := s.Frame(7, unhex(t, frame), t0)
		require.Equal(t, AcceptedReport, r.Verdict)
		require.Equal(t, ForwardRouters, r.Forward)
		sameRecords(t, []Record{{
			Port: 7, Host: Host{MAC: mac, Addr: addr("192.0.2.11")}, Group: addr("233.252.0.1"),
			Kind: igmp.IsEx, Version: version, At: t0,
		}}, r.Records)
	}
}

func TestRecordsAreInTheVLANOfTheirFrame(t *testing.T) {
	tagged := "01005e7c000100005e005301" + "8100%" + "080046c00020000040000102380fc000020be9fc00019404000016000002e9fc0001"
	for tag, want := range map[string]VLAN{"0064": 100, "6000": 0} { // VLAN 100; priority 3 and VLAN 0, which is untagged
		frame := unhex(t, tagged[:28]+tag+tagged[29:])
		r := New(Config{}).Frame(1, frame, t0)
		require.Equal(t, want, r.VLAN)
		require.Len(t, r.Records, 1)
		require.Equal(t, want, r.Records[0].VLAN)
		require.Equal(t, addr("233.252.0.1"), r.Records[0].Group)
	}
	for name, tags := range map[string][]uint16{"0": nil, "10": {10}, "100.10": {100, 10}, "11": {0, 11}, "12": {12, 0}} {
		r := New(Config{}).Frame(1, frameOf(t, host, &igmp.ReportV2{Group: group}, tags...), t0)
		require.Equal(t, name, r.Records[0].VLAN.String())
	}
}

func TestBothFormsOfAV3LeaveAreRecords(t *testing.T) {
	s := New(Config{})
	for payload, kind := range map[string]igmp.RecordType{
		"2200f0000000000104000000e9fc0001": igmp.ToEx,
		"2200f1000000000103000000e9fc0001": igmp.ToIn,
		"2200f3000000000101000000e9fc0001": igmp.IsIn,
	} {
		r := s.Frame(1, payloadFrame(t, payload), t0)
		sameRecords(t, []Record{{
			Port: 1, Host: Host{MAC: hostMAC, Addr: host}, Group: addr("233.252.0.1"), Kind: kind, Version: 3, At: t0,
		}}, r.Records)
	}
}

func TestAV2LeaveReadsAsChangeToIncludeNothing(t *testing.T) {
	r := New(Config{}).Frame(1, frameOf(t, host, &igmp.Leave{Group: group}), t0)
	require.Equal(t, ForwardRouters, r.Forward)
	sameRecords(t, []Record{{
		Port: 1, Host: Host{MAC: hostMAC, Addr: host}, Group: group, Kind: igmp.ToIn, Version: 2, At: t0,
	}}, r.Records)
}

// 224.0.0.251, 224.0.0.18 and 224.0.1.129 in one report.
func TestLinkLocalGroupsAreNotTrackedAndTheRangeEndsAt24Bits(t *testing.T) {
	s := New(Config{})
	r := s.Frame(1, payloadFrame(t, "22002f6c0000000304000000e00000fb04000000e000001204000000e0000181"), t0)
	require.Equal(t, AcceptedReport, r.Verdict)
	require.Len(t, r.Records, 1)
	require.Equal(t, addr("224.0.1.129"), r.Records[0].Group)
	require.Equal(t, uint64(2), s.Counters().Records[IgnoredLinkLocal])
	require.Equal(t, uint64(1), s.Counters().Records[AcceptedReport])

	for g, want := range map[string]Verdict{
		"223.255.255.255": IgnoredNotMulticast,
		"224.0.0.0":       IgnoredLinkLocal,
		"224.0.0.255":     IgnoredLinkLocal,
		"224.0.1.0":       AcceptedReport,
		"224.0.1.1":       AcceptedReport,
		"239.255.255.255": AcceptedReport,
		"240.0.0.0":       IgnoredNotMulticast,
	} {
		m := &igmp.ReportV3{Records: []igmp.Record{{Type: igmp.ToEx, Group: addr(g)}}}
		require.Equal(t, want, s.Frame(1, frameOf(t, host, m), t0).Verdict, g)
	}
}

func TestSourceSpecificRangeTakesOnlyWhatNamesSources(t *testing.T) {
	ssm, other := addr("232.1.1.1"), addr("239.1.1.1")
	source := addrs("198.51.100.1")
	all := &igmp.ReportV3{}
	for kind := igmp.IsIn; kind <= igmp.Block; kind++ {
		for _, g := range []netip.Addr{ssm, other} {
			all.Records = append(all.Records, igmp.Record{Type: kind, Group: g, Sources: source})
		}
	}
	for _, c := range []struct {
		name       string
		ranges     []netip.Prefix
		taken      []igmp.RecordType
		v1v2Ignore Verdict
	}{
		{"232/8 by default", nil, []igmp.RecordType{igmp.IsIn, igmp.ToIn, igmp.Allow, igmp.Block}, IgnoredSSM},
		{"nowhere", []netip.Prefix{}, []igmp.RecordType{1, 2, 3, 4, 5, 6}, AcceptedReport},
		{"elsewhere", []netip.Prefix{netip.MustParsePrefix("232.2.0.0/16")}, []igmp.RecordType{1, 2, 3, 4, 5, 6}, AcceptedReport},
		{"also there", []netip.Prefix{netip.MustParsePrefix("232.2.0.0/16"), netip.MustParsePrefix("232.1.0.0/16")},
			[]igmp.RecordType{igmp.IsIn, igmp.ToIn, igmp.Allow, igmp.Block}, IgnoredSSM},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := New(Config{SSM: c.ranges})
			taken := map[netip.Addr][]igmp.RecordType{}
			for _, rec := range s.Frame(1, frameOf(t, host, all), t0).Records {
				require.Equal(t, source, rec.Sources)
				taken[rec.Group] = append(taken[rec.Group], rec.Kind)
			}
			require.Equal(t, c.taken, taken[ssm])
			require.Equal(t, []igmp.RecordType{1, 2, 3, 4, 5, 6}, taken[other])
			require.Equal(t, uint64(6-len(c.taken)), s.Counters().Records[IgnoredSSM])
			for _, m := range []igmp.Message{
				&igmp.ReportV1{Group: ssm}, &igmp.ReportV2{Group: ssm}, &igmp.Leave{Group: ssm},
			} {
				r := s.Frame(1, frameOf(t, host, m), t0)
				require.Equal(t, c.v1v2Ignore, r.Verdict, m.Type().String())
				require.Equal(t, ForwardRouters, r.Forward, "routers judge for themselves")
			}
		})
	}
}

func TestSSMRangesAreTheSnoopersOwn(t *testing.T) {
	ranges := []netip.Prefix{netip.MustParsePrefix("232.0.0.0/8")}
	s := New(Config{SSM: ranges})
	ranges[0] = netip.MustParsePrefix("10.0.0.0/8")
	require.Equal(t, IgnoredSSM, s.Frame(1, frameOf(t, host, &igmp.ReportV2{Group: addr("232.1.1.1")}), t0).Verdict)
}

func TestAFrameWithoutATakenRecordHasTheVerdictOfItsFirst(t *testing.T) {
	m := &igmp.ReportV3{Records: []igmp.Record{
		{Type: igmp.ToEx, Group: addr("224.0.0.251")}, {Type: igmp.ToEx, Group: addr("232.1.1.1")},
	}}
	s := New(Config{})
	r := s.Frame(1, frameOf(t, host, m), t0)
	require.Equal(t, IgnoredLinkLocal, r.Verdict)
	require.Empty(t, r.Records)
	c := s.Counters()
	require.Equal(t, uint64(1), c.Frames.Total())
	require.Equal(t, uint64(2), c.Records.Total())
	require.Equal(t, uint64(1), c.Records[IgnoredSSM])
}

func TestUnknownRecordTypesSpoilNoOthers(t *testing.T) {
	// Type 7, then TO_EX{} for 239.1.1.2, then type 0.
	s := New(Config{})
	frame := frameOf(t, host, &igmp.ReportV3{Records: []igmp.Record{
		{Type: igmp.IsEx, Group: group}, {Type: igmp.ToEx, Group: addr("239.1.1.2")}, {Type: igmp.IsEx, Group: group},
	}})
	const headers = 14 + 24
	frame[headers+8], frame[headers+24] = 7, 0
	frame[headers+2], frame[headers+3] = 0, 0
	sum := ^internetSum(frame[headers:])
	frame[headers+2], frame[headers+3] = byte(sum>>8), byte(sum)
	r := s.Frame(1, frame, t0)
	require.Equal(t, AcceptedReport, r.Verdict)
	require.Len(t, r.Records, 1)
	require.Equal(t, addr("239.1.1.2"), r.Records[0].Group)
	require.Equal(t, uint64(2), s.Counters().Records[IgnoredRecordType])
}

func TestSourcesThatCannotSendAreLeftOut(t *testing.T) {
	s := New(Config{})
	m := &igmp.ReportV3{Records: []igmp.Record{
		{Type: igmp.Allow, Group: group, Sources: addrs("0.0.0.0", "198.51.100.1", "239.9.9.9")},
		{Type: igmp.IsIn, Group: group, Sources: addrs("255.255.255.255")},
	}}
	r := s.Frame(1, frameOf(t, host, m), t0)
	require.Len(t, r.Records, 2)
	require.Equal(t, addrs("198.51.100.1"), r.Records[0].Sources)
	require.Empty(t, r.Records[1].Sources)
	require.Equal(t, uint64(3), s.Counters().SourcesIgnored)
}

// Sources of all records stand in one array; what is appended to one must not run into the next.
func TestSourceListsDoNotTouchOneAnother(t *testing.T) {
	m := &igmp.ReportV3{Records: []igmp.Record{
		{Type: igmp.Allow, Group: group, Sources: addrs("198.51.100.1")},
		{Type: igmp.Allow, Group: group, Sources: addrs("198.51.100.2", "198.51.100.3")},
	}}
	s := New(Config{})
	s.Frame(1, frameOf(t, host, m), t0) // makes room
	r := s.Frame(1, frameOf(t, host, m), t0)
	_ = append(r.Records[0].Sources, addr("203.0.113.1"))
	require.Equal(t, addrs("198.51.100.2", "198.51.100.3"), r.Records[1].Sources)
}

func TestMalformedReportsGiveNothingNotEvenTheirWholeRecords(t *testing.T) {
	good := frameOf(t, host, &igmp.ReportV3{Records: []igmp.Record{
		{Type: igmp.ToEx, Group: group}, {Type: igmp.Allow, Group: group, Sources: addrs("198.51.100.1")},
	}})
	s := New(Config{})
	for cut := range good {
		r := s.Frame(1, good[:cut], t0.Add(time.Duration(cut)))
		require.Empty(t, r.Records, cut)
		require.Equal(t, ForwardNone, r.Forward, cut)
	}
	c := s.Counters()
	require.Zero(t, c.Records.Total())
	require.Equal(t, uint64(len(good)), c.Frames.Total())
}
