package ofgroup_test

import (
	"net/netip"
	"slices"
	"sync"

	"pgregory.net/rapid"

	. "github.com/ofmcast/ofmcast/ofgroup"
)

// anyGroup is a group that this package would send in OpenFlow 1.5 and that has words.
func anyGroup(t *rapid.T) Group {
	g := New(ID(rapid.Uint32Range(0, uint32(MaxID)).Draw(t, "id")), Type(rapid.IntRange(0, 3).Draw(t, "type")))
	n := 1
	if g.Type() != Indirect {
		n = rapid.IntRange(0, 5).Draw(t, "buckets")
	}
	ids := rapid.SliceOfNDistinct(bucketID(), n, n, rapid.ID).Draw(t, "ids")
	numbered := rapid.IntRange(0, 2).Draw(t, "numbered") // none, some, all
	for i := range n {
		b := anyBucket(t, g.Type())
		if numbered == 2 || numbered == 1 && rapid.Bool().Draw(t, "number") {
			b = b.WithID(ids[i])
		}
		g = g.AddBuckets(b)
	}
	if g.Type() == Select {
		switch rapid.IntRange(0, 2).Draw(t, "selection") {
		case 1:
			g = g.WithSelection(DPHash(rapid.Uint32Range(0, 1).Draw(t, "algorithm"), rapid.Uint32().Draw(t, "basis")))
		case 2:
			g = g.WithSelection(anyHash(t))
		}
	}
	return g
}

func bucketID() *rapid.Generator[BucketID] {
	return rapid.Map(rapid.OneOf(rapid.Uint32Range(0, 9), rapid.Uint32Range(0, uint32(MaxBucketID))),
		func(n uint32) BucketID { return BucketID(n) })
}

func anyBucket(t *rapid.T, typ Type) Bucket {
	var actions []Action
	if rapid.IntRange(0, 9).Draw(t, "metered") == 0 { // a meter has words as the first action only
		actions = append(actions, Meter(rapid.Uint32Range(1, 9).Draw(t, "meter")))
	}
	for range rapid.IntRange(0, 4).Draw(t, "actions") {
		actions = append(actions, anyAction(t, 2))
	}
	b := NewBucket(actions...)
	watch := typ == FastFailover || typ == Select && rapid.Bool().Draw(t, "watch")
	if watch {
		switch rapid.IntRange(0, 2).Draw(t, "what") {
		case 0:
			b = b.WithWatchPort(anyPort(t))
		case 1:
			b = b.WithWatchGroup(anyID(t))
		default:
			b = b.WithWatchPort(Port(rapid.Uint32Range(0, 0xfeff).Draw(t, "watched"))).WithWatchGroup(anyID(t))
		}
		if p, ok := b.WatchPort(); ok && p >= PortIn { // no words for the others
			b = b.WithWatchPort(PortController)
		}
	}
	if typ == Select && rapid.Bool().Draw(t, "weighted") {
		b = b.WithWeight(rapid.Uint16().Draw(t, "weight"))
	}
	return b
}

func anyHash(t *rapid.T) Selection {
	var fields []Field
	for _, f := range rapid.SliceOfNDistinct(rapid.SampledFrom(allFields()), 0, 4, rapid.ID).Draw(t, "fields") {
		choices := []Field{part(t, f), f}
		if f == IPFrag || f == CTState {
			choices = choices[1:] // ovs-ofctl has words for what they say, but not for all their bits
		}
		for _, choice := range choices {
			if New(1, Select).WithSelection(Hash(append(slices.Clone(fields), choice)...)).Validate() == nil {
				fields = append(fields, choice)
				break
			}
		}
	}
	return Hash(fields...)
}

func anyID(t *rapid.T) ID { return ID(rapid.Uint32Range(0, uint32(MaxID)).Draw(t, "group")) }

var reserved = []Port{PortIn, PortNormal, PortFlood, PortAll, PortController, PortLocal}

func anyPort(t *rapid.T) Port {
	return rapid.OneOf(
		rapid.Map(rapid.Uint32Range(0, 0xfeff), func(n uint32) Port { return Port(n) }), rapid.SampledFrom(reserved),
	).Draw(t, "port")
}

// part is f or a part of it.
func part(t *rapid.T, f Field) Field {
	n := widths()[f]
	if n == 0 || rapid.Bool().Draw(t, "whole") {
		return f
	}
	first := rapid.IntRange(0, n-1).Draw(t, "first")
	return f.Bits(first, rapid.IntRange(first, n-1).Draw(t, "last"))
}

// widths are the bits that can be read of each field.
var widths = sync.OnceValue(func() map[Field]int {
	all := make(map[Field]int)
	for _, f := range allFields() {
		for n := range 128 {
			if Copy(f.Bits(0, n), XXReg(0).Bits(0, n)).Err() == nil {
				all[f] = n + 1
			}
		}
	}
	return all
})

func anyField(t *rapid.T) Field { return part(t, rapid.SampledFrom(allFields()).Draw(t, "field")) }

func anyAddr(t *rapid.T) netip.Addr {
	b := any16(t)
	if rapid.Bool().Draw(t, "v4") {
		return netip.AddrFrom4([4]byte(b[:4]))
	}
	return netip.AddrFrom16(b)
}

func any16(t *rapid.T) [16]byte {
	return [16]byte(rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "bytes"))
}
