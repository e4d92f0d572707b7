package ofgroup_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	. "github.com/ofmcast/ofmcast/ofgroup"
)

// Each recorded message has one action, or two, in the one bucket of group 7.
var recordedActions = map[string][]Action{
	"output-1":                 {Output(1)},
	"output-port-max":          {Output(0xfeff)},
	"in-port":                  {Output(PortIn)},
	"controller-reason-action": {Output(PortController)},
	"normal":                   {Output(PortNormal)},
	"all":                      {Output(PortAll)},
	"table":                    {Output(PortTable)},
	"drop":                     {},
	"group-7":                  {OutputGroup(7)},
	"resubmit-port":            {ResubmitPort(2, 255)},
	"resubmit-table":           {Resubmit(10)},
	"resubmit-port-table":      {ResubmitPort(3, 10)},
	"controller-max-len-128":   {Controller(PacketInAction{MaxLen: 128})},
	"controller-reason-id":     {Controller(PacketInAction{MaxLen: 1500, ID: 3, Reason: ReasonNoMatch})},
	"controller-userdata-all": {Controller(PacketInAction{
		MaxLen: 256, ID: 9, Reason: ReasonInvalidTTL, UserData: []byte{0xde, 0xad, 0xbe, 0xef, 0, 0x11, 0x22, 0x33, 0x44},
	})},
	"controller-pause":       {Controller(PacketInAction{UserData: []byte{0xaa, 0xbb}, Pause: true})},
	"resubmit-port-table-ct": {ResubmitCT(3, 10)},
	"output-reg":             {OutputField(Reg(0), 0xffff)},
	"output-max-len":         {OutputTruncated(1, 100)},
	"move-eth":               {Copy(EthSrc, EthDst)},
	"move-ipv6":              {Copy(IPv6Src, XXReg(0))},
	"move-in-port":           {Copy(InPort, Reg(3).Bits(0, 15))},
	"push-vlan":              {PushVLAN(TPID8021Q)},
	"push-vlan-qinq":         {PushVLAN(TPID8021AD)},
	"pop-vlan":               {PopVLAN()},
	"push-vlan-mod-vid":      {PushVLAN(TPID8021Q), PushVLAN(TPID8021Q), Set(VLANVID, 4196)},
	"dec-ttl":                {DecTTL()},
	"push-mpls":              {PushMPLS(EthTypeMPLS)},
	"pop-mpls":               {PopMPLS(0x0800)},
	"set-mpls-ttl":           {PushMPLS(EthTypeMPLS), SetMPLSTTL(5)},
	"set-mpls-tc":            {PushMPLS(EthTypeMPLS), Set(MPLSTC, 3)},
	"set-queue":              {SetQueue(5)},
	"pop-queue":              {PopQueue()},
	"note-4":                 {Note([]byte{0xde, 0xad, 0xbe, 0xef})},
	"note-6-no-pad":          {Note([]byte{0, 1, 2, 3, 4, 5})},
	"clone":                  {Clone(Set(Reg(0), 1), Output(1))},
	"clone-nested":           {Clone(PushVLAN(TPID8021Q), Set(VLANVID, 4106), Clone(Output(2)), Output(3))},
	"clone-empty":            {Clone()},
	"ct-commit":              {CT(CTAction{Commit: true})},
	"ct-nat-dst": {CT(CTAction{
		Commit: true, Zone: 7, Recirculate: true, Table: 2, NAT: &NAT{Kind: NATDestination, Min: addr("10.0.0.1")},
	})},
	"ct-nat-dst-port": {CT(CTAction{Commit: true, NAT: &NAT{Kind: NATDestination, Min: addr("10.0.0.1"), MinPort: 8080}})},
	"ct-nat-src-ipv6": {CT(CTAction{Commit: true, NAT: &NAT{
		Kind: NATSource, Min: addr("2001:db8::1"), Max: addr("2001:db8::9"), MinPort: 10, MaxPort: 20,
		Hash: true, Persistent: true,
	}})},
	"ct-nat-restore": {CT(CTAction{NAT: &NAT{}, Recirculate: true, Table: 4})},
	"ct-exec-mark":   {CT(CTAction{Commit: true, Zone: 1, Exec: []Action{Set(CTMark, 1)}})},
	"ct-force-alg":   {CT(CTAction{Commit: true, Force: true, ALG: ALGFTP})},
	"ct-clear":       {CTClear()},
}

