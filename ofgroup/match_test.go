package ofgroup_test

import (
	"encoding/hex"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	. "github.com/ofmcast/ofmcast/ofgroup"
)

func within(f Field, s string) Condition { return Within(f, netip.MustParsePrefix(s)) }

// ovsMatches are matches as ovs-ofctl was seen to send them for the text, which is also
// how they print; those of registers in OpenFlow 1.3, for in 1.5 it folds them into
// larger ones, which means the same.
var ovsMatches = []struct {
	text, hex  string
	conditions []Condition
}{
	{"", "0001000400000000", nil},
	{"in_port=1", "0001000c 80000004 00000001 00000000", []Condition{Is(InPort, 1)}},
	{"in_port=LOCAL", "0001000c 80000004 fffffffe 00000000", []Condition{Is(InPort, PortLocal)}},
	{
		"eth_dst=01:00:5e:00:00:00/ff:ff:ff:80:00:00", "00010014 8000070c 01005e000000 ffffff800000 00000000",
		[]Condition{IsMasked(EthDst, [6]byte{1, 0, 0x5e, 0x7f, 1, 2}, [6]byte{255, 255, 255, 128})},
	},
	{
		"ip,dl_vlan=10,ip_dst=239.1.2.3", "00010018 80000a02 0800 80000c02 100a 80001804 ef010203",
		[]Condition{IsIPv4(), IsVLAN(10), within(IPDst, "239.1.2.3/32")},
	},
	{
		"ip,vlan_tci=0x1000/0x1000", "00010012 80000a02 0800 80000d04 1000 1000 000000000000",
		[]Condition{IsIPv4(), Is(VLANVID.Bits(12, 12), 1)},
	},
	{"ip,vlan_tci=0x0000/0x1fff", "00010010 80000a02 0800 80000c02 0000", []Condition{IsIPv4(), IsUntagged()}},
	{
		"ip,ip_dst=224.0.0.0/24", "00010016 80000a02 0800 80001908 e0000000 ffffff00 0000",
		[]Condition{IsIPv4(), within(IPDst, "224.0.0.77/24"), within(IPSrc, "0.0.0.0/0")},
	},
	{
		"ipv6,ipv6_dst=ff00::/8", "0001002e 80000a02 86dd 80003720 ff000000000000000000000000000000 ff000000000000000000000000000000 0000",
		[]Condition{IsIPv6(), within(IPv6Dst, "ff00::/8")},
	},
	{
		"ip,ip_dst=239.1.2.3,nw_proto=17,udp_dst=5001", "0001001d 80000a02 0800 80001804 ef010203 80001401 11 80002002 1389 000000",
		[]Condition{Is(UDPDst, 5001), Is(IPProto, 17), IsIPv4(), within(IPDst, "239.1.2.3/32")},
	},
	{
		"ip,tun_id=0x100/0xf00", "0001001e 80000a02 0800 80004d10 0000000000000100 0000000000000f00 0000",
		[]Condition{IsIPv4(), Is(TunID.Bits(8, 11), 1)},
	},
	{
		"tun_src=10.0.0.1,tun_dst=10.0.0.2", "00010014 00013e04 0a000001 00014004 0a000002 00000000",
		[]Condition{within(TunDst, "10.0.0.2/32"), within(TunSrc, "10.0.0.1/32")},
	},
	{
		"ip,reg1=0x3,reg2=0x30/0xf0", "0001001e 80000a02 0800 00010204 00000003 00010508 00000030 000000f0 0000",
		[]Condition{Is(Reg(2).Bits(4, 7), 3), Is(Reg(1), 3), IsIPv4()},
	},
	{
		"ip,metadata=0x5/0xff", "0001001e 80000a02 0800 80000510 0000000000000005 00000000000000ff 0000",
		[]Condition{IsMasked(Metadata, 0x505, 0xff), IsIPv4()},
	},
}

func TestMatchesAreTheBytesThatOvsOfctlSends(t *testing.T) {
	for _, c := range ovsMatches {
		m := NewMatch(c.conditions...)
		require.NoError(t, m.Err(), c.text)
		b, err := m.AppendBinary([]byte{0xaa})
		require.NoError(t, err, c.text)
		require.Equal(t, "aa"+strings.ReplaceAll(c.hex, " ", ""), hex.EncodeToString(b), c.text)
		require.Equal(t, c.text, m.String())
	}
	require.Equal(t, "arp", NewMatch(Is(EthType, 0x806)).String())
	require.Equal(t, "dl_type=0x88cc", NewMatch(Is(EthType, 0x88cc)).String())
	require.Equal(t, "vlan_tci=0x0005/0x1fff", NewMatch(Is(VLANVID, 5)).String())
}

// every is one condition on each field there is.
func every() []Condition {
	conditions := []Condition{
		Is(InPort, 1), Is(EthSrc, 1), Is(EthDst, 1), Is(EthType, 0x800), Is(VLANVID, 1), Is(VLANPCP, 1), Is(IPSrc, 1),
		Is(IPDst, 1), Is(IPv6Src, 1), Is(IPv6Dst, 1), Is(IPDSCP, 1), Is(IPProto, 1), Is(TCPSrc, 1), Is(TCPDst, 1),
		Is(UDPSrc, 1), Is(UDPDst, 1), Is(SCTPSrc, 1), Is(SCTPDst, 1), Is(TunID, 1), Is(TunSrc, 1), Is(TunDst, 1),
		Is(TunIPv6Src, 1), Is(TunIPv6Dst, 1), Is(PktMark, 1), Is(Metadata, 1),
	}
	for i := range 16 {
		conditions = append(conditions, Is(Reg(i), 1))
	}
	for i := range 8 {
		conditions = append(conditions, Is(XReg(i), 1))
	}
	for i := range 4 {
		conditions = append(conditions, Is(XXReg(i), 1))
	}
	return conditions
}

