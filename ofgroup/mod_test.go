package ofgroup_test

import (
	"encoding"
	"testing"

	"github.com/stretchr/testify/require"

	. "github.com/ofmcast/ofmcast/ofgroup"
)

// What Go libraries for OpenFlow ask of a message.
var _ interface {
	Len() uint16
	encoding.BinaryMarshaler
	encoding.BinaryUnmarshaler
	encoding.BinaryAppender
} = (*Mod)(nil)

func TestDeleteCarriesNoBucketsAndNoType(t *testing.T) {
	g := New(8, Select).AddBuckets(weighted(3)...).WithSelection(DPHash(1, 2))
	requireBytes(t, unhex(t, "040f0010 00000000 00020000 00000008"), encode(t, g, Delete, OpenFlow13))
	requireBytes(t, unhex(t, "060f0018 00000000 00020000 00000008 00000000 ffffffff"), encode(t, g, Delete, OpenFlow15))
	// What could not be sent can still be deleted.
	bad := New(8, Indirect).AddBuckets(NewBucket(Set(Reg(99), 1)))
	requireBytes(t, encode(t, g, Delete, OpenFlow15), encode(t, bad, Delete, OpenFlow15))
}

func TestNoSingleDeleteMeansAllGroups(t *testing.T) {
	for _, id := range []ID{MaxID + 1, AllGroups, AnyGroup} {
		_, err := New(id, All).Mod(Delete, OpenFlow15)
		requireRule(t, err, id, NoBucket, ErrReservedID)
	}
	require.Equal(t, AllGroups, DeleteAll(OpenFlow15).Group().ID())
	require.Equal(t, Delete, DeleteAll(OpenFlow13).Command())
	require.Equal(t, OpenFlow15, DeleteAll(0).Version())
}

func TestCommandBucketIDIsAllForWholeGroups(t *testing.T) {
	for _, cmd := range []Command{Add, Modify, Delete, AddOrMod} {
		b := encode(t, New(7, All), cmd, OpenFlow15)
		requireBytes(t, []byte{0xff, 0xff, 0xff, 0xff}, b[20:24])
	}
}

func TestInsertAndRemoveAreNothingForWholeGroups(t *testing.T) {
	for _, cmd := range []Command{InsertBucket, RemoveBucket, 4, 0xffff} {
		_, err := New(7, All).AddBuckets(to(1)...).Mod(cmd, OpenFlow15)
		requireRule(t, err, 7, NoBucket, ErrCommand)
	}
	_, err := New(7, All).Mod(Add, 5)
	requireRule(t, err, 7, NoBucket, ErrVersion)
}

// INSERT_BUCKET without buckets at the end of a group hangs Open vSwitch for good.
func TestAnInsertOfNoBucketsIsDecodedAndNeverSent(t *testing.T) {
	for _, bad := range []string{
		"060f0018 00000001 00030000 00000047 00000000 fffffffe", // last
		"060f0018 00000001 00030000 00000047 00000000 ffffffff", // all
		"040f0010 00000001 00030000 00000047",
	} {
		m := decode(t, unhex(t, bad))
		require.Equal(t, InsertBucket, m.Command())
		b, err := m.AppendBinary([]byte("kept"))
		require.ErrorIs(t, err, ErrEmptyInsert)
		require.Equal(t, "kept", string(b))
		_, err = m.MarshalBinary()
		require.ErrorIs(t, err, ErrEmptyInsert)
	}
}

func TestTheZeroModDoesNotEncode(t *testing.T) {
	var m Mod
	_, err := m.MarshalBinary()
	require.ErrorIs(t, err, ErrVersion)
}

func TestADecodedMessageKeepsItsTransactionID(t *testing.T) {
	data := unhex(t, "060f0018 89abcdef 00020100 00000046 00000000 ffffffff")
	m := decode(t, data)
	require.Equal(t, uint32(0x89abcdef), m.XID())
	require.Equal(t, Select, m.Group().Type())
	requireBytes(t, data, marshal(t, m))
}

