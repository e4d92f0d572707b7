package ofgroup_test

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"

	. "github.com/ofmcast/ofmcast/ofgroup"
)

// Every rule, with the bucket that is named for it and the words it is told in.
var refused = []struct {
	what   string
	group  Group
	rule   error
	bucket int
	text   string
}{
	{"reserved ID", New(0xffffff01, All), ErrReservedID, NoBucket,
		"group 4294967041: group ID is reserved: 0xffffff01 is above 0xffffff00"},
	{"all groups", New(AllGroups, All), ErrReservedID, NoBucket,
		"group all: group ID is reserved: 0xfffffffc is above 0xffffff00"},
	{"any group", New(AnyGroup, All), ErrReservedID, NoBucket,
		"group any: group ID is reserved: 0xffffffff is above 0xffffff00"},
	{"unknown type", New(7, 4), ErrType, NoBucket, "group 7: unknown group type: Type(0x4)"},
	{"indirect without bucket", New(7, Indirect), ErrBucketCount, NoBucket,
		"group 7: indirect group needs one bucket: it has 0"},
	{"indirect with two", New(7, Indirect).AddBuckets(to(1, 2)...), ErrBucketCount, NoBucket,
		"group 7: indirect group needs one bucket: it has 2"},
	{"weight in all", New(7, All).AddBuckets(to(1)[0], to(2)[0].WithWeight(5)), ErrWeight, 1,
		"group 7: bucket 1: weight outside a select group: weight 5 in type all"},
	{"weight zero in all", New(7, All).AddBuckets(to(2)[0].WithWeight(0)), ErrWeight, 0,
		"group 7: bucket 0: weight outside a select group: weight 0 in type all"},
	{"weight in indirect", New(7, Indirect).AddBuckets(to(2)[0].WithWeight(1)), ErrWeight, 0,
		"group 7: bucket 0: weight outside a select group: weight 1 in type indirect"},
	{"weight in ff", New(7, FastFailover).AddBuckets(to(2)[0].WithWeight(1).WithWatchPort(1)), ErrWeight, 0,
		"group 7: bucket 0: weight outside a select group: weight 1 in type ff"},
	{"watch in all", New(7, All).AddBuckets(to(1)[0].WithWatchPort(1)), ErrWatch, 0,
		"group 7: bucket 0: watch rule of the group type: type all takes none"},
	{"watch in indirect", New(7, Indirect).AddBuckets(to(1)[0].WithWatchGroup(1)), ErrWatch, 0,
		"group 7: bucket 0: watch rule of the group type: type indirect takes none"},
	{"ff without watch", New(7, FastFailover).AddBuckets(watched(2)...).AddBuckets(to(1)...), ErrWatch, 2,
		"group 7: bucket 2: watch rule of the group type: type ff needs a port or group to watch"},
	{"watch taken away", New(7, FastFailover).AddBuckets(watched(1)[0].WithWatchPort(PortAny)), ErrWatch, 0,
		"group 7: bucket 0: watch rule of the group type: type ff needs a port or group to watch"},
	{"watch of no port", New(7, Select).AddBuckets(to(1)[0].WithWatchPort(0xff00)), ErrWatch, 0,
		"group 7: bucket 0: watch rule of the group type: no switch has port 0xff00"},
	{"watch of reserved group", New(7, Select).AddBuckets(to(1)[0].WithWatchGroup(AllGroups)), ErrWatch, 0,
		"group 7: bucket 0: watch rule of the group type: group 0xfffffffc is reserved"},
	{"bucket ID too large", New(7, All).AddBuckets(to(1)[0].WithID(0xffffff01)), ErrBucketID, 0,
		"group 7: bucket 0: bucket ID taken or out of range: 0xffffff01 is above 0xffffff00"},
	{"bucket ID twice", New(7, All).AddBuckets(to(1)[0].WithID(2), to(1)[0], to(1)[0].WithID(2)), ErrBucketID, 2,
		"group 7: bucket 2: bucket ID taken or out of range: 2 is in the group twice"},
	{"bucket ID twice, far apart", New(7, All).AddBuckets(to(1)[0].WithID(9), to(1)[0].WithID(2), to(1)[0].WithID(9)),
		ErrBucketID, 2, "group 7: bucket 2: bucket ID taken or out of range: 9 is in the group twice"},
	{"selection in all", New(7, All).WithSelection(DPHash(0, 0)), ErrSelection, NoBucket,
		"group 7: selection method outside a select group: type all"},
	{"selection by no field", New(7, Select).WithSelection(Hash(IPDst, Reg(16))), ErrField, NoBucket,
		"group 7: no such field: reg16 (there are reg0 to reg15)"},
	{"selection by a field twice", New(7, Select).WithSelection(Hash(IPDst.Bits(0, 7), TCPDst, IPDst)), ErrField,
		NoBucket, "group 7: no such field: ip_dst twice in a selection"},
}

