package ofgroup_test

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"

	. "github.com/ofmcast/ofmcast/ofgroup"
)

func addr(s string) netip.Addr { return netip.MustParseAddr(s) }

var decTTL = RawAction([]byte{0, 24, 0, 8, 0, 0, 0, 0})

func weighted(n int) []Bucket {
	bs := outputs(n)
	for i := range bs {
		bs[i] = bs[i].WithWeight(uint16(i%100 + 1))
	}
	return bs
}

func watched(n int) []Bucket {
	bs := outputs(n)
	for i := range bs {
		bs[i] = bs[i].WithWatchPort(Port(i + 1))
	}
	return bs
}

func to(ports ...Port) []Bucket {
	var bs []Bucket
	for _, p := range ports {
		bs = append(bs, NewBucket(Output(p)))
	}
	return bs
}

// cycle is n buckets to the ports 1, 2, 3, 4, 1, 2 and so on.
func cycle(n int) []Bucket {
	var bs []Bucket
	for i := range n {
		bs = append(bs, NewBucket(Output(Port(i%4+1))))
	}
	return bs
}

func TestBuiltGroupsAreTheBytesOvsOfctlSends(t *testing.T) {
	tunnel := func(dst string) Bucket {
		return NewBucket(Set(TunDst, addr(dst)), Set(TunID, 77), Output(4))
	}
	mark := func(bit int, reg1 uint32, more ...Action) Bucket {
		actions := append([]Action{Set(Reg(0).Bits(bit, bit), 1), Set(Reg(1), reg1)}, more...)
		return NewBucket(append(actions, Resubmit(35))...)
	}
	for name, g := range map[string]Group{
		"add-select-0-buckets":      New(200, Select),
		"add-all-1-buckets":         New(100, All).AddBuckets(to(1)...),
		"add-all-2-buckets":         New(100, All).AddBuckets(to(1, 2)...),
		"add-select-1-buckets":      New(200, Select).AddBuckets(weighted(1)...),
		"add-select-64-buckets":     New(200, Select).AddBuckets(weighted(64)...),
		"add-select-700-buckets":    New(200, Select).AddBuckets(weighted(700)...),
		"add-ff-3-buckets":          New(300, FastFailover).AddBuckets(watched(3)...),
		"add-ff-700-buckets":        New(300, FastFailover).AddBuckets(watched(700)...),
		"add-all-700-buckets":       New(100, All).AddBuckets(outputs(700)...),
		"add-indirect-1-bucket":     New(400, Indirect).AddBuckets(to(1)...),
		"add-id-0":                  New(0, All).AddBuckets(to(1)...),
		"add-id-max":                New(MaxID, All).AddBuckets(to(1)...),
		"add-select-weight-100":     New(201, Select).AddBuckets(to(1)[0].WithWeight(100)),
		"add-select-weight-default": New(201, Select).AddBuckets(to(1, 2)...),
		"add-select-weights-mixed": New(201, Select).AddBuckets(
			to(1)[0].WithWeight(0), to(2)[0].WithWeight(1), to(3)[0].WithWeight(100), to(4)[0].WithWeight(65535)),
		"add-ff-watch-port-and-group": New(302, FastFailover).AddBuckets(
			to(2)[0].WithWatchPort(1).WithWatchGroup(400)),
		"add-ff-watch-unknown-group-and-port": New(302, FastFailover).AddBuckets(
			to(2)[0].WithWatchPort(1234), to(3)[0].WithWatchGroup(4242)),
		"add-ff-watch-self": New(302, FastFailover).AddBuckets(to(2)[0].WithWatchGroup(302)),
		"add-ff-watch-port-controller": New(302, FastFailover).AddBuckets(
			to(2)[0].WithWatchPort(PortController)),
		"add-select-watch-group": New(202, Select).AddBuckets(to(1)[0].WithWeight(10).WithWatchGroup(1)),
		"add-all-chained-to-existing": New(101, All).AddBuckets(
			NewBucket(OutputGroup(400)), NewBucket(Output(2))),
		"add-all-drop-and-output": New(102, All).AddBuckets(NewBucket(), NewBucket(Output(2))),
		"add-all-many-actions": New(102, All).AddBuckets(NewBucket(
			Set(EthSrc, [6]byte{10, 0, 0, 0, 0, 1}), Set(EthDst, [6]byte{1, 0, 0x5e, 1, 2, 3}), decTTL,
			Output(1), Output(2), Output(3))),
		"add-mcast-local-receivers": New(7, All).AddBuckets(to(1, 2, 3)...),
		"add-mcast-tunnels":         New(7, All).AddBuckets(tunnel("10.0.0.1"), tunnel("10.0.0.2"), NewBucket(Output(PortIn))),
		"add-mcast-routed": New(7, All).AddBuckets(
			NewBucket(Set(EthSrc, [6]byte{2, 0, 0, 0, 0, 1}), decTTL, Output(2)), NewBucket(Output(1))),
		"add-mcast-regmark-resubmit": New(7, All).AddBuckets(
			mark(8, 2), mark(9, 1, Set(TunDst, addr("10.10.0.2")))),
		"add-all-unknown-port-65000": New(100, All).AddBuckets(to(65000)...),
		"add-all-port-0":             New(100, All).AddBuckets(to(0)...),
	} {
		for _, v := range bothVersions {
			t.Run(v.String()+"/"+name, func(t *testing.T) {
				requireBytes(t, recorded(t, v, name), encode(t, g, Add, v))
			})
		}
	}
}