// Every field that is in the table has its place among the others, whatever the order
// in which conditions come.
func TestAMatchDoesNotDependOnTheOrderOfItsConditions(t *testing.T) {
	all := NewMatch(every()...)
	require.NoError(t, all.Err())
	require.Len(t, strings.Split(all.String(), ","), len(every()))
	rapid.Check(t, func(t *rapid.T) {
		shuffled := rapid.Permutation(every()).Draw(t, "order")
		if NewMatch(shuffled...) != all {
			t.Fatalf("%v", NewMatch(shuffled...))
		}
	})
}

func TestASecondConditionOnAFieldIsAFault(t *testing.T) {
	for _, c := range every() {
		m := NewMatch(every()...).With(c)
		require.ErrorIs(t, m.Err(), ErrField)
		require.ErrorContains(t, m.Err(), "twice")
	}
}

func TestAMatchIsNotChangedByWhatIsMadeOfIt(t *testing.T) {
	base := NewMatch(IsIPv4())
	conditions := []Condition{Is(IPProto, 2)}
	first, second := base.With(conditions...), base.With(Is(IPProto, 17))
	conditions[0] = Is(IPProto, 6)
	require.Equal(t, "ip", base.String())
	require.Equal(t, "ip,nw_proto=2", first.String())
	require.Equal(t, "ip,nw_proto=17", second.String())
	require.Equal(t, base, base.With(), "nothing asks nothing")
	require.Equal(t, base, base.With(Condition{}, within(IPSrc, "0.0.0.0/0"), IsMasked(Reg(0), 5, 0)))
}

func TestConditionsThatCannotBeTellWhy(t *testing.T) {
	v6 := netip.MustParsePrefix("ff00::/8")
	for text, c := range map[string]struct {
		Condition
		rule error
	}{
		"no such field: reg16 (there are reg0 to reg15)": {Is(Reg(16), 1), ErrField},
		"no such field: bits 0 to 32 of reg0":            {Is(Reg(0).Bits(0, 32), 1), ErrField},
		"no such field: number 0":                        {Is(Field(0), 1), ErrField},
		"eth_type can only be matched whole":             {Is(EthType.Bits(0, 7), 1), ErrField},
		"nw_proto can only be matched whole":             {IsMasked(IPProto, 1, 3), ErrField},
		"256 for nw_proto, which has 8 bits":             {Is(IPProto, 256), ErrValue},
		"16 for reg0[4..7], which has 4 bits":            {Is(Reg(0).Bits(4, 7), 16), ErrValue},
		"-1 for reg0":                                    {Is(Reg(0), -1), ErrValue},
		"[1 2 3 4 5 6] for ip_dst":                       {Is(IPDst, [6]byte{1, 2, 3, 4, 5, 6}), ErrValue},
		"fe80::1%eth0 for ipv6_dst":                      {Is(IPv6Dst, netip.MustParseAddr("fe80::1%eth0")), ErrValue},
		"256 for nw_proto":                               {IsMasked(IPProto, 1, 256), ErrValue},
		"port 0xff00, which cannot be":                   {Is(InPort, 0xff00), ErrValue},
		"port 0xffffffff, which cannot be":               {Is(InPort, PortAny), ErrValue},
		"VLAN 4096":                                      {IsVLAN(4096), ErrValue},
		"ff00::/8 for ip_dst":                            {Within(IPDst, v6), ErrValue},
		"invalid Prefix for ip_dst":                      {Within(IPDst, netip.Prefix{}), ErrValue},
		"224.0.0.0/4 for reg0":                           {within(Reg(0), "224.0.0.0/4"), ErrValue},
		"224.0.0.0/4 for ip_dst[0..30]":                  {within(IPDst.Bits(0, 30), "224.0.0.0/4"), ErrValue},
		"reg99":                                          {Within(Reg(99), v6), ErrField},
	} {
		m := NewMatch(Is(EthSrc, 1), c.Condition, IsIPv4(), Is(Reg(17), 1))
		require.ErrorIs(t, m.Err(), c.rule, text)
		require.ErrorContains(t, m.Err(), text)
		b, err := m.AppendBinary([]byte{1})
		require.Equal(t, m.Err(), err)
		require.Equal(t, []byte{1}, b)
		require.Equal(t, "Match("+err.Error()+")", m.String())
		require.Equal(t, m, m.With(IsIPv4()), "the first fault is the one that counts")
	}
}

// A prefix covers the addresses that netip says it contains.
func TestWithinIsThePrefixsMask(t *testing.T) {
	for bits := range 33 {
		p := netip.PrefixFrom(netip.MustParseAddr("224.85.85.85"), bits).Masked()
		want := "ip_dst=" + p.String()
		switch bits {
		case 0:
			want = ""
		case 32:
			want = "ip_dst=" + p.Addr().String()
		}
		require.Equal(t, want, NewMatch(Within(IPDst, p)).String())
	}
}

func TestEncodingAMatchIntoRoomAllocatesNothing(t *testing.T) {
	m := NewMatch(slices.Concat(every()[:4])...)
	buf := make([]byte, 0, 512)
	require.Zero(t, testing.AllocsPerRun(20, func() { _, _ = m.AppendBinary(buf) }))
}
