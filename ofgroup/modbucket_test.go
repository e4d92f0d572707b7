package ofgroup_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	. "github.com/ofmcast/ofmcast/ofgroup"
)

func insert(tb testing.TB, at BucketID, id ID, t Type, bs ...Bucket) *Mod {
	tb.Helper()
	m, err := New(id, t).AddBuckets(bs...).ModInsert(at, OpenFlow15)
	require.NoError(tb, err)
	return m
}

func remove(tb testing.TB, at BucketID, id ID, t Type) *Mod {
	tb.Helper()
	m, err := New(id, t).ModRemove(at, OpenFlow15)
	require.NoError(tb, err)
	return m
}

// Open vSwitch's own tool sends the same for groups of type All; of others it does not know
// the type, and sends that one.
func TestInsertsAndRemovesAreThoseOfOvsOfctl(t *testing.T) {
	bs := to(1, 2, 3, 4)
	for name, m := range map[string]*Mod{
		"insert-buckets-first":         insert(t, FirstBucket, 71, All, bs[3].WithID(40)),
		"insert-buckets-last":          insert(t, LastBucket, 71, All, bs[3].WithID(40)),
		"insert-buckets-two-after-id":  insert(t, 20, 71, All, bs[3].WithID(40), bs[0].WithID(41)),
		"insert-buckets-two-first":     insert(t, FirstBucket, 71, All, bs[3].WithID(40), bs[0].WithID(41)),
		"insert-buckets-two-last":      insert(t, LastBucket, 71, All, bs[3].WithID(40), bs[0].WithID(41)),
		"insert-buckets-id-max":        insert(t, LastBucket, 71, All, bs[3].WithID(MaxBucketID)),
		"remove-buckets-all":           remove(t, AllBuckets, 71, All),
		"remove-buckets-first":         remove(t, FirstBucket, 71, All),
		"remove-buckets-last":          remove(t, LastBucket, 71, All),
		"remove-buckets-by-id-0":       remove(t, 0, 75, All),
		"remove-buckets-unknown-group": remove(t, AllBuckets, 99, All),
	} {
		requireBytes(t, recorded(t, OpenFlow15, name), marshal(t, m), name)
	}
}

// A switch reads an insert by the type in it: without the true one a Select group gets a
// bucket that is never chosen, and a FastFailover group refuses what it needs.
func TestInsertsAndRemovesCarryTheTrueTypeAndTheWeight(t *testing.T) {
	b := to(3)[0].WithID(30)
	requireBytes(t, unhex(t, "060f0038 00000000 0003 01 00 00000046 0020 0000 fffffffe"+
		"0020 0010 0000001e 0000 0010 00000003 0000 000000000000 0000 0008 0001 0000"),
		marshal(t, insert(t, LastBucket, 70, Select, b)))
	requireBytes(t, unhex(t, "060f0038 00000000 0003 03 00 00000048 0020 0000 fffffffd"+
		"0020 0010 0000001e 0000 0010 00000003 0000 000000000000 0001 0008 00000002"),
		marshal(t, insert(t, FirstBucket, 72, FastFailover, b.WithWatchPort(2))))
	requireBytes(t, unhex(t, "060f0018 00000000 0005 01 00 00000046 0000 0000 0000001e"),
		marshal(t, remove(t, 30, 70, Select)))

	// The method of a hash group is the switch's already, and refused in an insert.
	g := New(70, Select).WithSelection(Hash(IPDst)).AddBuckets(b)
	m, err := g.ModInsert(LastBucket, OpenFlow15)
	require.NoError(t, err)
	requireBytes(t, marshal(t, insert(t, LastBucket, 70, Select, b)), marshal(t, m))
	m, err = g.ModRemove(30, OpenFlow15)
	require.NoError(t, err)
	requireBytes(t, marshal(t, remove(t, 30, 70, Select)), marshal(t, m))
}

func TestInsertsAndRemovesPrintAsOvsOfctlTakesThem(t *testing.T) {
	b := to(3)[0].WithID(30)
	require.Equal(t, "insert_bucket group_id=71,command_bucket_id=20,bucket=bucket_id:30,actions=output:3",
		insert(t, 20, 71, All, b).String())
	require.Equal(t, "insert_bucket group_id=70,command_bucket_id=last,bucket=bucket_id:30,weight:1,actions=output:3",
		insert(t, LastBucket, 70, Select, b).String())
	require.Equal(t, "remove_bucket group_id=70,command_bucket_id=first", remove(t, FirstBucket, 70, Select).String())
}

