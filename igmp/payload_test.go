package igmp

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// payloads are messages that broke other software of this field, with what is right.
var payloads = []struct {
	name  string
	bytes string
	value string
	err   error
}{
	// A length is checked before the bytes are touched.
	{"no byte", "", "", ErrTooShort},
	{"one byte", "22", "", ErrTooShort},
	{"three bytes", "1600ff", "", ErrTooShort},
	{"four bytes of v2 report", "1600e9ff", "", ErrTooShort},
	{"seven bytes of v2 report", "16000000e9fc00", "", ErrTooShort},
	{"seven bytes of v1 report", "12000000e9fc00", "", ErrTooShort},
	{"seven bytes of leave", "17000000e9fc00", "", ErrTooShort},
	{"seven bytes of query", "11000000e9fc00", "", ErrTooShort},
	{"seven bytes of v3 report", "22000000000000", "", ErrTooShort},
	{"four bytes of router solicitation are whole", "3100ceff", "router solicitation ", nil},

	// Counts times four overflow 16 bits.
	{"0x4000 sources are not 0", "1164ac1e00000000027d4000", "", ErrSources},
	{"0x3ffd sources are not -12 bytes", "1164ac2100000000027d3ffd", "", ErrSources},
	{"0xffff sources", "1164ec1e00000000027dffff", "", ErrSources},
	{"record of 0x4000 sources", "2200b0000000000104004000e9fc0001", "", ErrRecords},
	{"record of 0x3ffe sources has not length 0", "2200b0020000000104003ffee9fc0001", "", ErrRecords},

	// All or nothing.
	{"two records announced, one there", "2200efff0000000204000000e9fc0001", "", ErrRecords},
	{"65535 records announced, one there", "2200f0010000ffff04000000e9fc0001", "", ErrRecords},
	{"bytes behind the last record", "2200f0000000000104000000e9fc000100000000",
		"v3 report {TO_EX 233.252.0.1 {}}", nil},

	// Auxiliary data counts in 32-bit words.
	{"auxiliary data is stepped over", "220064620000000204010000e9fc0001deadbeef04000000e9fc0002",
		"v3 report {TO_EX 233.252.0.1 {} aux 1, TO_EX 233.252.0.2 {}}", nil},
	{"auxiliary data past the end", "2200ef010000000104ff0000e9fc0001", "", ErrRecords},

	// v1 and v2 messages may be longer than 8 bytes; the checksum covers all.
	{"v2 report of 16 bytes", "16000002e9fc00010000000000000000", "v2 report 233.252.0.1", nil},
	{"v2 report of 16 bytes, tail not zero", "1600efede9fc00010102030405060708", "v2 report 233.252.0.1", nil},

	// A wrong checksum is refused, zero too.
	{"leave with a wrong checksum", "17000019e9fc0002", "v2 leave 233.252.0.2", ErrChecksum},
	{"zero is a checksum like any other", "16000000e9fc0001", "v2 report 233.252.0.1", ErrChecksum},

	// Times: floating point in v3, plain tenths in v2, ten seconds in v1.
	{"v3 codes 0x8f and 0x90", "118febe00000000002900000", "v3 query 0.0.0.0 max 24.8s QRV 2 QQI 4m16s {}", nil},
	{"v3 codes 0xff", "11ffeb010000000002ff0000", "v3 query 0.0.0.0 max 52m54.4s QRV 2 QQI 8h49m4s {}", nil},
	{"v2 code 0xc8 is 20 s", "11c8ee3700000000", "v2 query 0.0.0.0 max 20s", nil},
	{"v1 query means 10 s", "1100eeff00000000", "v1 query 0.0.0.0 max 10s", nil},
	{"v2 query of 10 s", "1164ee9b00000000", "v2 query 0.0.0.0 max 10s", nil},
	{"v3 query may ask for an answer at once", "1100ec8200000000027d0000",
		"v3 query 0.0.0.0 max 0s QRV 2 QQI 2m5s {}", nil},

	{"query with three sources", "110a83d5e9fc0001027d0003c6336401c6336402c6336403",
		"v3 query 233.252.0.1 max 1s QRV 2 QQI 2m5s {198.51.100.1, 198.51.100.2, 198.51.100.3}", nil},

	// A v3 leave has two forms, a record with no sources in include mode.
	{"v3 join", "2200f0000000000104000000e9fc0001", "v3 report {TO_EX 233.252.0.1 {}}", nil},
	{"v3 leave by change", "2200f1000000000103000000e9fc0001", "v3 report {TO_IN 233.252.0.1 {}}", nil},
	{"v3 leave by state", "2200f3000000000101000000e9fc0001", "v3 report {IS_IN 233.252.0.1 {}}", nil},

	// Sources are named for good or ill: only the record type tells.
	{"all but one source", "2200c5ca0000000104000001e9fc0001c6336401", "v3 report {TO_EX 233.252.0.1 {198.51.100.1}}", nil},
	{"one source more", "2200c4ca0000000105000001e9fc0001c6336401", "v3 report {ALLOW 233.252.0.1 {198.51.100.1}}", nil},
	{"one source less", "2200c3ca0000000106000001e9fc0001c6336401", "v3 report {BLOCK 233.252.0.1 {198.51.100.1}}", nil},
}

