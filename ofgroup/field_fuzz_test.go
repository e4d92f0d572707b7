package ofgroup_test

import (
	"encoding/binary"
	"net/netip"
	"testing"

	. "github.com/ofmcast/ofmcast/ofgroup"
)

// FuzzFields does with any two fields, whole or in part, real or not, whatever can be done
// with them.
func FuzzFields(f *testing.F) {
	for i, field := range allFields() {
		f.Add(uint64(field), uint64(Reg(i%16)), int8(0), int8(i%8), uint64(i), uint64(1)<<(i%64))
	}
	f.Add(uint64(Reg(99)), uint64(XXReg(3).Bits(64, 127)), int8(-1), int8(127), ^uint64(0), uint64(0))
	f.Fuzz(func(t *testing.T, f1, f2 uint64, first, last int8, value, mask uint64) {
		for _, field := range []Field{Field(f1), Field(f1).Bits(int(first), int(last))} {
			exerciseField(t, field, value, mask)
			exerciseField(t, Field(f2), value, mask)
			requireSound(t, Copy(field, Field(f2)))
			requireSound(t, CT(CTAction{Commit: true, Exec: []Action{Copy(Field(f2), field)}}))
		}
	})
}

func exerciseField(t *testing.T, f Field, value, mask uint64) {
	t.Helper()
	if f.String() == "" {
		t.Fatal("no name")
	}
	var wide [16]byte
	binary.BigEndian.PutUint64(wide[4:], value)
	set := Set(f, value)
	requireSound(t, set)
	requireSound(t, Set(f, netip.AddrFrom16(wide)))
	requireSound(t, OutputField(f, 0xffff))
	requireSound(t, CT(CTAction{ZoneField: f}))
	if part, read, ok := set.AsSet(); ok && set.Err() == nil {
		if part.String() != f.String() || lowBits(read) != value {
			t.Fatalf("%v of %v is read as %v of %x", f, value, part, read)
		}
	}
	g := New(1, Select).WithSelection(Hash(f, IPDst))
	if m, err := g.Mod(Add, OpenFlow15); err == nil {
		requireTrueLen(t, m)
	}
	requireSoundMatch(t, NewMatch(Is(f, value), IsMasked(Metadata, value, mask)))
	requireSoundMatch(t, NewMatch(IsMasked(f, value, mask), Is(f, value), IsIPv4()))
	requireSoundMatch(t, NewMatch(Within(f, netip.PrefixFrom(netip.AddrFrom16(wide), int(mask%130)))))
}

func lowBits(b []byte) (n uint64) {
	for _, c := range b {
		n = n<<8 | uint64(c)
	}
	return n
}

// requireSound holds an action without a fault to being sent, and read, as one.
func requireSound(t *testing.T, a Action) {
	t.Helper()
	if a.String() == "" {
		t.Fatal("no text")
	}
	list, err := AppendActions(nil, OpenFlow15, a)
	if err != nil {
		return
	}
	if RawAction(list).Err() != nil || RawAction(list).String() != a.String() {
		t.Fatalf("%v is %x", a, list)
	}
	exerciseActions(t, OpenFlow15, list)
	if list, err = AppendActions(nil, OpenFlow13, a); err == nil {
		exerciseActions(t, OpenFlow13, list)
	}
}

// requireSoundMatch holds a match to being fields of true length, once each.
func requireSoundMatch(t *testing.T, m Match) {
	t.Helper()
	b, err := m.AppendBinary(nil)
	if err != nil {
		if m.Err() == nil {
			t.Fatal(err)
		}
		return
	}
	_ = m.String()
	n := int(binary.BigEndian.Uint16(b[2:]))
	if len(b)%8 != 0 || n > len(b) || len(b)-n > 7 {
		t.Fatalf("%v is %x", m, b)
	}
	seen := map[uint32]bool{}
	for rest := b[4:n]; len(rest) > 0; {
		h := binary.BigEndian.Uint32(rest)
		if seen[h>>9] {
			t.Fatalf("%v: a field twice", m)
		}
		seen[h>>9] = true
		rest = rest[4+h&0xff:]
	}
}