func TestWhatASwitchWouldRefuseIsRefusedBeforeSending(t *testing.T) {
	for _, c := range refused {
		t.Run(c.what, func(t *testing.T) {
			err := c.group.Validate()
			require.EqualError(t, err, "ofgroup: validate "+c.text)
			requireRule(t, err, c.group.ID(), c.bucket, c.rule)
			for _, v := range bothVersions {
				for _, cmd := range []Command{Add, Modify, AddOrMod} {
					m, err := c.group.Mod(cmd, v)
					require.Nil(t, m)
					require.EqualError(t, err, "ofgroup: "+cmd.String()+" "+c.text)
					requireRule(t, err, c.group.ID(), c.bucket, c.rule)
				}
			}
		})
	}
}

func requireRule(tb testing.TB, err error, id ID, bucket int, rule error) {
	tb.Helper()
	require.ErrorIs(tb, err, rule)
	var e *Error
	require.ErrorAs(tb, err, &e)
	require.Equal(tb, id, e.ID)
	require.Equal(tb, bucket, e.Bucket)
}

// The same groups, encoded all the same, are what the switch was seen to refuse.
func TestTheRulesAreTheSwitchsOwn(t *testing.T) {
	for _, v := range vectors(t, "group_mod") {
		m := decode(t, v.bytes)
		err := m.Group().Validate()
		switch m.Command() {
		case Add, Modify, AddOrMod:
		default:
			continue
		}
		switch v.Name {
		case "of15-group-mod-add-group-exists", "of13-group-mod-add-group-exists",
			"of15-group-mod-add-act-set-in-port-oxm", "of13-group-mod-add-act-set-in-port-oxm":
			continue // not the group's fault; not our action
		}
		require.Equal(t, v.Accepted, err == nil, "%s: %v", v.Name, err)
	}
}

// An action's fault travels through the bucket into Validate and Mod.
func TestFaultyActionsAreToldWithTheirBucket(t *testing.T) {
	for _, c := range []struct {
		action Action
		rule   error
		text   string
	}{
		{Set(Reg(16), 1), ErrField, "no such field: reg16 (there are reg0 to reg15)"},
		{Set(Reg(-1), 1), ErrField, "no such field: reg-1 (there are reg0 to reg15)"},
		{Set(XReg(8), 1), ErrField, "no such field: xreg8 (there are xreg0 to xreg7)"},
		{Set(XXReg(4), 1), ErrField, "no such field: xxreg4 (there are xxreg0 to xxreg3)"},
		{Set(Reg(1).Bits(0, 32), 1), ErrField, "no such field: bits 0 to 32 of reg1"},
		{Set(Reg(1).Bits(9, 8), 1), ErrField, "no such field: bits 9 to 8 of reg1"},
		{Set(Reg(1).Bits(-1, 8), 1), ErrField, "no such field: bits -1 to 8 of reg1"},
		{Set(Reg(1).Bits(8, 15).Bits(0, 8), 1), ErrField, "no such field: bits 0 to 8 of reg1"},
		{Set(Reg(16).Bits(0, 3), 1), ErrField, "no such field: reg16 (there are reg0 to reg15)"},
		{Set(Field(0), 1), ErrField, "no such field: number 0"},
		{Set(Field(255), 1), ErrField, "no such field: number 255"},
		{Set(EthType, 0x800), ErrField, "no such field: eth_type cannot be set"},
		{Set(InPort.Bits(0, 7), 1), ErrField, "no such field: in_port can only be set whole"},
		{Set(Reg(1), uint64(1)<<32), ErrValue, "value does not fit the field: 4294967296 for reg1, which has 32 bits"},
		{Set(Reg(1).Bits(0, 3), 16), ErrValue, "value does not fit the field: 16 for reg1[0..3], which has 4 bits"},
		{Set(Reg(1), -1), ErrValue, "value does not fit the field: -1 for reg1"},
		{Set(VLANPCP, uint8(8)), ErrValue, "value does not fit the field: 8 for vlan_pcp, which has 3 bits"},
		{Set(TunDst, addr("2001:db8::1")), ErrValue, "value does not fit the field: 2001:db8::1 for tun_dst, which has 32 bits"},
		{Set(TunIPv6Dst, addr("192.0.2.1")), ErrValue, "value does not fit the field: 192.0.2.1 for tun_ipv6_dst, which has 128 bits"},
		{Set(XReg(1), addr("192.0.2.1")), ErrValue, "value does not fit the field: 192.0.2.1 for xreg1, which has 64 bits"},
		{Set(IPv6Dst, addr("fe80::1%eth0")), ErrValue, "value does not fit the field: fe80::1%eth0 for ipv6_dst"},
		{Set(TunDst, netip.Addr{}), ErrValue, "value does not fit the field: invalid IP for tun_dst"},
		{Set(TunDst, addr("::192.0.2.1")), ErrValue, "value does not fit the field: ::c000:201 for tun_dst, which has 32 bits"},
		{Set(IPDst, [6]byte{1}), ErrValue, "value does not fit the field: [1 0 0 0 0 0] for ip_dst, which has 32 bits"},
		{Output(0xff00), ErrAction, "bad action: output to port 0xff00, which cannot be"},
		{Output(PortAny), ErrAction, "bad action: output to port 0xffffffff, which cannot be"},
		{Output(0xfffffff7), ErrAction, "bad action: output to port 0xfffffff7, which cannot be"},
		{OutputGroup(AllGroups), ErrAction, "bad action: output to group 0xfffffffc, which is reserved"},
		{ResubmitPort(0x10000, 1), ErrAction, "bad action: resubmit from port 0x10000, which cannot be"},
		{RawAction(nil), ErrAction, "bad action: raw action of 0 bytes is not one whole action"},
		{RawAction([]byte{0, 24, 0, 8}), ErrAction, "bad action: raw action of 4 bytes is not one whole action"},
		{RawAction([]byte{0, 24, 0, 7, 0, 0, 0, 0}), ErrAction, "bad action: raw action of 8 bytes is not one whole action"},
		{RawAction(make([]byte, 16)), ErrAction, "bad action: raw action of 16 bytes is not one whole action"},
	} {
		g := New(7, All).AddBuckets(to(1)...).AddBuckets(NewBucket(Output(2), c.action, Output(0xff01)))
		err := g.Validate()
		require.EqualError(t, err, "ofgroup: validate group 7: bucket 1: "+c.text)
		requireRule(t, err, 7, 1, c.rule)
		_, err = g.Mod(Modify, OpenFlow15)
		requireRule(t, err, 7, 1, c.rule)
		require.Contains(t, c.action.String(), c.text)
	}
}

