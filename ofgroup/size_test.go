package ofgroup_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	. "github.com/ofmcast/ofmcast/ofgroup"
)

// repeat is n times the same bucket.
func repeat(n int, b Bucket) []Bucket {
	bs := make([]Bucket, n)
	for i := range bs {
		bs[i] = b
	}
	return bs
}

// service is a bucket as a Service has it: a weight, two registers, a resubmit.
func service(i int) Bucket {
	return NewBucket(
		Set(Reg(3), uint32(0x0a000000+i)), Set(Reg(4).Bits(0, 15), 8080), Resubmit(6),
	).WithWeight(100)
}

func TestTheLargestGroupIsSentAndOneBucketMoreIsRefused(t *testing.T) {
	for _, c := range []struct {
		name    string
		version Version
		group   Group
		bucket  Bucket
		fit     int
	}{
		{"output", OpenFlow15, New(1, All), NewBucket(Output(1)), 2729},
		{"output", OpenFlow13, New(1, All), NewBucket(Output(1)), 2047},
		{"service", OpenFlow15, New(1, Select), service(1), 1023},
		{"service", OpenFlow13, New(1, Select), service(1), 909},
		{"implicit weight", OpenFlow15, New(1, Select), NewBucket(Output(1)), 2046},
		{"both watched", OpenFlow15, New(1, FastFailover),
			NewBucket(Output(1)).WithWatchPort(1).WithWatchGroup(1), 1637},
		// Statistics have 16 bytes a bucket, so small buckets end there.
		{"group", OpenFlow15, New(1, All), NewBucket(OutputGroup(2)), 4092},
		{"drop", OpenFlow15, New(1, All), NewBucket(), 4092},
		{"drop", OpenFlow13, New(1, All), NewBucket(), 4092},
		// In 1.3 a mask with two runs becomes two loads, of 24 bytes each.
		{"masked", OpenFlow13, New(1, All), decode(t, recorded(t, OpenFlow15, "add-act-set-reg0-mask-with-holes")).
			Group().Bucket(0).WithID(0), 1023},
	} {
		t.Run(c.version.String()+"/"+c.name, func(t *testing.T) {
			g := c.group.AddBuckets(repeat(c.fit, c.bucket)...)
			if c.name == "masked" {
				g = withoutIDs(g)
			}
			b := encode(t, g, Add, c.version)
			require.Equal(t, len(b), int(b[2])<<8|int(b[3]), "the header's length is true")
			requireBytes(t, b, marshal(t, decode(t, b)))
			desc, err := AppendGroupDesc(nil, c.version, g)
			require.NoError(t, err)
			require.LessOrEqual(t, len(desc), 65519)

			more := g.AddBuckets(g.Bucket(0))
			m, err := more.Mod(Add, c.version)
			require.Nil(t, m)
			var large *TooLargeError
			require.ErrorIs(t, err, ErrTooLarge)
			require.ErrorAs(t, err, &large)
			require.Equal(t, TooLargeError{Version: c.version, Buckets: c.fit + 1, Fit: c.fit}, *large)
			_, err = AppendGroupDesc(nil, c.version, more)
			require.ErrorIs(t, err, ErrTooLarge)
		})
	}
}

// withoutIDs is g with buckets that were never given a number.
func withoutIDs(g Group) Group {
	var bs []Bucket
	for b := range g.Buckets() {
		bs = append(bs, NewBucket(slicesOf(b)...))
	}
	return g.WithBuckets(bs...)
}

func slicesOf(b Bucket) []Action {
	var as []Action
	for a := range b.Actions() {
		as = append(as, a)
	}
	return as
}

func marshal(tb testing.TB, m *Mod) []byte {
	tb.Helper()
	b, err := m.MarshalBinary()
	require.NoError(tb, err)
	return b
}

func TestSizesFarBeyond16BitsDoNotWrap(t *testing.T) {
	// 65,536 buckets of 24 bytes are 0 in 16 bits; 2,731 and 3,000 wrap to little.
	for _, n := range []int{2730, 2731, 3000, 4096, 65536, 131072} {
		_, err := New(1, All).AddBuckets(repeat(n, NewBucket(Output(1)))...).Mod(Add, OpenFlow15)
		var large *TooLargeError
		require.ErrorAs(t, err, &large)
		require.Equal(t, 2729, large.Fit)
		require.Equal(t, n, large.Buckets)
	}
}

func TestABucketTooLargeByItself(t *testing.T) {
	raw := func(n int) Action {
		b := make([]byte, n)
		b[2], b[3] = byte(n>>8), byte(n)
		b[0], b[1] = 0xff, 0xff
		return RawAction(b)
	}
	for _, c := range []struct{ size, fit int }{{65496 - 8, 1}, {65496, 0}, {65528, 0}} {
		_, err := New(1, All).AddBuckets(NewBucket(raw(c.size))).Mod(Add, OpenFlow15)
		var large *TooLargeError
		if c.fit == 1 {
			require.NoError(t, err)
			continue
		}
		require.ErrorAs(t, err, &large)
		require.Equal(t, c.fit, large.Fit)
	}
	huge := NewBucket(raw(65528), raw(65528), raw(65528))
	_, err := New(1, All).AddBuckets(huge).Mod(Add, OpenFlow15)
	require.ErrorIs(t, err, ErrTooLarge)
}

func TestASelectionMethodTakesRoomToo(t *testing.T) {
	// 40 bytes of method: 65,503 - 40 are 2,045 buckets of 32 bytes.
	g := New(1, Select).WithSelection(DPHash(1, 0)).AddBuckets(repeat(2045, NewBucket(Output(1)))...)
	_, err := g.Mod(Add, OpenFlow15)
	require.NoError(t, err)
	_, err = g.AddBuckets(NewBucket(Output(1))).Mod(Add, OpenFlow15)
	var large *TooLargeError
	require.ErrorAs(t, err, &large)
	require.Equal(t, 2045, large.Fit)
}

// A legal group of 2,500 buckets in 1.5 cannot be dumped in 1.3.
func TestReadableTellsWhatTheOtherVersionCannotDescribe(t *testing.T) {
	g := New(9, All).AddBuckets(outputs(2047)...)
	require.NoError(t, g.Readable(OpenFlow15))
	require.NoError(t, g.Readable(OpenFlow13))
	g = g.AddBuckets(outputs(453)...)
	require.NoError(t, g.Readable(OpenFlow15))
	err := g.Readable(OpenFlow13)
	require.ErrorIs(t, err, ErrTooLarge)
	require.EqualError(t, err, "ofgroup: describe group 9: group too large: 2500 buckets where 2047 would fit in OpenFlow 1.3")
	require.ErrorIs(t, g.Readable(1), ErrVersion)
	var e *Error
	require.True(t, errors.As(err, &e))
	require.Equal(t, ID(9), e.ID)
}
