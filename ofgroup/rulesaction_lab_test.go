package ofgroup_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/internal/ovslab"
	. "github.com/ofmcast/ofmcast/ofgroup"
)

// nicira is one of Open vSwitch's own actions in hexadecimal: subtype and body, with the
// header in front and zeros behind.
func nicira(subtype int, body string) string {
	body = strings.ReplaceAll(body, " ", "")
	n := (10 + len(body)/2 + 7) / 8 * 8
	return fmt.Sprintf("ffff%04x00002320%04x%s%s", n, subtype, body, strings.Repeat("00", n-10-len(body)/2))
}

// actionRules are actions that carry a fault, and the bytes of what was asked for, which
// the switch refuses, too; or takes, with the reason for which this package does not.
// "" in bytes: there are none.
func actionRules() []actionRule {
	ct := func(body string) string { return nicira(35, body) }
	setMark := "0019 0010 0001d604 00000001 00000000"
	const natHead = "ffff 0018 00002320 0024 0000 "
	const bareNAT = "ffff 0010 00002320 0024 0000 "
	commitNAT := func(body string) string { return ct("0001 00000000 0000 ff 000000 0000" + natHead + body) }
	return []actionRule{
		{"output to no port", Output(0xff00), "0000 0010 0000ff00 0000 000000000000", ""},
		{"output to the last no port", Output(0xfffffff7), "0000 0010 fffffff7 0000 000000000000", ""},
		{"output to ANY", Output(PortAny), "0000 0010 ffffffff 0000 000000000000", ""},
		{"output to a reserved group", OutputGroup(MaxID + 1), "0016 0008 ffffff01", "it can never be there, so nothing would ever be sent"},
		{"output to all groups", OutputGroup(AllGroups), "0016 0008 fffffffc", "as above"},
		{"output to a field of 128 bits", OutputField(XXReg(0), 0xffff), "", "there are 6 bits for the number"},
		{"output to what is no field", OutputField(Reg(16), 0xffff), nicira(15, "001f 0001fe04 ffff"), ""},
		{"output to bits outside", OutputField(Reg(0).Bits(16, 47), 0xffff), nicira(15, "041f 00010004 ffff"), ""},
		{"output cut too short", OutputTruncated(1, 13), nicira(39, "0001 0000000d"), ""},
		{"output cut to CONTROLLER", OutputTruncated(PortController, 64), nicira(39, "fffd 00000040"), "it sends the whole packet"},
		{"output cut to no port", OutputTruncated(0xff00, 64), nicira(39, "ff00 00000040"), "it sends nothing"},
		{"output cut to NORMAL", OutputTruncated(PortNormal, 64), nicira(39, "fffa 00000040"), "it sends whole packets"},

		{"resubmit from no port", ResubmitPort(0xff00, 1), nicira(14, "ff00 01"), "no flow could match"},
		{"resubmit from ANY", ResubmitPort(PortAny, 1), nicira(14, "ffff 01"), "no flow could match"},

		{"set of what is read-only", Set(EthType, 0x800), "0019 0010 80000a02 0800 000000000000", ""},
		{"set of part of what is read-only", Set(CTState.Bits(0, 3), 1), "0019 0010 0001d308 00000001 0000000f", ""},
		{"set of the zone", Set(CTZone, 1), "0019 0010 0001d402 0001 000000000000", ""},
		{"set of no field", Set(Reg(16), 1), "0019 0010 0001fe04 00000001 00000000", ""},
		{"set to more bits", Set(VLANPCP, 8), "0019 0010 80000e01 08 00000000000000", ""},
		{"set to more bits of a label", Set(MPLSLabel, 1<<20), "0019 0010 80004404 00100000 00000000", ""},
		{"set of a VLAN without its bit", Set(VLANVID, 5), "0019 0010 80000c02 0005 000000000000", ""},
		{"set of a part of a VLAN", Set(VLANVID.Bits(0, 11), 5), "0019 0010 80000d04 0005 0fff 00000000", ""},
		{"set of part of a TTL", Set(IPTTL.Bits(0, 3), 5), "0019 0010 00013b02 05 0f 000000000000", "a part of a TTL means nothing, and no match can look at one"},
		{"set of a TOS with ECN", Set(IPTOS, 5), "0019 0010 00000a01 05 00000000000000", ""},
		{"set of an ARP operation of 9 bits", Set(ARPOp, 256), "0019 0010 80002a02 0100 000000000000", ""},
		{"set of an unknown tunnel flag", Set(TunFlags, 2), "0019 0010 0001d002 0002 000000000000", ""},

		{"copy to what is read-only", Copy(Reg(0).Bits(0, 15), EthType), "001c 0018 0010 0000 0000 0000 00010004 80000a02 00000000", ""},
		{"copy of bits outside", Copy(Reg(0).Bits(0, 32), Reg(1)), "001c 0018 0021 0000 0000 0000 00010004 00010204 00000000", ""},
		{"copy of the bit that says there is a VLAN", Copy(Reg(0).Bits(0, 12), VLANVID.Bits(0, 12).Bits(0, 12)), "001c 0018 000d 0000 0000 0000 00010004 80000c02 00000000", ""},
		{"copy of more bits than there are", Copy(Reg(0), Reg(1).Bits(0, 7)), "", "there is one number of bits"},

		{"mark outside ct", Set(CTMark, 1), setMark, ""},
		{"label outside ct", Set(CTLabel.Bits(0, 3), 1), "0019 0028 0001d920 00000000000000000000000000000001 0000000000000000000000000000000f", ""},
		{"copy to the mark outside ct", Copy(Reg(0), CTMark), "001c 0018 0020 0000 0000 0000 00010004 0001d604 00000000", ""},
		{"mark in a clone", Clone(Set(CTMark, 1)), nicira(42, "000000000000"+setMark), ""},
		{"output within ct", CT(CTAction{Commit: true, Exec: []Action{Output(1)}}), ct("0001 00000000 0000 ff 000000 0000 00000010 00000001 0000 000000000000"), ""},
		{"register within ct", CT(CTAction{Commit: true, Exec: []Action{Set(Reg(0), 1)}}), ct("0001 00000000 0000 ff 000000 0000 0019 0010 00010004 00000001 00000000"), ""},
		{"copy from the mark within ct", CT(CTAction{Commit: true, Exec: []Action{Copy(CTMark, Reg(0))}}), ct("0001 00000000 0000 ff 000000 0000 001c 0018 0020 0000 0000 0000 0001d604 00010004 00000000"), ""},
		{"mark within ct that does not commit", CT(CTAction{Exec: []Action{Set(CTMark, 1)}}), ct("0000 00000000 0000 ff 000000 0000" + setMark), ""},
		{"ct by force that does not commit", CT(CTAction{Force: true}), ct("0002 00000000 0000 ff 000000 0000"), ""},
		{"NAT without commit", CT(CTAction{NAT: &NAT{Kind: NATSource}}), ct("0000 00000000 0000 ff 000000 0000 ffff 0010 00002320 0024 0000 0001 0000"), ""},
		{"a zone of 15 bits", CT(CTAction{ZoneField: Reg(0).Bits(0, 14)}), ct("0000 00010004 000e ff 000000 0000"), ""},
		{"a zone from bits outside", CT(CTAction{ZoneField: Reg(0).Bits(20, 35)}), ct("0000 00010004 050f ff 000000 0000"), ""},
		{"a zone twice", CT(CTAction{ZoneField: Reg(0).Bits(0, 15), Zone: 1}), "", "there is one place for both"},
		{"ct to table 255", CT(CTAction{Recirculate: true, Table: 255}), "", "the number says that there is none"},
		{"ct to a table, but not", CT(CTAction{Table: 5}), "", "a table without Recirculate is a mistake"},

		{"NAT of no kind", CT(CTAction{Commit: true, NAT: &NAT{Kind: 3}}), ct("0001 00000000 0000 ff 000000 0000" + bareNAT + "0003 0000"), ""},
		{"NAT by hash and chance", CT(CTAction{Commit: true, NAT: &NAT{Kind: NATSource, Hash: true, Random: true}}), ct("0001 00000000 0000 ff 000000 0000" + bareNAT + "0019 0000"), ""},
		{"NAT that restores to an address", CT(CTAction{NAT: &NAT{Min: addr("192.0.2.1")}}), ct("0000 00000000 0000 ff 000000 0000" + natHead + "0000 0001 c0000201 00000000"), ""},
		{"NAT that restores with a flag", CT(CTAction{Commit: true, NAT: &NAT{Persistent: true}}), ct("0001 00000000 0000 ff 000000 0000" + bareNAT + "0004 0000"), "ovs-ofctl has no words for it"},
		{"NAT to ports alone", CT(CTAction{Commit: true, NAT: &NAT{Kind: NATSource, MinPort: 80}}), commitNAT("0001 0010 0050 0000 00000000"), ""},
		{"NAT up to an address", CT(CTAction{Commit: true, NAT: &NAT{Kind: NATSource, Max: addr("192.0.2.1")}}), commitNAT("0001 0002 c0000201 00000000"), ""},
		{"NAT to 0.0.0.0", CT(CTAction{Commit: true, NAT: &NAT{Kind: NATSource, Min: addr("0.0.0.0")}}), commitNAT("0001 0001 00000000 00000000"), ""},
		{"NAT downwards", CT(CTAction{Commit: true, NAT: &NAT{Kind: NATSource, Min: addr("192.0.2.2"), Max: addr("192.0.2.1")}}), commitNAT("0001 0003 c0000202 c0000201"), ""},
		{"NAT from IPv4 to IPv6", CT(CTAction{Commit: true, NAT: &NAT{Kind: NATSource, Min: addr("192.0.2.2"), Max: addr("::1")}}),
			ct("0001 00000000 0000 ff 000000 0000 ffff 0028 00002320 0024 0000 0001 0009 c0000202 00000000000000000000000000000001 00000000"), ""},
		{"NAT to an address with a zone", CT(CTAction{Commit: true, NAT: &NAT{Kind: NATSource, Min: addr("fe80::1%eth0")}}), "", "the zone would be lost"},
		{"NAT to ports downwards", CT(CTAction{Commit: true, NAT: &NAT{Kind: NATSource, Min: addr("192.0.2.2"), MinPort: 9, MaxPort: 8}}), commitNAT("0001 0031 c0000202 0009 0008"), ""},
		{"NAT up to a port", CT(CTAction{Commit: true, NAT: &NAT{Kind: NATSource, Min: addr("192.0.2.2"), MaxPort: 8}}), commitNAT("0001 0021 c0000202 0008 0000"), ""},

		{"VLAN tag of no type", PushVLAN(0x9100), "0011 0008 9100 0000", ""},
		{"MPLS label of no type", PushMPLS(0x8100), "0013 0008 8100 0000", ""},
		{"meter 0", Meter(0), "001d 0008 00000000", "no meter has the number"},
		{"reserved meter", Meter(0xffff0001), "001d 0008 ffff0001", "no meter has the number"},
		{"unknown reason", Controller(PacketInAction{Reason: ReasonPacketOut + 1}), nicira(20, "ffff 0000 06 00"), "a packet-in would have it as its reason"},
		{"cut action", RawAction([]byte{0, 24, 0, 16, 0, 0, 0, 0}), "0018 0010 00000000", ""},
		{"unaligned action", RawAction([]byte{0, 24, 0, 9, 0, 0, 0, 0, 0}), "0018 0009 00000000 00 00000000000000", ""},
	}
}

