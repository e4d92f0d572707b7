package ofgroup_test

import (
	"encoding/binary"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	. "github.com/ofmcast/ofmcast/ofgroup"
)

func name(n int) string { return strconv.Itoa(n) }

var shapes = []struct {
	name   string
	typ    Type
	bucket func(i int) Bucket
}{
	{"output", All, func(i int) Bucket { return NewBucket(Output(Port(i + 1))) }},
	{"service", Select, service},
}

var shapeSizes = []int{1, 3, 100, 700}

func build(typ Type, n int, bucket func(int) Bucket) Group {
	g := New(7, typ)
	for i := range n {
		g = g.AddBuckets(bucket(i))
	}
	return g
}

func BenchmarkBuildAndEncode(b *testing.B) {
	for _, s := range shapes {
		for _, n := range shapeSizes {
			b.Run(s.name+"/"+name(n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					m, err := build(s.typ, n, s.bucket).Mod(Add, OpenFlow15)
					if err != nil {
						b.Fatal(err)
					}
					if _, err := m.MarshalBinary(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func BenchmarkEncode(b *testing.B) {
	for _, v := range bothVersions {
		for _, s := range shapes {
			for _, n := range shapeSizes {
				b.Run(v.String()+"/"+s.name+"/"+name(n), func(b *testing.B) {
					g := build(s.typ, n, s.bucket)
					b.ReportAllocs()
					for b.Loop() {
						m, err := g.Mod(Add, v)
						if err != nil {
							b.Fatal(err)
						}
						if _, err := m.MarshalBinary(); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		}
	}
}

// The floor: a program that knows that all buckets have one output, and nothing else.
func BenchmarkFloor(b *testing.B) {
	for _, n := range shapeSizes {
		b.Run("output/"+name(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_ = floorOutputs(n)
			}
		})
	}
}

func floorOutputs(n int) []byte {
	b := make([]byte, 24+24*n)
	copy(b, "\x06\x0f")
	binary.BigEndian.PutUint16(b[2:], uint16(len(b)))
	binary.BigEndian.PutUint32(b[12:], 7)
	binary.BigEndian.PutUint16(b[16:], uint16(24*n))
	binary.BigEndian.PutUint32(b[20:], 0xffffffff)
	for i := range n {
		k := b[24+24*i : 48+24*i]
		binary.BigEndian.PutUint32(k, 24<<16|16)
		binary.BigEndian.PutUint32(k[4:], uint32(i))
		binary.BigEndian.PutUint32(k[8:], 16)
		binary.BigEndian.PutUint32(k[12:], uint32(i+1))
	}
	return b
}

func BenchmarkAppend(b *testing.B) {
	for _, s := range shapes {
		for _, n := range shapeSizes {
			b.Run(s.name+"/"+name(n), func(b *testing.B) {
				m, err := build(s.typ, n, s.bucket).Mod(Add, OpenFlow15)
				if err != nil {
					b.Fatal(err)
				}
				buf := make([]byte, 0, m.Len())
				b.ReportAllocs()
				for b.Loop() {
					if _, err := m.AppendBinary(buf); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	for _, s := range shapes {
		for _, n := range shapeSizes {
			b.Run(s.name+"/"+name(n), func(b *testing.B) {
				data := encode(b, build(s.typ, n, s.bucket), Add, OpenFlow15)
				b.ReportAllocs()
				for b.Loop() {
					var m Mod
					if err := m.UnmarshalBinary(data); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func TestEncodingIntoRoomAllocatesNothing(t *testing.T) {
	for _, v := range bothVersions {
		for _, s := range shapes {
			m, err := build(s.typ, 100, s.bucket).Mod(Add, v)
			require.NoError(t, err)
			buf := make([]byte, 0, m.Len())
			require.Zero(t, testing.AllocsPerRun(20, func() { _, _ = m.AppendBinary(buf) }))
			require.Equal(t, 1.0, testing.AllocsPerRun(20, func() { _, _ = m.MarshalBinary() }))
		}
	}
}

func TestABucketOfShortActionsIsOneAllocationAtMost(t *testing.T) {
	var keep Bucket
	require.Equal(t, 1.0, testing.AllocsPerRun(20, func() { keep = service(3) }))
	require.Zero(t, testing.AllocsPerRun(20, func() { keep = NewBucket(Output(3)) }))
	require.NotEqual(t, Bucket{}, keep)
}

func TestDecodingAllocatesTheBucketsTheirListAndOneCopyOfWhatTheyKeep(t *testing.T) {
	for i, most := range []float64{2, 3} { // outputs keep nothing
		data := encode(t, build(shapes[i].typ, 700, shapes[i].bucket), Add, OpenFlow15)
		var m Mod
		require.LessOrEqual(t, testing.AllocsPerRun(20, func() { _ = m.UnmarshalBinary(data) }), most)
	}
}

func TestBuildingOneByOneAllocatesNowAndThen(t *testing.T) {
	require.LessOrEqual(t, testing.AllocsPerRun(20, func() { build(All, 4, shapes[0].bucket) }), 1.0)
	require.LessOrEqual(t, testing.AllocsPerRun(20, func() { build(All, 100, shapes[0].bucket) }), 13.0)
}
