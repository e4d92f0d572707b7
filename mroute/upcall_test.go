package mroute

import (
	"encoding/hex"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"
)

// upTo says that VIFs 0 to n-1 exist.
func upTo(n int) func(VIF) bool { return func(v VIF) bool { return int(v) < n } }

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	require.NoError(t, err)
	return b
}

var documented = SG{netip.MustParseAddr("198.51.100.1"), netip.MustParseAddr("233.252.0.1")}

func TestVIFOfAnUpcallIsReadOnOldAndNewKernels(t *testing.T) {
	for name, c := range map[string]struct {
		hex        string
		registered func(VIF) bool
		want       VIF
		err        error
	}{
		"new kernel":                 {"4500001c0000000001000100c6336401e9fc00010100000000000000", upTo(2), 1, nil},
		"a checksum's byte is left":  {"4500001c000000000100015ac6336401e9fc00010100000000000000", upTo(32), 1, nil},
		"a VIF above 255":            {"4500001c0000000001002c01c6336401e9fc00010100000000000000", upTo(400), 300, nil},
		"neither number exists":      {"4500001c0000000001000900c6336401e9fc00010100000000000000", upTo(2), 0, ErrNoVIF},
		"only the wide one does not": {"4500001c0000000001000001c6336401e9fc00010100000000000000", upTo(32), 0, nil},
	} {
		t.Run(name, func(t *testing.T) {
			m, err := ParseMessage(unhex(t, c.hex), c.registered)
			require.ErrorIs(t, err, c.err)
			if c.err == nil {
				require.Equal(t, &Upcall{Kind: NoCache, VIF: c.want, SG: documented}, m)
			}
		})
	}
}

func TestUpcallOfAWholePacketOwnsIt(t *testing.T) {
	b := unhex(t, "450000300000000003000000c6336401e9fc0001"+"4500001c0001000040110000c6336401e9fc0001"+"0102030405060708")
	m, err := ParseMessage(b, upTo(1))
	require.NoError(t, err)
	u := m.(*Upcall)
	require.Equal(t, WholePkt, u.Kind)
	want := append([]byte(nil), b[20:]...)
	clear(b)
	require.Equal(t, want, u.Packet)
	require.Equal(t, documented, u.SG)
}

func TestWhatIsNoMessageIsRefused(t *testing.T) {
	for name, s := range map[string]string{
		"nothing":                "",
		"shorter than a header":  "4500001c0000000001000100c6336401e9fc00",
		"not IPv4":               "6500001c0000000001000100c6336401e9fc00010100000000000000",
		"another protocol":       "4500001c0000000001110100c6336401e9fc00010100000000000000",
		"an upcall of no kind":   "4500001c0000000000000100c6336401e9fc00010100000000000000",
		"an upcall for no group": "4500001c0000000001000100c6336401c63364020100000000000000",
		"IGMP, header too short": "4400001c0000000001020000c6336401e9fc00011600000000000000",
		"IGMP, header too long":  "4f00001c0000000001020000c6336401e9fc00011600000000000000",
	} {
		t.Run(name, func(t *testing.T) {
			m, err := ParseMessage(unhex(t, s), upTo(32))
			require.ErrorIs(t, err, ErrMalformed)
			require.Nil(t, m)
		})
	}
}

func TestIGMPPacketWithOptionsIsToldByItsProtocol(t *testing.T) {
	m, err := ParseMessage(unhex(t, "460000200000000001020000c6336401e9fc0001940400001600fa01e9fc0001"), upTo(0))
	require.NoError(t, err)
	require.Equal(t, &IGMP{Source: documented.Source, Destination: documented.Group, Payload: unhex(t, "1600fa01e9fc0001")}, m)
}

func TestLogLinesSayAll(t *testing.T) {
	require.Equal(t, "WRONGVIF (198.51.100.1, 233.252.0.1) at VIF 1", (&Upcall{Kind: WrongVIF, VIF: 1, SG: documented}).String())
	r := Route{SG: documented, In: 3, Out: []Hop{{VIF: 1}, {VIF: 2, TTL: 16}}}
	require.Equal(t, "(198.51.100.1, 233.252.0.1) 3 > 1 2/16", r.String())
	e := Entry{SG: documented, In: "eth0"}
	require.Equal(t, "(198.51.100.1, 233.252.0.1) eth0 >", e.String())
	e.Out = []string{"eth1", "eth2"}
	require.Equal(t, "(198.51.100.1, 233.252.0.1) eth0 > eth1 eth2", e.String())
}

func TestKindsHaveTheirNames(t *testing.T) {
	for kind, name := range map[UpcallKind]string{
		NoCache: "NOCACHE", WrongVIF: "WRONGVIF", WholePkt: "WHOLEPKT", WrVIFWhole: "WRVIFWHOLE", 9: "UpcallKind(0x09)",
	} {
		require.Equal(t, name, kind.String())
	}
}

// Whatever comes: a message or an error, never both, with a VIF that exists, and memory of its own.
func FuzzParseMessage(f *testing.F) {
	for _, s := range []string{
		"4500001c0000000001000100c6336401e9fc00010100000000000000",
		"4500001c000000000100015ac6336401e9fc00010100000000000000",
		"4500001c0000000003000000c6336401e9fc0001450000",
		"460000200000000001020000c6336401e9fc0001940400001600fa01e9fc0001",
	} {
		f.Add(unhex(f, s), uint32(3))
	}
	f.Fuzz(func(t *testing.T, b []byte, bits uint32) {
		registered := vifSet(bits)
		m, err := ParseMessage(b, registered.has)
		if err != nil {
			require.Nil(t, m)
			return
		}
		before := append([]byte(nil), b...)
		clear(b)
		switch m := m.(type) {
		case *Upcall:
			require.True(t, registered.has(m.VIF))
			require.True(t, m.Group.IsMulticast())
			require.NotZero(t, m.Kind)
			if m.Packet != nil {
				require.Equal(t, before[20:], m.Packet)
			}
		case *IGMP:
			require.Equal(t, before[len(before)-len(m.Payload):], m.Payload)
		default:
			t.Fatalf("neither an upcall nor IGMP: %T", m)
		}
	})
}
