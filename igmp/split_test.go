package igmp

import (
	"encoding/binary"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func manyAddrs(n int) []netip.Addr {
	a := make([]netip.Addr, n)
	for i := range a {
		a[i] = netip.AddrFrom4([4]byte(binary.BigEndian.AppendUint32(nil, 0xc6120000+uint32(i)))) // 198.18.0.0/15
	}
	return a
}

func packetLen(t *testing.T, m Message) int {
	b, err := AppendPacket(nil, Header{Src: addr("192.0.2.1"), Dst: addr("224.0.0.22")}, m)
	require.NoError(t, err)
	return len(b)
}

func TestReportIsSplitBetweenRecords(t *testing.T) {
	r := &ReportV3{}
	for i := range 400 {
		r.Records = append(r.Records, Record{Type: IsEx, Group: netip.AddrFrom4([4]byte{239, 1, byte(i >> 8), byte(i)})})
	}
	var counts []int
	var all []Record
	for part := range SplitReport(r, 1500) {
		counts = append(counts, len(part.Records))
		all = append(all, part.Records...)
		require.LessOrEqual(t, packetLen(t, part), 1500)
	}
	require.Equal(t, []int{183, 183, 34}, counts)
	require.Equal(t, r.Records, all)
}

func TestQueryIsSplitBetweenSources(t *testing.T) {
	q := &Query{Version: 3, Group: addr("239.1.1.1"), MaxResp: time.Second, SuppressRouter: true, QRV: 3,
		QQI: 125 * time.Second, Sources: manyAddrs(5000)}
	var parts int
	var all []netip.Addr
	for part := range SplitQuery(q, 1500) {
		parts++
		require.LessOrEqual(t, len(part.Sources), 366)
		require.LessOrEqual(t, packetLen(t, part), 1500)
		all = append(all, part.Sources...)
		part.Sources = q.Sources
		require.Equal(t, q, part, "all but the sources is repeated, the S flag and QRV too")
	}
	require.Equal(t, 14, parts)
	require.Equal(t, q.Sources, all)
}

func TestSourceListsAreSplitOrCutByRecordType(t *testing.T) {
	sources := manyAddrs(800)
	for typ, want := range map[RecordType][]int{
		IsIn: {365, 365, 70}, ToIn: {365, 365, 70}, Allow: {365, 365, 70}, Block: {365, 365, 70},
		// Parts of an exclude list would unblock one another's sources.
		IsEx: {365}, ToEx: {365},
	} {
		var counts []int
		var all []netip.Addr
		r := &ReportV3{Records: []Record{{Type: typ, Group: addr("239.1.1.1"), Sources: sources}}}
		for part := range SplitReport(r, 1500) {
			require.Len(t, part.Records, 1)
			require.Equal(t, typ, part.Records[0].Type)
			require.Equal(t, addr("239.1.1.1"), part.Records[0].Group)
			require.LessOrEqual(t, packetLen(t, part), 1500)
			counts = append(counts, len(part.Records[0].Sources))
			all = append(all, part.Records[0].Sources...)
		}
		require.Equal(t, want, counts, "%v", typ)
		require.Equal(t, sources[:len(all)], all, "%v", typ)
	}
}

// The kernel's own report of 365 excluded sources is full, and is not touched.
func TestWhatFitsIsYieldedWhole(t *testing.T) {
	var d Decoder
	v, err := d.Frame(packets(t, "odd")[47].Data)
	require.NoError(t, err)
	r := v.Message().(*ReportV3)
	require.Equal(t, []*ReportV3{r}, slices.Collect(SplitReport(r, 1500)))

	empty := &ReportV3{}
	require.Equal(t, []*ReportV3{empty}, slices.Collect(SplitReport(empty, 1500)))
	for _, q := range []*Query{
		{Version: 2, Group: unspecifiedV4, MaxResp: time.Second},
		{Version: 3, Group: addr("239.1.1.1"), Sources: manyAddrs(366)},
	} {
		require.Equal(t, []*Query{q}, slices.Collect(SplitQuery(q, 1500)))
	}
}

func TestRecordsAroundALongOneKeepTheirOrder(t *testing.T) {
	long := Record{Type: Allow, Group: addr("239.1.1.2"), Sources: manyAddrs(400)}
	first, last := Record{Type: ToEx, Group: addr("239.1.1.1")}, Record{Type: ToIn, Group: addr("239.1.1.3")}
	parts := slices.Collect(SplitReport(&ReportV3{Records: []Record{first, long, last}}, 1500))
	head, tail := long, long
	head.Sources, tail.Sources = long.Sources[:365:365], long.Sources[365:]
	require.Equal(t, []*ReportV3{{Records: []Record{first}}, {Records: []Record{head}}, {Records: []Record{tail, last}}}, parts)
}

func TestEveryMTUIsKept(t *testing.T) {
	r := &ReportV3{Records: []Record{
		{Type: IsIn, Group: addr("239.1.1.1"), Sources: manyAddrs(40)},
		{Type: IsEx, Group: addr("239.1.1.2"), Sources: manyAddrs(40)},
		{Type: ToIn, Group: addr("239.1.1.3")},
	}}
	q := &Query{Version: 3, Group: addr("239.1.1.1"), Sources: manyAddrs(40)}
	for mtu := -1; mtu < 400; mtu++ {
		limit := max(mtu, minMTU)
		sources := 0
		for part := range SplitReport(r, mtu) {
			require.LessOrEqual(t, packetLen(t, part), limit)
			for _, rec := range part.Records {
				if rec.Type == IsIn {
					sources += len(rec.Sources)
				}
			}
		}
		require.Equal(t, 40, sources, "MTU %d", mtu)
		sources = 0
		for part := range SplitQuery(q, mtu) {
			require.LessOrEqual(t, packetLen(t, part), limit)
			sources += len(part.Sources)
		}
		require.Equal(t, 40, sources, "MTU %d", mtu)
	}
	huge := &Query{Version: 3, Group: addr("239.1.1.1"), Sources: manyAddrs(70000)}
	for part := range SplitQuery(huge, 1<<30) {
		require.LessOrEqual(t, packetLen(t, part), ipMaxPacket)
	}
}

func TestSplittingCanStopEarly(t *testing.T) {
	r := &ReportV3{Records: []Record{{Type: IsIn, Group: addr("239.1.1.1"), Sources: manyAddrs(5000)}}}
	for part := range SplitReport(r, 1500) {
		require.Len(t, part.Records[0].Sources, 365)
		break
	}
	for part := range SplitQuery(&Query{Version: 3, Sources: manyAddrs(5000)}, 1500) {
		require.Len(t, part.Sources, 366)
		break
	}
}

// Appending to a part's list must not write into the whole's.
func TestPartsCannotGrowIntoTheWhole(t *testing.T) {
	q := &Query{Version: 3, Group: addr("239.1.1.1"), Sources: manyAddrs(400)}
	want := slices.Clone(q.Sources)
	for part := range SplitQuery(q, 1500) {
		part.Sources = append(part.Sources, addr("192.0.2.1"))
	}
	r := &ReportV3{Records: []Record{{Type: IsIn, Group: addr("239.1.1.1"), Sources: q.Sources}}}
	for part := range SplitReport(r, 1500) {
		part.Records[0].Sources = append(part.Records[0].Sources, addr("192.0.2.1"))
	}
	require.Equal(t, want, q.Sources)
}
