package ofgroup_test

import (
	"encoding/binary"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	. "github.com/ofmcast/ofmcast/ofgroup"
)

func TestMatchesThatOvsOfctlSendsAreRead(t *testing.T) {
	for _, c := range ovsMatches {
		m, err := ParseMatch(unhex(t, c.hex))
		require.NoError(t, err, c.text)
		require.Equal(t, NewMatch(c.conditions...), m)
	}
}

func TestEveryFieldOfAMatchIsReadBack(t *testing.T) {
	for _, m := range append(fieldMatches(), NewMatch(IsIPv4(), Is(IPProto, 6), Is(TCPFlags.Bits(1, 1), 1)), NewMatch(Is(XXReg(1).Bits(3, 70), 2))) {
		b, err := m.AppendBinary(nil)
		require.NoError(t, err)
		again, err := ParseMatch(b)
		require.NoError(t, err)
		require.Equal(t, m, again)
	}
}

// As Open vSwitch was seen to describe them in OpenFlow 1.5.
func TestPairsOfRegistersAreRegisters(t *testing.T) {
	for text, c := range map[string]string{
		"reg0=0xa":              "0001 0018 80010110 0000000a 00000000 ffffffff 00000000",
		"reg1=0x3,reg2=0":       "0001 002c 80010110 00000000 00000003 00000000 ffffffff 80010310 00000000 00000000 ffffffff 00000000 00000000",
		"reg0=0x1,reg1=0x2":     "0001 0010 80010008 00000001 00000002",
		"reg3=0x10/0xf0":        "0001 0018 80010310 00000000 00000010 00000000 000000f0",
		"reg0=0x1,metadata=0x5": "0001 0024 80010110 00000001 00000000 ffffffff 00000000 80000408 0000000000000005 00000000",
	} {
		m, err := ParseMatch(unhex(t, c))
		require.NoError(t, err, text)
		require.Equal(t, text, m.String())
	}
}

func TestAMatchIsReadInWhateverOrderItComes(t *testing.T) {
	m, err := ParseMatch(unhex(t, "0001 0018 80001804 ef010203 80000c02 100a 80000a02 0800"))
	require.NoError(t, err)
	require.Equal(t, "ip,dl_vlan=10,ip_dst=239.1.2.3", m.String())
}

func TestAMatchOwnsItsMemory(t *testing.T) {
	b := unhex(t, "0001000c 80000004 00000001 00000000")
	m, err := ParseMatch(b)
	require.NoError(t, err)
	clear(b)
	require.Equal(t, "in_port=1", m.String())
}

func TestWhatIsNoMatchIsRefused(t *testing.T) {
	for why, c := range map[string]string{
		"nothing":                     "",
		"half a header":               "0001 00",
		"the match of OpenFlow 1.0":   "0000 0004",
		"length below the header's":   "0001 0003",
		"length beyond the end":       "0001 000d 80000004 00000001",
		"half a field's header":       "0001 0006 8000",
		"field beyond the length":     "0001 000a 80000004 0000 0001 0000",
		"field twice":                 "0001 0010 80000a02 0800 80000a02 0800",
		"register twice, once a pair": "0001 0018 00010004 00000001 80010008 00000001 00000002",
		"value of too many bits":      "0001 000a 80000c02 2001",
		"mask of too many bits":       "0001 000c 80000d04 0000 ffff",
		"value outside the mask":      "0001 0010 80001908 e0000001 f0000000",
		"mask where there is none":    "0001 000c 80000b04 0800 ffff",
		"value and mask not alike":    "0001 0011 80001909 e0000000 f000000000",
		"another length of the field": "0001 000a 80001802 ef01",
	} {
		_, err := ParseMatch(unhex(t, c))
		require.Error(t, err, why)
		if why != "another length of the field" {
			require.ErrorIs(t, err, ErrMalformed, why)
		}
	}
	_, err := ParseMatch(unhex(t, "0001 000c 80007e04 00000001")) // a field of the basic class that is not there
	require.ErrorIs(t, err, ErrField)
	require.ErrorContains(t, err, "0x80007e04")
}

func TestEveryCutMatchIsRefusedOrReadWithoutAPanic(t *testing.T) {
	for _, m := range fieldMatches() {
		b, err := m.AppendBinary(nil)
		require.NoError(t, err)
		for n := range int(binary.BigEndian.Uint16(b[2:])) {
			_, err := ParseMatch(b[:n])
			require.ErrorIs(t, err, ErrMalformed)
		}
	}
}

func TestAnAddressIsReadFromAMatch(t *testing.T) {
	m := NewMatch(IsIPv4(), within(IPSrc, "192.0.2.1/32"), within(IPDst, "224.0.0.0/4"), Is(Reg(0), 10), Is(Reg(1).Bits(0, 3), 1), IsMasked(TunSrc, 1, 1))
	for f, want := range map[Field]string{IPSrc: "192.0.2.1/32", IPDst: "224.0.0.0/4"} {
		p, ok := m.AsPrefix(f)
		require.True(t, ok)
		require.Equal(t, netip.MustParsePrefix(want), p)
	}
	for _, f := range []Field{IPv6Dst, TunDst, TunSrc, Reg(0), EthType, IPSrc.Bits(0, 3), Reg(16)} {
		_, ok := m.AsPrefix(f)
		require.False(t, ok, "%v", f)
	}
	p, ok := NewMatch(IsIPv6(), within(IPv6Dst, "ff00::/8")).AsPrefix(IPv6Dst)
	require.True(t, ok)
	require.Equal(t, "ff00::/8", p.String())
}

func TestANumberIsReadFromAMatch(t *testing.T) {
	m := NewMatch(IsIPv4(), Is(InPort, 5), Is(Reg(0), 10), Is(Reg(1).Bits(0, 3), 1), Is(XXReg(1), 1), Is(Metadata, uint64(1)<<63))
	for f, want := range map[Field]uint64{EthType: 0x800, InPort: 5, Reg(0): 10, Metadata: 1 << 63} {
		v, ok := m.AsUint(f)
		require.True(t, ok)
		require.Equal(t, want, v)
	}
	for _, f := range []Field{Reg(1), Reg(2), XXReg(1), IPDst, Reg(0).Bits(0, 3), Field(0)} {
		_, ok := m.AsUint(f)
		require.False(t, ok, "%v", f)
	}
	_, ok := NewMatch(Is(Reg(16), 1)).AsUint(Reg(0))
	require.False(t, ok)
}

// FuzzParseMatch: what is read is encoded and read again as the same.
func FuzzParseMatch(f *testing.F) {
	for _, m := range fieldMatches() {
		if b, err := m.AppendBinary(nil); err == nil {
			f.Add(b)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := ParseMatch(data)
		if err != nil {
			return
		}
		b, err := m.AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		again, err := ParseMatch(b)
		if err != nil || again != m {
			t.Fatalf("%v\nbecomes %v (%v)", m, again, err)
		}
	})
}

func TestRandomMatchesAreReadBack(t *testing.T) {
	all := every()[:len(every())-12] // without the larger registers, which overlap the others
	rapid.Check(t, func(t *rapid.T) {
		m := NewMatch(rapid.SliceOfNDistinct(rapid.SampledFrom(all), 0, 10, func(c Condition) Condition { return c }).Draw(t, "conditions")...)
		b, err := m.AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := ParseMatch(b); err != nil || again != m {
			t.Fatalf("%v becomes %v (%v)", m, again, err)
		}
	})
}
