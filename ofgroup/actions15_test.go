package ofgroup_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/internal/ovslab"
	. "github.com/ofmcast/ofmcast/ofgroup"
)

// with13 is a group of OpenFlow 1.3 with these actions, as it is decoded.
func with13(tb testing.TB, actions string) Group {
	tb.Helper()
	a := unhex(tb, actions)
	data := append(unhex(tb, "040f0000 00000000 00000000 00000007 0000 0000 ffffffff ffffffff 00000000"), a...)
	data[2], data[3] = byte(len(data)>>8), byte(len(data))
	data[16], data[17] = byte((16+len(a))>>8), byte(16+len(a))
	return decode(tb, data).Group()
}

const loadAllOfReg1 = "ffff 0018 00002320 0007 001f 00010204 0000000000000005"

// A load of a whole field stays a load in 1.3, where a set_field would be other bytes; in
// 1.5, which has no loads, it is the set_field that it means.
func TestLoadsAndMovesOfOpenFlow13AreSentIn15AsWhatTheyMean(t *testing.T) {
	for what, c := range map[string]struct {
		actions13 string
		want      []Action
	}{
		"load of all":      {loadAllOfReg1, []Action{Set(Reg(1), 5)}},
		"touching loads":   {"ffff 0018 00002320 0007 0003 00010004 0000000000000005 ffff 0018 00002320 0007 0103 00010004 0000000000000006", []Action{Set(Reg(0).Bits(0, 3), 5), Set(Reg(0).Bits(4, 7), 6)}},
		"descending loads": {"ffff 0018 00002320 0007 0203 00010004 0000000000000006 ffff 0018 00002320 0007 0003 00010004 0000000000000005", []Action{Set(Reg(0).Bits(8, 11), 6), Set(Reg(0).Bits(0, 3), 5)}},
		"by a newer name":  {"ffff 0018 00002320 0006 0020 0000 0000 80004c08 00010204", []Action{Copy(TunID.Bits(0, 31), Reg(1))}},
		"in a clone":       {"ffff 0028 00002320 002a 000000000000" + loadAllOfReg1, []Action{Clone(Set(Reg(1), 5))}},
		"in two clones":    {"ffff 0048 00002320 002a 000000000000 ffff 0028 00002320 002a 000000000000" + loadAllOfReg1 + "0000 0010 00000001 0000 000000000000", []Action{Clone(Clone(Set(Reg(1), 5)), Output(1))}},
	} {
		g := with13(t, c.actions13)
		want := New(7, All).AddBuckets(NewBucket(c.want...))
		requireBytes(t, encode(t, want, Add, OpenFlow15), encode(t, g, Add, OpenFlow15), what)
		described, err := AppendGroupDesc(nil, OpenFlow15, g)
		require.NoError(t, err, what)
		expected, err := AppendGroupDesc(nil, OpenFlow15, want)
		require.NoError(t, err, what)
		requireBytes(t, expected, described, what)

		list, err := AppendActions(nil, OpenFlow15, actionsOf(g)...)
		require.NoError(t, err, what)
		expected, err = AppendActions(nil, OpenFlow15, c.want...)
		require.NoError(t, err, what)
		requireBytes(t, expected, list, what)
		again := New(7, All).AddBuckets(NewBucket(actionsOf(g)...))
		requireBytes(t, encode(t, want, Add, OpenFlow15), encode(t, again, Add, OpenFlow15), "built of what was read: "+what)
		requireBytes(t, encode(t, g, Add, OpenFlow13), encode(t, again, Add, OpenFlow13), "in 1.3 as it came: "+what)
	}
}

