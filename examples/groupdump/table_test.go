package main

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
)

// fake is a switch that notes what it is asked.
type fake struct {
	groups map[ofgroup.ID]ofgroup.Group
	stats  []ofgroup.GroupStats
	asked  []string
	hurry  func() // called after the statistics of all: what happens in between
}

func (f *fake) Version() ofgroup.Version { return ofgroup.OpenFlow15 }

func (f *fake) Ports(context.Context) ([]ofconn.PortDesc, error) {
	return []ofconn.PortDesc{{Number: 1, Name: "eth1"}, {Number: 2, Name: "tap0"}}, nil
}

func (f *fake) GroupStats(_ context.Context, id ofgroup.ID) ([]ofgroup.GroupStats, error) {
	f.asked = append(f.asked, "stats "+id.String())
	var some []ofgroup.GroupStats
	for _, s := range f.stats {
		if id == s.ID || id == ofgroup.AllGroups {
			s.Buckets = slices.Clone(s.Buckets)
			some = append(some, s)
		}
	}
	if f.hurry != nil && id == ofgroup.AllGroups {
		f.hurry()
	}
	return some, nil
}

func (f *fake) GroupDesc(_ context.Context, id ofgroup.ID) (ofgroup.Group, bool, error) {
	f.asked = append(f.asked, "desc "+id.String())
	g, ok := f.groups[id]
	return g, ok, nil
}

// some is a switch with three groups, in no order.
func some() *fake {
	to := func(n ofgroup.BucketID, p ofgroup.Port) ofgroup.Bucket {
		return ofgroup.NewBucket(ofgroup.Output(p)).WithID(n)
	}
	f := &fake{groups: map[ofgroup.ID]ofgroup.Group{
		1000: ofgroup.New(1000, ofgroup.All).AddBuckets(to(0, 1), to(1, 2), to(10, 7)),
		7: ofgroup.New(7, ofgroup.Select).WithSelection(ofgroup.Hash(ofgroup.IPDst)).AddBuckets(
			to(3, 1).WithWeight(100), to(4, 2).WithWeight(0).WithWatchPort(2)),
		8: ofgroup.New(8, ofgroup.FastFailover),
	}}
	const hours = 3600
	f.stats = []ofgroup.GroupStats{
		{ID: 1000, RefCount: 1, Packets: 13_000, Bytes: 19_240_000, Seconds: 2*hours + 190, Buckets: []ofgroup.BucketStats{
			{Packets: 13_000, Bytes: 19_240_000}, {Packets: 999, Bytes: 1_000}, {},
		}},
		{ID: 8, Seconds: 59},
		{ID: 7, RefCount: 12, Packets: 4, Bytes: 254, Seconds: 75 * hours, Buckets: []ofgroup.BucketStats{{Packets: 4, Bytes: 254}, {}}},
	}
	return f
}

func snap(t *testing.T, f *fake) *snapshot {
	t.Helper()
	s, err := read(t.Context(), f, 10)
	require.NoError(t, err)
	return s
}

func TestTheTableHasNamesColumnsAndAnOrder(t *testing.T) {
	require.Equal(t, strings.TrimLeft(`
GROUP        TYPE     AGE  USERS  PACKETS       BYTES
7            select  3d3h     12        4         254  selection_method=hash,fields=ip_dst
  bucket 3                              4         254  weight:100,actions=output:eth1
  bucket 4                              0           0  weight:0,watch_port:tap0,actions=output:tap0
8            ff       59s      0        0           0  no buckets: drops every packet
1000         all     2h3m      1   13,000  19,240,000
  bucket 0                         13,000  19,240,000  actions=output:eth1
  bucket 1                            999       1,000  actions=output:tap0
  bucket 10                             0           0  actions=output:7
`, "\n"), table(snap(t, some()), nil, false))
}

