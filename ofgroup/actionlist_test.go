package ofgroup_test

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	. "github.com/ofmcast/ofmcast/ofgroup"
)

// flowActions are actions as ovs-ofctl was seen to send them in flows, in OpenFlow 1.5,
// and the words in which they print, which are those it takes.
var flowActions = []struct {
	text, hex string
	action    Action
}{
	{"CONTROLLER:65535", "00000010 fffffffd ffff 000000000000", Controller(PacketInAction{})},
	{"CONTROLLER:128", "00000010 fffffffd 0080 000000000000", Controller(PacketInAction{MaxLen: 128})},
	{"controller(id=7)", "ffff0010 00002320 0014 ffff 0007 01 00", Controller(PacketInAction{ID: 7})},
	{"controller(max_len=128,id=7)", "ffff0010 00002320 0014 0080 0007 01 00", Controller(PacketInAction{ID: 7, MaxLen: 128})},
	{
		"controller(userdata=01.02.03.04)", "ffff0018 00002320 0025 000000000000 00030008 01020304",
		Controller(PacketInAction{UserData: []byte{1, 2, 3, 4}}),
	},
	{
		"controller(max_len=128,id=7,userdata=01)",
		"ffff0028 00002320 0025 000000000000 00000008 00800000 00010008 00070000 00030005 01000000",
		Controller(PacketInAction{ID: 7, MaxLen: 128, UserData: []byte{1}}),
	},
	{
		"controller(max_len=128,userdata=01.02.03.04.05)",
		"ffff0028 00002320 0025 000000000000 00000008 00800000 00030009 0102030405 00000000000000",
		Controller(PacketInAction{MaxLen: 128, UserData: []byte{1, 2, 3, 4, 5}}),
	},
	{
		"controller(reason=no_match,max_len=1500,id=3)", "ffff0010 00002320 0014 05dc 0003 00 00",
		Controller(PacketInAction{ID: 3, MaxLen: 1500, Reason: ReasonNoMatch}),
	},
	{"controller(reason=action_set)", "ffff0010 00002320 0014 ffff 0000 03 00", Controller(PacketInAction{Reason: ReasonActionSet})},
	{"controller(reason=group)", "ffff0010 00002320 0014 ffff 0000 04 00", Controller(PacketInAction{Reason: ReasonGroup})},
	{"controller(pause)", "ffff0018 00002320 0025 000000000000 00040004 00000000", Controller(PacketInAction{Pause: true})},
	{"controller(meter_id=5)", "ffff0018 00002320 0025 000000000000 00050008 00000005", Controller(PacketInAction{Meter: 5})},
	{
		"controller(reason=packet_out,userdata=01)", "ffff0020 00002320 0025 000000000000 00020005 05000000 00030005 01000000",
		Controller(PacketInAction{Reason: ReasonPacketOut, UserData: []byte{1}}),
	},
	{"meter:1", "001d0008 00000001", Meter(1)},
	{"push_vlan:0x8100", "00110008 8100 0000", PushVLAN(TPID8021Q)},
	{"push_vlan:0x88a8", "00110008 88a8 0000", PushVLAN(TPID8021AD)},
	{"pop_vlan", "00120008 00000000", PopVLAN()},
	{"group:7", "00160008 00000007", OutputGroup(7)},
}

func TestActionsOfFlowsAreTheBytesThatOvsOfctlSends(t *testing.T) {
	var all []Action
	var allHex string
	var words []string
	for _, c := range flowActions {
		want := strings.ReplaceAll(c.hex, " ", "")
		b, err := AppendActions(nil, OpenFlow15, c.action)
		require.NoError(t, err, c.text)
		require.Equal(t, want, hex.EncodeToString(b), c.text)
		require.Equal(t, c.text, ActionsText(c.action))
		all, allHex, words = append(all, c.action, Action{}), allHex+want, append(words, c.text)
	}
	b, err := AppendActions([]byte{0xaa}, OpenFlow15, all...)
	require.NoError(t, err)
	require.Equal(t, "aa"+allHex, hex.EncodeToString(b))
	require.Equal(t, strings.Join(words, ","), ActionsText(all...))
	require.Equal(t, "drop", ActionsText())
	require.Equal(t, "drop", ActionsText(Action{}))
}

