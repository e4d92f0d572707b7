package group

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/internal/bench/side"
	"github.com/ofmcast/ofmcast/ofgroup"
)

const (
	groupID     = 7
	servicePort = 8080
)

// library is what the Go OpenFlow library that agents use today takes to build and encode a message,
// and to decode it, on another machine of two cores. It is not served as a module, so its figures
// stand in for it.
type library struct{ build, decode cost }

// cost is in nanoseconds.
type cost struct{ ns, allocs float64 }

var shapes = []struct {
	name    string
	typ     ofgroup.Type
	bucket  func(i int) ofgroup.Bucket
	floor   func(n int) []byte
	library map[int]library
}{
	{"output", ofgroup.All, output, floorOutputs, map[int]library{
		1:   {cost{539, 14}, cost{217, 5}},
		100: {cost{31_700, 722}, cost{14_700, 210}},
		700: {cost{232_000, 4_932}, cost{101_000, 1_413}},
	}},
	{"service", ofgroup.Select, service, floorServices, map[int]library{
		1:   {cost{1_664, 41}, cost{646, 17}},
		100: {cost{144_000, 3_424}, cost{53_600, 1_410}},
		700: {cost{1_034_000, 23_834}, cost{381_000, 9_813}},
	}},
}

var sizes = []int{1, 10, 30, 100, 300, 700}

func output(i int) ofgroup.Bucket { return ofgroup.NewBucket(ofgroup.Output(ofgroup.Port(i + 1))) }

func service(i int) ofgroup.Bucket {
	return ofgroup.NewBucket(
		ofgroup.Set(ofgroup.Reg(3), uint32(0x0a000000+i)),
		ofgroup.Set(ofgroup.Reg(4).Bits(0, 15), servicePort),
		ofgroup.Resubmit(6),
	).WithWeight(100)
}

func build(typ ofgroup.Type, n int, bucket func(int) ofgroup.Bucket) ofgroup.Group {
	g := ofgroup.New(groupID, typ)
	for i := range n {
		g = g.AddBuckets(bucket(i))
	}
	return g
}

func encode(g ofgroup.Group) ([]byte, error) {
	m, err := g.Mod(ofgroup.Add, ofgroup.OpenFlow15)
	if err != nil {
		return nil, err
	}
	return m.MarshalBinary()
}

func TestTheFloorWritesTheSameBytes(t *testing.T) {
	for _, s := range shapes {
		for _, n := range sizes {
			got, err := encode(build(s.typ, n, s.bucket))
			require.NoError(t, err)
			require.Equal(t, s.floor(n), got, "%s %d", s.name, n)
		}
	}
}

// BenchmarkGroup has each job done in turns with the floor, and reports what the library took as well.
func BenchmarkGroup(b *testing.B) {
	for _, s := range shapes {
		for _, n := range sizes {
			b.Run(fmt.Sprintf("%s/%d", s.name, n), func(b *testing.B) {
				g := build(s.typ, n, s.bucket)
				m, err := g.Mod(ofgroup.Add, ofgroup.OpenFlow15)
				require.NoError(b, err)
				data, err := m.MarshalBinary()
				require.NoError(b, err)
				buf := make([]byte, 0, len(data))
				side.Compare(b,
					side.Way{Name: "floor", Do: side.Each(func() error { sink = s.floor(n); return nil })},
					side.Way{Name: "encode", Do: side.Each(func() error { sink, err = encode(g); return err })},
					side.Way{Name: "fresh", Do: side.Each(func() error { sink, err = m.MarshalBinary(); return err })},
					side.Way{Name: "append", Do: side.Each(func() error { _, err := m.AppendBinary(buf); return err })},
					side.Way{Name: "build+encode", Do: side.Each(func() error {
						sink, err = encode(build(s.typ, n, s.bucket))
						return err
					})},
					side.Way{Name: "decode", Do: side.Each(func() error {
						var m ofgroup.Mod
						return m.UnmarshalBinary(data)
					})},
				)
				if lib, known := s.library[n]; known {
					lib.build.report(b, "library-build+encode")
					lib.decode.report(b, "library-decode")
				}
			})
		}
	}
}

func (c cost) report(b *testing.B, name string) {
	b.ReportMetric(c.ns, "ns-"+name)
	b.ReportMetric(c.allocs, "allocs-"+name)
}

// sink keeps what the floor makes alive.
var sink []byte