func TestAWatchHasRatesOfGroupsAndBuckets(t *testing.T) {
	f := some()
	before := snap(t, f)
	all := &f.stats[0]
	all.Packets, all.Bytes, all.Buckets[0] = 43_001, 44_000_000, ofgroup.BucketStats{Packets: 13_003, Bytes: 19_240_180}
	f.stats[2].Packets, f.stats[2].Buckets[0] = 3, ofgroup.BucketStats{} // modified in between
	f.stats = append(f.stats, ofgroup.GroupStats{ID: 9})                 // and a new one
	f.groups[9] = ofgroup.New(9, ofgroup.Indirect)
	now := snap(t, f)
	now.at = before.at.Add(2 * time.Second)
	require.Equal(t, strings.TrimLeft(`
GROUP        TYPE       AGE  USERS  PACKETS       BYTES  PACKETS/s     BYTES/s
7            select    3d3h     12        3         254      reset       reset  selection_method=hash,fields=ip_dst
  bucket 3                                0           0      reset       reset  weight:100,actions=output:eth1
  bucket 4                                0           0          0           0  weight:0,watch_port:tap0,actions=output:tap0
8            ff         59s      0        0           0          0           0  no buckets: drops every packet
9            indirect    0s      0        0           0                         no buckets: drops every packet
1000         all       2h3m      1   43,001  44,000,000     15,001  12,380,000
  bucket 0                           13,003  19,240,180        1.5          90  actions=output:eth1
  bucket 1                              999       1,000          0           0  actions=output:tap0
  bucket 10                               0           0          0           0  actions=output:7
`, "\n"), table(now, before, true))
	require.Contains(t, table(before, nil, true), "PACKETS/s", "the columns do not come and go")
}

// A bucket is followed by its number when others come and go before it.
func TestABucketKeepsItsRateWhenItsPlaceChanges(t *testing.T) {
	f := some()
	before := snap(t, f)
	g := f.groups[1000]
	f.groups[1000] = g.WithBuckets(g.Bucket(1), g.Bucket(2))
	f.stats[0].Buckets = []ofgroup.BucketStats{{Packets: 1_199, Bytes: 2_000}, {}}
	now := snap(t, f)
	now.at = before.at.Add(time.Second)
	require.Regexp(t, `bucket 1 +1,199 +2,000 +200 +1,000 `, table(now, before, true))
}

// Never all descriptions at once, nor that of a group that may be too large.
func TestASwitchIsAskedForOneGroupAfterTheOther(t *testing.T) {
	f := some()
	f.stats[0].Buckets = make([]ofgroup.BucketStats, 11)
	text := table(snap(t, f), nil, false)
	require.Equal(t, []string{"stats all", "desc 8", "desc 7"}, f.asked)
	require.Regexp(t, `\n1000 +\? .* 11 buckets, too many to ask for \(see -describe\)\n$`, text)
}

func TestWhatChangesWhileItIsReadIsReadAgain(t *testing.T) {
	f := some()
	f.hurry = func() {
		delete(f.groups, 8)
		f.stats[0].Buckets = f.stats[0].Buckets[1:]
		g := f.groups[1000]
		f.groups[1000] = g.WithBuckets(g.Bucket(1), g.Bucket(2))
	}
	text := table(snap(t, f), nil, false)
	require.NotContains(t, text, "\n8 ", "a group that is gone")
	require.Regexp(t, `bucket 1 +999 +1,000 `, text)
	require.Equal(t, "stats 1000", f.asked[2])

	f = some()
	f.stats[0].Buckets = f.stats[0].Buckets[1:] // as if it never settled
	require.Regexp(t, `bucket 1 +\? +\? +actions=`, table(snap(t, f), nil, false))
}

func TestAgesAndNumbers(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", 59*time.Second + 1: "59s", time.Minute: "1m0s", 61 * time.Minute: "1h1m", 49 * time.Hour: "2d1h",
	} {
		require.Equal(t, want, age(d))
	}
	for n, want := range map[uint64]string{0: "0", 999: "999", 1000: "1,000", 1<<64 - 1: "18,446,744,073,709,551,615"} {
		require.Equal(t, want, number(n))
	}
	for n, want := range map[uint64]string{0: "0", 1: "<0.1", 30: "0.5", 594: "9.9", 600: "10", 60_000: "1,000"} {
		require.Equal(t, want, rate(n, time.Minute))
	}
}
