package ofgroup_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/internal/ovslab"
	. "github.com/ofmcast/ofmcast/ofgroup"
)

// ruleBuckets are buckets that have one thing each for which some type of group is refused.
var ruleBuckets = map[string]Bucket{
	"plain":                   NewBucket(Output(1)),
	"drop":                    NewBucket(),
	"weight 0":                NewBucket(Output(1)).WithWeight(0),
	"weight 1":                NewBucket(Output(1)).WithWeight(1),
	"weight 65535":            NewBucket(Output(1)).WithWeight(65535),
	"watch port":              NewBucket(Output(1)).WithWatchPort(1),
	"watch absent port":       NewBucket(Output(1)).WithWatchPort(0xfeff),
	"watch no port":           NewBucket(Output(1)).WithWatchPort(0xff00),
	"watch the last no port":  NewBucket(Output(1)).WithWatchPort(0xfffffff7),
	"watch LOCAL":             NewBucket(Output(1)).WithWatchPort(PortLocal),
	"watch CONTROLLER":        NewBucket(Output(1)).WithWatchPort(PortController),
	"watch group":             NewBucket(Output(1)).WithWatchGroup(3),
	"watch largest group":     NewBucket(Output(1)).WithWatchGroup(MaxID),
	"watch reserved group":    NewBucket(Output(1)).WithWatchGroup(MaxID + 1),
	"watch all groups":        NewBucket(Output(1)).WithWatchGroup(AllGroups),
	"watch port and group":    NewBucket(Output(1)).WithWatchPort(1).WithWatchGroup(3),
	"watch and weight":        NewBucket(Output(1)).WithWatchPort(1).WithWeight(3),
	"number":                  NewBucket(Output(1)).WithID(77),
	"largest number":          NewBucket(Output(1)).WithID(MaxBucketID),
	"reserved number":         NewBucket(Output(1)).WithID(MaxBucketID + 1),
	"number of a position":    NewBucket(Output(1)).WithID(LastBucket),
	"number and weight":       NewBucket(Output(1)).WithID(3).WithWeight(3),
	"number and watched port": NewBucket(Output(1)).WithID(3).WithWatchPort(3),
}

// stricter are the buckets that the switch takes where this package refuses them, and why.
// It is never the other way round.
var stricter = map[string]string{
	"weight 0":               "to the switch a weight of 0 is none; who asked for it expects something of it",
	"watch the last no port": "it takes 0xffffff00 to 0xfffffff7, as which no port can be",
	"watch reserved group":   "the group can never be there, so the bucket is never live",
	"watch all groups":       "as above",
}

// Each group type with each of the buckets, once and twice, none, and each selection
// method: this package and the switch refuse the same ones.
func TestTheRulesOfEachGroupTypeAreThoseOfARealSwitch(t *testing.T) {
	lab := ovslab.New(t, ovslab.Config{Ports: []string{"p1"}})
	refused, taken := 0, 0
	for _, v := range bothVersions {
		c := newLabClient(t, lab, v)
		check := func(what, bucket string, g Group) {
			ours, switchs := g.Validate(), c.verdict(ForceMod(g, Add, v))
			if ours != nil {
				refused++
			} else {
				taken++
			}
			if ours != nil && switchs == nil && stricter[bucket] != "" {
				return
			}
			if (switchs == nil) != (ours == nil) {
				t.Errorf("%v: %s: the switch says %v, we say %v", v, what, switchs, ours)
			}
		}
		for typ := range Type(6) {
			check(fmt.Sprint(typ, " without buckets"), "", New(7, typ))
			for what, b := range ruleBuckets {
				if _, numbered := b.ID(); numbered && v == OpenFlow13 {
					continue // there are no numbers
				}
				check(fmt.Sprint(typ, " with ", what), what, New(7, typ).AddBuckets(b))
				check(fmt.Sprint(typ, " with twice ", what), what, New(7, typ).AddBuckets(b, b))
				check(fmt.Sprint(typ, " with ", what, " and plain"), what, New(7, typ).AddBuckets(b, NewBucket()))
			}
			for _, s := range []Selection{DPHash(0, 0), DPHash(1, 9), Hash(), Hash(IPDst, Reg(0).Bits(0, 3)), Hash(EthType)} {
				if v == OpenFlow15 {
					check(fmt.Sprint(typ, " with ", s), "", New(7, typ).AddBuckets(NewBucket(Output(1)).WithWatchPort(1)).WithSelection(s))
					check(fmt.Sprint(typ, " with ", s), "", New(7, typ).AddBuckets(NewBucket(Output(1))).WithSelection(s))
				}
			}
		}
		for _, id := range []ID{0, 1, MaxID, MaxID + 1, AllGroups, AllGroups - 1, AnyGroup} {
			check(fmt.Sprint("group ", id), "", New(id, All))
		}
	}
	require.Greater(t, refused, 200)
	require.Greater(t, taken, 150)
}
