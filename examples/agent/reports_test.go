package main

import (
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/igmp"
	"github.com/ofmcast/ofmcast/mcast"
)

var (
	anyGroup = netip.MustParseAddr("239.1.1.9")
	source1  = netip.MustParseAddr("198.51.100.1")
	source2  = netip.MustParseAddr("198.51.100.2")
	source3  = netip.MustParseAddr("198.51.100.3")
)

// filterOf is the filter that one report of a member leaves.
func filterOf(t *testing.T, kind mcast.Kind, sources ...netip.Addr) mcast.Filter {
	c := mcast.New(mcast.Config[int]{})
	require.NoError(t, c.Apply(mcast.Report[int]{
		Group: mcast.Group{Addr: anyGroup}, Member: 1, Kind: kind, Sources: sources, Version: 3, At: time.Unix(1, 0),
	}))
	s, _ := c.Lookup(mcast.Group{Addr: anyGroup})
	return s.Filter()
}

func TestChangesAreToldAsAHostTellsThem(t *testing.T) {
	none := mcast.Filter{}
	all, but1, but12 := filterOf(t, mcast.ChangeToExclude), filterOf(t, mcast.ChangeToExclude, source1), filterOf(t, mcast.ChangeToExclude, source1, source2)
	one, oneTwo, twoThree := filterOf(t, mcast.ChangeToInclude, source1), filterOf(t, mcast.ChangeToInclude, source1, source2), filterOf(t, mcast.ChangeToInclude, source2, source3)
	type record struct {
		kind    igmp.RecordType
		sources []netip.Addr
	}
	for name, c := range map[string]struct { // RFC 9776 5.1
		before, now mcast.Filter
		want        []record
	}{
		"join":                 {none, all, []record{{igmp.ToEx, nil}}},
		"join but for one":     {none, but1, []record{{igmp.ToEx, []netip.Addr{source1}}}},
		"join a source":        {none, one, []record{{igmp.Allow, []netip.Addr{source1}}}},
		"leave":                {all, none, []record{{igmp.ToIn, nil}}},
		"leave a source":       {one, none, []record{{igmp.Block, []netip.Addr{source1}}}},
		"narrower":             {all, one, []record{{igmp.ToIn, []netip.Addr{source1}}}},
		"wider":                {one, but1, []record{{igmp.ToEx, []netip.Addr{source1}}}},
		"a source more":        {one, oneTwo, []record{{igmp.Allow, []netip.Addr{source2}}}},
		"other sources":        {oneTwo, twoThree, []record{{igmp.Allow, []netip.Addr{source3}}, {igmp.Block, []netip.Addr{source1}}}},
		"a source less wanted": {but1, but12, []record{{igmp.Block, []netip.Addr{source2}}}},
		"one wanted again":     {but12, but1, []record{{igmp.Allow, []netip.Addr{source2}}}},
		"nothing":              {but1, but1, nil},
	} {
		var got []record
		for _, r := range changeRecords(anyGroup, c.before, c.now) {
			require.Equal(t, anyGroup, r.Group)
			got = append(got, record{r.Type, r.Sources})
		}
		require.Equal(t, c.want, got, name)
	}
}

func TestRoutersOfOldVersionsHearOfJoinsAndLeavesOnly(t *testing.T) {
	none, all, one := mcast.Filter{}, filterOf(t, mcast.ChangeToExclude), filterOf(t, mcast.ChangeToInclude, source1)
	for name, c := range map[string]struct {
		version     uint8
		before, now mcast.Filter
		want        []igmp.Message
	}{
		"join":                 {2, none, all, []igmp.Message{&igmp.ReportV2{Group: anyGroup}}},
		"join a source":        {2, none, one, []igmp.Message{&igmp.ReportV2{Group: anyGroup}}},
		"narrower":             {2, all, one, nil},
		"leave":                {2, one, none, []igmp.Message{&igmp.Leave{Group: anyGroup}}},
		"nothing":              {2, none, none, nil},
		"version 1 joins":      {1, none, all, []igmp.Message{&igmp.ReportV1{Group: anyGroup}}},
		"version 1 leaves not": {1, all, none, nil},
	} {
		require.Equal(t, c.want, changeMessages(c.version, anyGroup, c.before, c.now), name)
	}
}

func TestAQueryIsAnsweredWithWhatItAsksFor(t *testing.T) {
	but1, two := filterOf(t, mcast.ChangeToExclude, source1), filterOf(t, mcast.ChangeToInclude, source2)
	asked := []netip.Addr{source1, source2, source3}
	for name, c := range map[string]struct { // RFC 9776 5.2
		filter  mcast.Filter
		sources []netip.Addr
		want    *igmp.Record
	}{
		"nothing":             {mcast.Filter{}, nil, nil},
		"all but one":         {but1, nil, &igmp.Record{Type: igmp.IsEx, Sources: []netip.Addr{source1}}},
		"one":                 {two, nil, &igmp.Record{Type: igmp.IsIn, Sources: []netip.Addr{source2}}},
		"sources of but one":  {but1, asked, &igmp.Record{Type: igmp.IsIn, Sources: []netip.Addr{source2, source3}}},
		"sources of one":      {two, asked, &igmp.Record{Type: igmp.IsIn, Sources: []netip.Addr{source2}}},
		"sources not wanted":  {two, asked[:1], nil},
		"sources of nothing":  {mcast.Filter{}, asked, nil},
		"the excluded source": {but1, asked[:1], nil},
	} {
		got, ok := currentState(anyGroup, c.filter, c.sources)
		require.Equal(t, c.want != nil, ok, name)
		if ok {
			require.Equal(t, c.want.Type, got.Type, name)
			require.Equal(t, c.want.Sources, got.Sources, name)
		}
	}
	require.Equal(t, []netip.Addr{source1, source2, source3}, asked, "the query is as it was")
}

func TestReportsFitOnEthernet(t *testing.T) {
	var many []igmp.Record
	for i := range 400 {
		many = append(many, igmp.Record{Type: igmp.IsEx, Group: netip.AddrFrom4([4]byte{239, 1, byte(i >> 8), byte(i)})})
	}
	split := slices.Collect(parts(&igmp.ReportV3{Records: many}))
	require.Len(t, split, 3, "183 records fit in one")
	require.Len(t, slices.Collect(parts(&igmp.Leave{Group: anyGroup})), 1)
}
