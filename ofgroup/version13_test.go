package ofgroup_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	. "github.com/ofmcast/ofmcast/ofgroup"
)

func TestOpenFlow13RefusesWhatItCannotSay(t *testing.T) {
	meter := RawAction([]byte{0, 29, 0, 8, 0, 0, 0, 1})
	unknown := decode(t, unhex(t, "060f0030 00000000 0000 01 00 00000007 0018 0000 ffffffff"+
		"0018 0000 00000000 0000 0008 0001 0000 0055 0008 01020304")).Group()
	for what, c := range map[string]struct {
		group  Group
		bucket int
	}{
		"selection method": {New(7, Select).WithSelection(DPHash(0, 0)), NoBucket},
		"bucket ID":        {New(7, All).AddBuckets(to(1)[0], to(2)[0].WithID(5)), 1},
		"meter":            {New(7, All).AddBuckets(to(1)[0], NewBucket(meter)), 1},
		"property":         {unknown, 0},
	} {
		_, err := c.group.Mod(Add, OpenFlow15)
		require.NoError(t, err, what)
		_, err = c.group.Mod(Add, OpenFlow13)
		requireRule(t, err, 7, c.bucket, ErrVersion)
		_, err = AppendGroupDesc(nil, OpenFlow13, c.group)
		requireRule(t, err, 7, c.bucket, ErrVersion)
	}
	// Numbers that the switch will count to anyway are no news.
	_, err := New(7, All).AddBuckets(to(1)[0].WithID(0), to(2)[0].WithID(1)).Mod(Add, OpenFlow13)
	require.NoError(t, err)
}

func TestUnusedWatchesAndWeightsInOpenFlow13(t *testing.T) {
	requireBytes(t, unhex(t, "040f0030 00000000 00000000 00000008"+
		"0020 0000 ffffffff ffffffff 00000000 0000 0010 00000003 0000 000000000000"),
		encode(t, New(8, All).AddBuckets(to(3)...), Add, OpenFlow13))
	// A zero is port 0 or group 0, not "unset".
	m := decode(t, unhex(t, "040f0030 00000000 00000300 00000008"+
		"0020 0000 00000000 00000000 00000000 0000 0010 00000003 0000 000000000000"))
	port, ok := m.Group().Bucket(0).WatchPort()
	require.True(t, ok)
	require.Equal(t, Port(0), port)
}

// Loads that a masked set_field would not be sent as stay loads.
func TestLoadsThatCannotBeFoldedStayAsTheyAre(t *testing.T) {
	const head, load = "040f0060 00000000 00000000 00000007 0050 0000 ffffffff ffffffff 00000000", "ffff0018 00002320 0007 "
	message := func(a, b string) []byte {
		return unhex(t, head+load+a+load+b+"001900100001000400000001 00000000")
	}
	for what, c := range map[string]struct {
		a, b string
		want string
	}{
		"ascending with a gap": {"0003 00010004 0000000000000005", "0203 00010004 0000000000000006",
			"set_field:0x605/0xf0f->reg0,set_field:0x1->reg0"},
		"touching":   {"0003 00010004 0000000000000005", "0103 00010004 0000000000000006", "set_field:0x5/0xf->reg0,set_field:0x60/0xf0->reg0,set_field:0x1->reg0"},
		"descending": {"0203 00010004 0000000000000006", "0003 00010004 0000000000000005", "set_field:0x600/0xf00->reg0,set_field:0x5/0xf->reg0,set_field:0x1->reg0"},
		"two fields": {"0003 00010004 0000000000000005", "0203 00010204 0000000000000006", "set_field:0x5/0xf->reg0,set_field:0x600/0xf00->reg1,set_field:0x1->reg0"},
		"value too large": {"0003 00010004 0000000000000015", "0203 00010004 0000000000000006",
			"raw:ffff001800002320000700030001000400000000000000" + "15,set_field:0x600/0xf00->reg0,set_field:0x1->reg0"},
		"beyond the field": {"07c3 00010004 0000000000000005", "0203 00010004 0000000000000006",
			"raw:ffff0018000023200007" + "07c3000100040000000000000005,set_field:0x600/0xf00->reg0,set_field:0x1->reg0"},
		"unknown field": {"0003 00ff0004 0000000000000005", "0203 00010004 0000000000000006",
			"raw:ffff0018000023200007" + "000300ff00040000000000000005,set_field:0x600/0xf00->reg0,set_field:0x1->reg0"},
		"whole field": {"001f 00010004 0000000000000005", "0203 00010004 0000000000000006",
			"load:0x5->NXM_NX_REG0[],set_field:0x600/0xf00->reg0,set_field:0x1->reg0"},
	} {
		t.Run(what, func(t *testing.T) {
			data := message(c.a, c.b)
			m := decode(t, data)
			require.Equal(t, "actions="+c.want, m.Group().Bucket(0).String())
			requireBytes(t, data, marshal(t, m))
		})
	}
}

func TestMasksOfMoreThan64BitsAreSeveralLoads(t *testing.T) {
	var ones [16]byte
	for i := range ones {
		ones[i] = 0xff
	}
	ones[0] = 0x7f // 127 bits
	g := decode(t, append(unhex(t, "060f0048 00000000 00000000 00000007 0030 0000 ffffffff"+
		"0030 0028 00000000 0019 0028 0001df20 00112233445566778899aabbccddeeff"), ones[:]...)).Group()
	want := unhex(t, "040f0050 00000000 00000000 00000007 0040 0000 ffffffff ffffffff 00000000"+
		"ffff0018 00002320 0007 003f 0001de10 8899aabbccddeeff"+
		"ffff0018 00002320 0007 103e 0001de10 0011223344556677")
	requireBytes(t, want, encode(t, g, Add, OpenFlow13))
	require.True(t, decode(t, want).Group().Equal(g), "folds back into one set_field")
}

func TestActionsOfOpenFlow15AreMalformedIn13(t *testing.T) {
	for _, action := range []string{
		"0019 0010 00010108 00000001 00000001",                     // set_field with a mask
		"001c 0018 0020 0000 0000 0000 00010004 00010204 00000000", // copy_field
		"001d 0008 00000001",                                       // meter
	} {
		a := unhex(t, action)
		data := append(unhex(t, "040f0000 00000000 00000000 00000007 0000 0000 ffffffff ffffffff 00000000"), a...)
		data[3], data[17] = byte(len(data)), byte(16+len(a))
		var m Mod
		require.ErrorIs(t, m.UnmarshalBinary(data), ErrMalformed)
	}
}