func TestPayloadIsReadOrRefused(t *testing.T) {
	for _, c := range payloads {
		t.Run(c.name, func(t *testing.T) {
			b := unhex(t, c.bytes)
			var d Decoder
			v, err := d.Payload(b)
			require.Equal(t, c.err, err)
			if v.Layer == LayerIGMP {
				require.Equal(t, c.value, render(v))
			} else {
				require.Empty(t, c.value)
				require.Nil(t, v.Message())
			}

			m, err := Parse(b)
			if c.err != nil {
				require.ErrorIs(t, err, c.err)
				require.Nil(t, m)
				return
			}
			require.NoError(t, err)
			require.Equal(t, v.Message(), m)
			require.Equal(t, v.Type, m.Type())
		})
	}
}

// Every length below a type's least is refused whatever the bytes are, and above it never for its length.
func TestLeastLengthsByType(t *testing.T) {
	for typ := range 256 {
		least := minMessage
		if Type(typ).membership() {
			least = groupMessage
		}
		for n := range 9 {
			b := make([]byte, n)
			if n > 0 {
				b[0] = byte(typ)
			}
			if n >= minMessage {
				setChecksum(b, offChecksum)
			}
			_, err := Parse(b)
			if n < least {
				require.ErrorIs(t, err, ErrTooShort, "type %#x, %d bytes", typ, n)
			} else {
				require.NoError(t, err, "type %#x, %d bytes", typ, n)
			}
		}
	}
}

func TestQueryOfNineToElevenBytesHasNoVersion(t *testing.T) {
	for n, want := range map[int]error{8: nil, 9: ErrQueryLength, 10: ErrQueryLength, 11: ErrQueryLength, 12: nil} {
		b := make([]byte, n)
		b[0] = byte(TypeQuery)
		setChecksum(b, offChecksum)
		var d Decoder
		_, err := d.Payload(b)
		require.Equal(t, want, err, "%d bytes", n)
	}
}

func TestWhatNoPacketHoldsIsRefused(t *testing.T) {
	b := make([]byte, maxMessage+1)
	b[0] = byte(TypeRouterSolicitation)
	setChecksum(b[:maxMessage], offChecksum)
	_, err := Parse(b)
	require.ErrorIs(t, err, ErrTooLong)
	m, err := Parse(b[:maxMessage])
	require.NoError(t, err)
	require.Equal(t, uint16(maxMessage), m.Len())
}

func TestParseErrorNamesTheMessage(t *testing.T) {
	_, err := Parse(unhex(t, "2200efff0000000204000000e9fc0001"))
	var e *Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, Error{Op: "decode", Type: TypeReportV3, Err: ErrRecords}, *e)
	require.EqualError(t, err, "igmp: decode v3 report: records past the end of the report")
}