func TestActionsInBucketsAreTheSameBytes(t *testing.T) {
	for _, c := range flowActions {
		b := NewBucket(c.action)
		m, err := New(1, All).AddBuckets(b).Mod(Add, OpenFlow15)
		require.NoError(t, err, c.text)
		encoded, err := m.MarshalBinary()
		require.NoError(t, err)
		require.Contains(t, hex.EncodeToString(encoded), strings.ReplaceAll(c.hex, " ", ""), c.text)
	}
}

// Masked set_field and copy_field have other forms in 1.3, as in buckets.
func TestActionsInOpenFlow13(t *testing.T) {
	b, err := AppendActions([]byte{0xaa}, OpenFlow13, Output(1), Set(Reg(1).Bits(0, 15), 3), PopVLAN())
	require.NoError(t, err)
	require.Equal(t, "aa"+"00000010000000010000000000000000"+
		"ffff0018000023200007000f000102040000000000000003"+"0012000800000000", hex.EncodeToString(b))
	b, err = AppendActions([]byte{0xaa}, OpenFlow13, Output(1), Meter(1))
	require.ErrorIs(t, err, ErrVersion)
	require.Equal(t, []byte{0xaa}, b)
	_, err = AppendActions(nil, 5, Output(1))
	require.ErrorIs(t, err, ErrVersion)
}

func TestActionsThatCannotBeAreFaults(t *testing.T) {
	for name, a := range map[string]Action{
		"meter 0":        Meter(0),
		"a reserved one": Meter(0xffff0001),
		"no VLAN tag":    PushVLAN(0x0800),
		"user data":      Controller(PacketInAction{UserData: make([]byte, MaxUserData+1)}),
		"no reason":      Controller(PacketInAction{Reason: ReasonPacketOut + 1}),
	} {
		b, err := AppendActions([]byte{1}, OpenFlow15, Output(1), a)
		require.ErrorIs(t, err, ErrAction, name)
		require.Equal(t, []byte{1}, b, name)
		require.Contains(t, ActionsText(a), "Action(", name)
		require.ErrorIs(t, New(1, All).AddBuckets(NewBucket(a)).Validate(), ErrAction, name)
	}
	b, err := AppendActions(nil, OpenFlow15, Controller(PacketInAction{UserData: make([]byte, MaxUserData)}))
	require.NoError(t, err)
	require.Equal(t, len(b), int(b[2])<<8|int(b[3]), "the largest has a true length")
}

func TestUserDataIsCloned(t *testing.T) {
	data := []byte{1, 2}
	a := Controller(PacketInAction{UserData: data})
	data[0] = 9
	require.Equal(t, "controller(userdata=01.02)", ActionsText(a))
}

// What the controller actions have no words for here is printed as bytes.
func TestControllerActionsThatAreNotKnownPrintAsBytes(t *testing.T) {
	for _, s := range []string{
		"ffff0010 00002320 0014 ffff 0007 06 00",                                  // an unknown reason
		"ffff0010 00002320 0014 ffff 0007 02 01",                                  // dirty padding
		"ffff0010 00002320 0014 ffff 0000 01 00",                                  // what is sent as an output
		"ffff0018 00002320 0025 000000000000 00010008 00070000",                   // what the older one is sent for
		"ffff0010 00002320 0025 000000000000",                                     // nothing said
		"ffff0018 00002320 0025 000000000000 00020004 00000000",                   // a reason that is not there
		"ffff0020 00002320 0025 000000000000 00040004 00000000 00030005 01000000", // another order
		"ffff0018 00002320 0025 000000000000 00000006 00800000",                   // max_len without its padding
		"ffff0018 00002320 0025 000000000000 00000003 00800000",                   // a length that cannot be
		"ffff0018 00002321 0025 000000000000 00030008 01020304",                   // another vendor
		"ffff0020 00002320 0025 000000000000 00030008 01020304 0006000800000001",  // an unknown property
	} {
		raw := strings.ReplaceAll(s, " ", "")
		require.Equal(t, "raw:"+raw, ActionsText(RawAction(unhex(t, raw))))
	}
}