func TestWhatIn15MeansNothingIsRefusedThere(t *testing.T) {
	for what, actions := range map[string]string{
		"load of an unknown field": "ffff 0018 00002320 0007 001f 0001fe04 0000000000000005",
		"load of bits outside":     "ffff 0018 00002320 0007 043f 00010204 0000000000000005",
		"load of too much":         "ffff 0018 00002320 0007 0003 00010204 0000000000000015",
		"move of an unknown field": "ffff 0018 00002320 0006 0010 0000 0000 0001fe04 00010204",
		"load of a VLAN alone":     "ffff 0018 00002320 0007 000b 80000c02 0000000000000005",
		"within a clone":           "ffff 0028 00002320 002a 000000000000 ffff 0018 00002320 0007 001f 0001fe04 0000000000000005",
	} {
		g := with13(t, "0000 0010 00000001 0000 000000000000"+actions)
		_, err := g.Mod(Add, OpenFlow15)
		requireRule(t, err, 7, 0, ErrVersion)
		_, err = AppendGroupDesc(nil, OpenFlow15, g)
		requireRule(t, err, 7, 0, ErrVersion)
		b, err := AppendActions([]byte{1}, OpenFlow15, actionsOf(g)...)
		require.ErrorIs(t, err, ErrVersion, what)
		require.Equal(t, []byte{1}, b, what)
		_, err = g.Mod(Add, OpenFlow13)
		require.NoError(t, err, what)
	}
}

// That is how it must be: the switch has no loads in 1.5.
func TestARealSwitchRefusesLoadsIn15AndTakesWhatIsSentInstead(t *testing.T) {
	lab := ovslab.New(t, ovslab.Config{Ports: []string{"p1"}})
	c := newLabClient(t, lab, OpenFlow15)
	g := with13(t, loadAllOfReg1)
	require.NotNil(t, c.verdictOf(groupAround(unhex(t, loadAllOfReg1))))
	m, err := g.Mod(Add, OpenFlow15)
	require.NoError(t, err)
	require.Nil(t, c.verdict(m))
	m, err = g.Mod(Add, OpenFlow13)
	require.NoError(t, err)
	require.Nil(t, newLabClient(t, lab, OpenFlow13).verdict(m))
}

// Actions within actions have their form of the version, too.
func TestActionsWithinActionsInOpenFlow13(t *testing.T) {
	a := Clone(Set(Reg(0).Bits(0, 3), 1), Copy(Reg(0), Reg(1)), Output(2))
	b, err := AppendActions(nil, OpenFlow13, a)
	require.NoError(t, err)
	requireBytes(t, unhex(t, "ffff 0050 00002320 002a 000000000000"+ // as ovs-ofctl sends it
		"ffff 0018 00002320 0007 0003 00010004 0000000000000001"+
		"ffff 0018 00002320 0006 0020 0000 0000 00010004 00010204"+
		"0000 0010 00000002 0000 000000000000"), b)
	_, err = AppendActions(nil, OpenFlow13, Clone(Meter(1)))
	require.ErrorIs(t, err, ErrVersion)
	_, err = New(7, All).AddBuckets(NewBucket(Clone(Clone(Meter(1))))).Mod(Add, OpenFlow13)
	requireRule(t, err, 7, 0, ErrVersion)

	within15 := unhex(t, "ffff 0020 00002320 002a 000000000000 0019 0010 00010108 00000001 0000000f")
	data := append(unhex(t, "040f0040 00000000 00000000 00000007 0030 0000 ffffffff ffffffff 00000000"), within15...)
	var m Mod
	require.ErrorIs(t, m.UnmarshalBinary(data), ErrMalformed, "a set_field with a mask does not exist in 1.3")
}

// A list that 1.3 makes longer than an action can be is refused, not wrapped.
func TestActionsThatAreTooLongIn13AreRefused(t *testing.T) {
	var within []Action
	for range 3000 {
		within = append(within, Set(Reg(0).Bits(0, 3), 1))
	}
	a := Clone(within...)
	require.NoError(t, a.Err())
	_, err := AppendActions(nil, OpenFlow15, a)
	require.NoError(t, err)
	_, err = AppendActions(nil, OpenFlow13, a)
	require.ErrorIs(t, err, ErrTooLarge)
	_, err = New(7, All).AddBuckets(NewBucket(a)).Mod(Add, OpenFlow13)
	requireRule(t, err, 7, NoBucket, ErrTooLarge)
}

// In 1.3 a load cannot reach the bit that says that there is a VLAN, so ovs-ofctl leaves it out.
func TestAVLANWithAMaskInOpenFlow13(t *testing.T) {
	b, err := AppendActions(nil, OpenFlow13, RawAction(unhex(t, "0019 0010 80000d04 1005 1fff 00000000")))
	require.NoError(t, err)
	requireBytes(t, unhex(t, "ffff 0018 00002320 0007 000b 80000c02 0000000000000005"), b)
}