var recordedSets = map[string]Action{
	"set-eth-src":             Set(EthSrc, [6]byte{10, 0, 0, 0, 0, 1}),
	"set-eth-dst":             Set(EthDst, uint64(0x01005e010203)),
	"set-eth-dst-masked":      Set(EthDst.Bits(23, 47), 0x01005e<<1),
	"set-eth-src-masked":      Set(EthSrc.Bits(40, 47), 0x0a),
	"set-ip-src-masked":       Set(IPSrc.Bits(16, 31), 0x0a01),
	"set-tcp-dst-masked":      Set(TCPDst.Bits(8, 15), uint8(0x1f)),
	"set-tun-ipv6-dst-masked": Set(TunIPv6Dst.Bits(96, 127), addr("32.1.13.184")),
	"set-vlan-vid":            Set(VLANVID, 4196),
	"set-vlan-pcp":            Set(VLANPCP, 3),
	"set-ip-src":              Set(IPSrc, addr("10.0.0.1")),
	"set-ip-dst":              Set(IPDst, addr("239.1.2.3")),
	"set-ip-dscp":             Set(IPDSCP, 46),
	"set-ipv6-dst":            Set(IPv6Dst, addr("ff3e::1:2:3")),
	"set-udp-src":             Set(UDPSrc, uint16(5000)),
	"set-tun-dst":             Set(TunDst, addr("10.1.2.3")),
	"set-tun-src":             Set(TunSrc, addr("10.1.2.4")),
	"set-tun-dst-masked":      Set(TunDst.Bits(16, 31), 0x0a01),
	"set-tun-id":              Set(TunID, 0x123456),
	"set-tun-id-masked":       Set(TunID.Bits(0, 7), 0x12),
	"set-tunnel64":            Set(TunID, uint64(0x1234567890)),
	"set-reg0":                Set(Reg(0), 0x1000),
	"set-reg1":                Set(Reg(1), 0x1001),
	"set-reg6":                Set(Reg(6), 0x1006),
	"set-reg9":                Set(Reg(9), 0x1009),
	"set-reg10":               Set(Reg(10), 0x100a),
	"set-reg11":               Set(Reg(11), 0x100b),
	"set-reg12":               Set(Reg(12), 0x100c),
	"set-reg15":               Set(Reg(15), 0x100f),
	"set-reg0-masked":         Set(Reg(0).Bits(9, 9), 1),
	"set-reg0-masked-low16":   Set(Reg(0).Bits(0, 15), uint16(0x1234)),
	"set-xreg0":               Set(XReg(0), uint64(0x1122334455667788)),
	"set-xreg0-masked":        Set(XReg(0).Bits(32, 63), 0x11223344),
	"set-xxreg0":              Set(XXReg(0), addr("1122:3344:5566:7788:99aa:bbcc:ddee:ff00")),
	"set-xxreg1":              Set(XXReg(1), 1),
	"set-xxreg2":              Set(XXReg(2), [16]byte{15: 2}),
	"set-xxreg3-masked":       Set(XXReg(3).Bits(0, 7), 1),
	"set-metadata":            Set(Metadata, uint64(0xdeadbeefcafef00d)),
	"set-metadata-masked":     Set(Metadata.Bits(0, 11), 0xf00),
	"set-pkt-mark":            Set(PktMark, 0x42),
	"set-in-port":             Set(InPort, 3),
	"set-icmp-type":           Set(ICMPType, 8),
	"set-arp-sha":             Set(ARPSHA, [6]byte{10, 0, 0, 0, 0, 1}),
	"set-tun-flags":           Set(TunFlags, 1),
	"mod-nw-ecn":              Set(IPECN, 2),
	"load-reg0-low16":         Set(Reg(0).Bits(0, 15), 0x1234),
	"load-metadata-oxm":       Set(Metadata.Bits(0, 23), 5),
	"load-xxreg0":             Set(XXReg(0).Bits(0, 31), 1),
}

func TestActionsMatchRecordedBytes(t *testing.T) {
	for name, actions := range recordedActions {
		requireRecordedAction(t, name, actions...)
	}
}

func TestSetMatchesRecordedBytes(t *testing.T) {
	for name, a := range recordedSets {
		requireRecordedAction(t, name, a)
	}
}

func requireRecordedAction(t *testing.T, name string, actions ...Action) {
	t.Helper()
	g := New(7, All).AddBuckets(NewBucket(actions...))
	for _, v := range bothVersions {
		want := recorded(t, v, "add-act-"+name)
		requireBytes(t, want, encode(t, g, Add, v), name, v)
		got := decode(t, want).Group()
		require.True(t, got.Equal(g), "%s in %v: %v", name, v, got)
	}
}

func TestFieldsThatOverlayPartsOfOneAnother(t *testing.T) {
	whole := Set(Reg(4).Bits(0, 31), 9)
	require.Equal(t, Set(Reg(4), 9), whole, "all bits are the whole field")
	require.Equal(t, Set(Reg(4).Bits(20, 23), 9), Set(Reg(4).Bits(16, 31).Bits(4, 7), 9), "parts of parts")
	require.Equal(t, Set(XXReg(0).Bits(64, 127), 9), Set(XXReg(0).Bits(64, 127), uint64(9)))
}

func TestAnIPv4AddressInIPv6FormIsOneWhereIPv4IsMeant(t *testing.T) {
	mapped := addr("::ffff:192.0.2.1")
	require.Equal(t, Set(TunDst, addr("192.0.2.1")), Set(TunDst, mapped))
	require.Equal(t, Set(Reg(3), addr("192.0.2.1")), Set(Reg(3), mapped))
	require.Equal(t, "set_field:::ffff:192.0.2.1->ipv6_dst", Set(IPv6Dst, mapped).String())
}

func TestABucketYieldsItsActions(t *testing.T) {
	want := []Action{Set(Reg(3), 1), Set(XXReg(3).Bits(0, 120), 1), Resubmit(6)}
	var got []Action
	for a := range NewBucket(want...).Actions() {
		got = append(got, a)
	}
	require.Equal(t, want, got)
	for range NewBucket(want...).Actions() {
		break // a reader may stop early
	}
}

func TestAZeroActionIsLeftOut(t *testing.T) {
	require.Equal(t, NewBucket(Output(1)), NewBucket(Action{}, Output(1), Action{}))
}