func TestBuiltGroupsThatOnlyOpenFlow15CanSay(t *testing.T) {
	two := func(s Selection) Group { return New(210, Select).AddBuckets(to(1, 2)...).WithSelection(s) }
	for name, g := range map[string]Group{
		"add-all-2729-buckets-largest": New(110, All).AddBuckets(cycle(2729)...),
		"add-bucket-ids-explicit": New(80, All).AddBuckets(
			to(1)[0].WithID(10), to(2)[0].WithID(20), to(3)[0].WithID(30)),
		"add-bucket-id-max":        New(80, All).AddBuckets(to(1)[0].WithID(MaxBucketID)),
		"add-hash-no-fields":       two(Hash()),
		"add-hash-fields-vlan":     two(Hash(VLANVID, VLANPCP, EthType)),
		"add-hash-fields-udp-sctp": two(Hash(UDPSrc, UDPDst, SCTPDst)),
		"add-hash-fields-five-tuple": two(
			Hash(IPSrc, IPDst, IPProto, TCPSrc, TCPDst)),
		"add-hash-fields-masked":        two(Hash(EthDst, IPDst.Bits(8, 31), TCPDst)),
		"add-hash-fields-ipv6":          two(Hash(IPv6Src, IPv6Dst.Bits(64, 127))),
		"add-hash-fields-reg-metadata":  two(Hash(Reg(0).Bits(0, 15), Metadata, XXReg(1), InPort, TunID)),
		"add-hash-no-buckets":           New(210, Select).WithSelection(Hash(IPDst)),
		"add-dp-hash":                   two(DPHash(0, 0)),
		"add-dp-hash-param-alg1-basis5": two(DPHash(1, 5)),
		"add-dp-hash-param-max":         two(DPHash(0xffffffff, 0xffffffff)),
	} {
		t.Run(name, func(t *testing.T) {
			requireBytes(t, recorded(t, OpenFlow15, name), encode(t, g, Add, OpenFlow15))
		})
	}
}

func TestTheLargestGroupOfOpenFlow13(t *testing.T) {
	g := New(110, All).AddBuckets(cycle(2047)...)
	requireBytes(t, recorded(t, OpenFlow13, "add-all-2047-buckets-largest"), encode(t, g, Add, OpenFlow13))
}

func TestCommandsAreTheBytesOvsOfctlSends(t *testing.T) {
	for _, v := range bothVersions {
		requireBytes(t, recorded(t, v, "mod-all-to-empty"), encode(t, New(50, All), Modify, v))
		requireBytes(t, recorded(t, v, "add-or-mod-new-group"),
			encode(t, New(52, All).AddBuckets(to(3)...), AddOrMod, v))
		requireBytes(t, recorded(t, v, "del-one"), encode(t, New(50, All), Delete, v))
		all, err := DeleteAll(v).MarshalBinary()
		require.NoError(t, err)
		requireBytes(t, recorded(t, v, "del-all-no-argument"), all)
	}
}