func TestImplicitNumbersKeepOutOfTheWayOfExplicitOnes(t *testing.T) {
	ids := func(g Group) (ids []BucketID) {
		for b := range decode(t, encode(t, g, Add, OpenFlow15)).Group().Buckets() {
			id, ok := b.ID()
			require.True(t, ok)
			ids = append(ids, id)
		}
		return ids
	}
	b := to(1)[0]
	require.Equal(t, []BucketID{0, 1, 2}, ids(New(1, All).AddBuckets(b, b, b)))
	// Open vSwitch's own tool numbers this list 1, 1, 0, 2 and is refused.
	require.Equal(t, []BucketID{1, 2, 0, 3}, ids(New(1, All).AddBuckets(b.WithID(1), b, b.WithID(0), b)))
	require.Equal(t, []BucketID{0, MaxBucketID, 1}, ids(New(1, All).AddBuckets(b, b.WithID(MaxBucketID), b)))
}

func TestEqualIsEqualToASwitch(t *testing.T) {
	b := to(1, 2, 3)
	g := New(7, Select).AddBuckets(b...)
	require.True(t, g.Equal(decode(t, encode(t, g, Add, OpenFlow15)).Group()), "numbers and weights it will get")
	require.True(t, g.Equal(decode(t, encode(t, g, Add, OpenFlow13)).Group()))
	require.True(t, g.Equal(New(7, Select).AddBuckets(b[0], b[1].WithWeight(1).WithID(1), b[2])))
	for what, o := range map[string]Group{
		"other ID":     New(8, Select).AddBuckets(b...),
		"other type":   New(7, All).AddBuckets(b...),
		"fewer":        New(7, Select).AddBuckets(b[:2]...),
		"other order":  New(7, Select).AddBuckets(b[1], b[0], b[2]),
		"other action": New(7, Select).AddBuckets(b[0], b[1], to(4)[0]),
		"other weight": New(7, Select).AddBuckets(b[0], b[1].WithWeight(2), b[2]),
		"other number": New(7, Select).AddBuckets(b[0], b[1].WithID(5), b[2]),
		"watched":      New(7, Select).AddBuckets(b[0], b[1].WithWatchPort(1), b[2]),
		"selection":    g.WithSelection(DPHash(0, 0)),
	} {
		require.False(t, g.Equal(o), what)
		require.False(t, o.Equal(g), what)
	}
}

func TestAGroupHoldsWhatItWasGiven(t *testing.T) {
	b := to(1)[0].WithWeight(3).WithWatchPort(4).WithWatchGroup(5).WithID(6)
	g := New(7, Select).AddBuckets(b).WithSelection(DPHash(1, 2))
	require.Equal(t, ID(7), g.ID())
	require.Equal(t, Select, g.Type())
	require.Equal(t, 1, g.Len())
	for got := range g.Buckets() {
		require.Equal(t, b, got)
	}
	require.Equal(t, DPHash(1, 2), g.Selection())
	require.Equal(t, Selection{}, g.WithSelection(Selection{}).Selection())

	weight, ok := b.Weight()
	require.True(t, ok)
	require.Equal(t, uint16(3), weight)
	port, ok := b.WatchPort()
	require.True(t, ok)
	require.Equal(t, Port(4), port)
	group, ok := b.WatchGroup()
	require.True(t, ok)
	require.Equal(t, ID(5), group)
	_, ok = NewBucket().Weight()
	require.False(t, ok)
}

// A first try, a retry and a replay are the same bytes, also when they are made at once.
func TestEncodingDoesNotChangeTheGroup(t *testing.T) {
	want := unhex(t, "060f0030 00000000 0000 00 00 00000007 0018 0000 ffffffff 0018 0010 00000000 0000 0010 00000003 0000 000000000000")
	m, err := New(7, All).AddBuckets(to(3)...).Mod(Add, OpenFlow15)
	require.NoError(t, err)
	again := make(chan []byte)
	for range 2 {
		go func() {
			b, _ := m.MarshalBinary()
			again <- b
		}()
	}
	for range 3 {
		requireBytes(t, want, marshal(t, m))
	}
	requireBytes(t, want, <-again)
	requireBytes(t, want, <-again)
}