func TestTheLargestAndSmallestThatAreAllowed(t *testing.T) {
	for _, g := range []Group{
		New(0, All),
		New(MaxID, Select).AddBuckets(to(1)[0].WithWeight(0xffff)),
		New(1, All).AddBuckets(to(1)[0].WithID(MaxBucketID)),
		New(1, All).AddBuckets(NewBucket(Set(Reg(15).Bits(31, 31), 1), Set(XReg(7), ^uint64(0)), Set(XXReg(3).Bits(127, 127), 1))),
		New(1, All).AddBuckets(NewBucket(OutputGroup(MaxID), Output(0xfeff), ResubmitPort(PortLocal, 0))),
		New(1, FastFailover).AddBuckets(to(1)[0].WithWatchPort(0xfeff).WithWatchGroup(MaxID)),
	} {
		require.NoError(t, g.Validate())
		m, err := g.Mod(Add, OpenFlow15)
		require.NoError(t, err)
		require.True(t, decode(t, marshal(t, m)).Group().Equal(g))
	}
}

// One bucket that is wrong is found among many that are not.
func TestTheOneWrongBucketIsFound(t *testing.T) {
	plain := NewBucket(Output(1))
	for _, c := range []struct {
		typ  Type
		good Bucket
		bad  []Bucket
		rule error
	}{
		{All, plain, []Bucket{NewBucket(Output(PortAny))}, ErrAction},
		{All, plain, []Bucket{plain.WithWeight(1)}, ErrWeight},
		{All, plain, []Bucket{plain.WithWatchPort(1)}, ErrWatch},
		{All, plain, []Bucket{plain.WithWatchGroup(1)}, ErrWatch},
		{All, plain, []Bucket{plain.WithID(MaxBucketID + 1)}, ErrBucketID},
		{All, plain, []Bucket{plain.WithID(9), plain.WithID(9)}, ErrBucketID},
		{All, plain, []Bucket{plain.WithKey("k"), plain.WithKey("k")}, ErrBucketKey},
		{Select, plain.WithWeight(2), []Bucket{plain.WithWatchPort(0xff00)}, ErrWatch},
		{FastFailover, plain.WithWatchPort(1), []Bucket{plain}, ErrWatch},
		{FastFailover, plain.WithWatchPort(1), []Bucket{plain.WithWatchPort(1).WithWeight(1)}, ErrWeight},
	} {
		g := New(7, c.typ).WithBuckets(repeat(40, c.good)...)
		require.NoError(t, g.Validate())
		for _, b := range append(c.bad, c.good) {
			g = g.AddBuckets(b)
		}
		_, err := g.Mod(Add, OpenFlow15)
		require.ErrorIs(t, err, c.rule)
		var e *Error
		require.ErrorAs(t, err, &e)
		require.Equal(t, 39+len(c.bad), e.Bucket)
	}
}
