package ofgroup_test

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	. "github.com/ofmcast/ofmcast/ofgroup"
)

// rawOutput is an output with any port and any length for a controller.
func rawOutput(p Port, maxLen uint16) Action {
	b := []byte{0, 0, 0, 16, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}
	binary.BigEndian.PutUint32(b[4:], uint32(p))
	binary.BigEndian.PutUint16(b[8:], maxLen)
	return RawAction(b)
}

// However a bucket with one output came about, it is the same by ==.
func TestBucketsThatOutputAreEqualHoweverTheyWereMade(t *testing.T) {
	for _, p := range []Port{
		0, 1, 0xfeff, 0xff00, 0xffff, 0x10000, 0x10001, 0xfffe0001, 0xffff0001, 0xffffff00,
		PortIn, PortNormal, PortController, PortLocal, PortAny,
	} {
		for _, maxLen := range []uint16{0, 1, 0xffff} {
			plain := NewBucket(rawOutput(p, maxLen))
			require.True(t, plain == NewBucket(Action{}, rawOutput(p, maxLen), Action{}))
			require.False(t, plain == NewBucket(rawOutput(p^1, maxLen)))
			require.False(t, plain == NewBucket(rawOutput(p, maxLen^2)))
			require.False(t, plain == NewBucket(rawOutput(p, maxLen), rawOutput(p, maxLen)))
			for _, b := range []Bucket{plain, plain.WithWeight(0), plain.WithWeight(uint16(p))} {
				require.Equal(t, []Action{rawOutput(p, maxLen)}, slicesOf(b))
				requireDecodedAlike(t, b)
			}
			if maxLen == 0 && p < 0xff00 {
				require.True(t, plain == NewBucket(Output(p)))
			}
		}
	}
}

// requireDecodedAlike sends b in both versions and holds what is decoded against it.
func requireDecodedAlike(t *testing.T, b Bucket) {
	t.Helper()
	typ, want := All, b
	if _, weighed := b.Weight(); weighed {
		typ = Select
	}
	for _, v := range bothVersions {
		if v == OpenFlow15 {
			want = b.WithID(0)
		}
		data := encode(t, New(1, typ).AddBuckets(b), Add, v)
		got := decode(t, data).Group()
		require.True(t, want == got.Bucket(0), "%v, not %v, in %v", got.Bucket(0), want, v)
		requireBytes(t, data, encode(t, got, Add, v))
		want = b
	}
}

// A weight takes the place of the port, in whatever order they are given.
func TestABucketThatOutputsTakesAWeight(t *testing.T) {
	b := NewBucket(Output(7)).WithWeight(0x1234)
	require.Equal(t, []Action{Output(7)}, slicesOf(b))
	require.Equal(t, "weight:4660,actions=output:7", b.String())
	require.True(t, b == NewBucket(Output(7)).WithWeight(1).WithWeight(0x1234))
	require.True(t, b == NewBucket(Output(7)).WithKey("k").WithWeight(0x1234).WithKey(""))
	require.False(t, b == NewBucket(Output(0x1234)))
	// 1 is what a Select group gives to a bucket without.
	plain, weighed := New(1, Select).AddBuckets(NewBucket(Output(7))), New(1, Select).AddBuckets(b.WithWeight(1))
	require.True(t, plain.Equal(weighed))
	require.False(t, plain.Equal(New(1, Select).AddBuckets(b)))
	requireBytes(t, encode(t, plain, Add, OpenFlow15), encode(t, weighed, Add, OpenFlow15))
}