// actionRule is one of actionRules.
type actionRule struct {
	what     string
	action   Action
	bytes    string
	stricter string
}

func TestActionsThatCannotBeAreThoseThatARealSwitchRefuses(t *testing.T) {
	lab := ovslab.New(t, ovslab.Config{Ports: []string{"p1"}})
	c := newLabClient(t, lab, OpenFlow15)
	for _, r := range actionRules() {
		err := New(7, All).AddBuckets(NewBucket(), NewBucket(Output(1), r.action)).Validate()
		var e *Error
		require.ErrorAs(t, err, &e, r.what)
		require.Equal(t, []any{ID(7), 1}, []any{e.ID, e.Bucket}, r.what)
		is := func(rule error) bool { return errors.Is(err, rule) }
		require.True(t, slices.ContainsFunc([]error{ErrAction, ErrField, ErrValue}, is), "%s: %v", r.what, err)
		if r.bytes == "" {
			require.NotEmpty(t, r.stricter, r.what)
			continue
		}
		refused := c.verdictOf(groupAround(unhex(t, r.bytes)))
		if r.stricter != "" {
			require.Nil(t, refused, "%s: the switch refuses it", r.what)
			continue
		}
		require.NotNil(t, refused, "%s: the switch takes it", r.what)
		require.NotEqual(t, uint16(6), refused.Type, "%s: it is not the action that is refused", r.what)
	}
}

// groupAround is an ADD, in OpenFlow 1.5, of a group whose one bucket has this action.
func groupAround(action []byte) []byte {
	b := []byte{6, 15, 0, byte(32 + len(action)), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7, 0, byte(8 + len(action)), 0, 0, 255, 255, 255, 255}
	b = append(b, 0, byte(8+len(action)), 0, byte(len(action)), 0, 0, 0, 0)
	return append(b, action...)
}