func TestInsertsAndRemovesThatASwitchWouldRefuse(t *testing.T) {
	b := to(1)[0].WithID(1)
	const reserved = MaxBucketID + 1
	for what, c := range map[string]struct {
		group  Group
		at     BucketID
		bucket int
		rule   error
	}{
		"no buckets":             {New(7, All), LastBucket, NoBucket, ErrEmptyInsert},
		"no buckets at first":    {New(7, All), FirstBucket, NoBucket, ErrEmptyInsert},
		"behind all":             {New(7, All).AddBuckets(b), AllBuckets, NoBucket, ErrBucketID},
		"behind a reserved one":  {New(7, All).AddBuckets(b), reserved, NoBucket, ErrBucketID},
		"behind itself":          {New(7, All).AddBuckets(b.WithID(2), b), 1, 1, ErrBucketID},
		"no number":              {New(7, All).AddBuckets(b, to(2)[0]), LastBucket, 1, ErrBucketID},
		"a number twice":         {New(7, All).AddBuckets(b, b), LastBucket, 1, ErrBucketID},
		"a number out of range":  {New(7, All).AddBuckets(b.WithID(reserved)), LastBucket, 0, ErrBucketID},
		"indirect":               {New(7, Indirect).AddBuckets(b), LastBucket, NoBucket, ErrBucketCount},
		"no such type":           {New(7, 4).AddBuckets(b), LastBucket, NoBucket, ErrType},
		"weight outside select":  {New(7, All).AddBuckets(b.WithWeight(1)), LastBucket, 0, ErrWeight},
		"failover without watch": {New(7, FastFailover).AddBuckets(b), LastBucket, 0, ErrWatch},
		"fault":                  {New(7, All).AddBuckets(NewBucket(Output(PortAny)).WithID(3)), LastBucket, 0, ErrAction},
		"too large":              {New(7, All).AddBuckets(numbered(outputs(2730))...), LastBucket, NoBucket, ErrTooLarge},
	} {
		m, err := c.group.ModInsert(c.at, OpenFlow15)
		require.Nil(t, m, what)
		requireRule(t, err, 7, c.bucket, c.rule)
	}
	for _, id := range []ID{MaxID + 1, AllGroups, AnyGroup} {
		_, err := New(id, All).AddBuckets(b).ModInsert(LastBucket, OpenFlow15)
		requireRule(t, err, id, NoBucket, ErrReservedID)
		_, err = New(id, All).ModRemove(AllBuckets, OpenFlow15)
		requireRule(t, err, id, NoBucket, ErrReservedID)
	}
	for at, rule := range map[BucketID]error{MaxBucketID: nil, reserved: ErrBucketID, FirstBucket - 1: ErrBucketID, FirstBucket: nil} {
		_, err := New(7, All).ModRemove(at, OpenFlow15)
		require.ErrorIs(t, err, rule, "%v", at)
	}
	_, err := New(7, Indirect).ModRemove(AllBuckets, OpenFlow15)
	requireRule(t, err, 7, NoBucket, ErrBucketCount)
	_, err = New(7, 4).ModRemove(AllBuckets, OpenFlow15)
	requireRule(t, err, 7, NoBucket, ErrType)
}

func TestOpenFlow13HasNoInsertsAndRemoves(t *testing.T) {
	for _, v := range []Version{OpenFlow13, 5, 0} {
		_, err := New(7, All).AddBuckets(to(1)[0].WithID(1)).ModInsert(LastBucket, v)
		requireRule(t, err, 7, NoBucket, ErrVersion)
		_, err = New(7, All).ModRemove(1, v)
		requireRule(t, err, 7, NoBucket, ErrVersion)
	}
}

func TestTheLargestInsertIsSent(t *testing.T) {
	m := insert(t, LastBucket, 7, All, numbered(outputs(2729))...)
	require.Equal(t, uint16(65520), m.Len())
	require.Len(t, marshal(t, m), 65520)
}

func numbered(bs []Bucket) []Bucket {
	for i := range bs {
		bs[i] = bs[i].WithID(BucketID(i))
	}
	return bs
}
