package igmp

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The values are RFC 9776's: 4.1.1, worked out by hand.
func TestCodeIsExponentThenMantissa(t *testing.T) {
	for code, units := range map[Code]int{
		0: 0, 1: 1, 0x7f: 127, 0x80: 128, 0x81: 136, 0x8f: 248, 0x90: 256, 0xc8: 3072, 0xf0: 16384, 0xff: 31744,
	} {
		require.Equal(t, units, code.Units(), "%#x", uint8(code))
	}
	require.Equal(t, 3174400*time.Millisecond, Code(0xff).MaxResp())
	require.Equal(t, 31744*time.Second, Code(0xff).QQI())
}

func TestEveryCodeEncodesBackToItself(t *testing.T) {
	for i := range 256 {
		want := Code(i)
		got, err := MaxRespCode(want.MaxResp())
		require.NoError(t, err)
		require.Equal(t, want, got)
		got, err = QQICode(want.QQI())
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
}

// Hosts must not have longer than the querier waits, other routers must not expect queries more often than it sends.
func TestMaxRespRoundsDownAndQQIRoundsUp(t *testing.T) {
	for units := range codeMax + 1 {
		c, err := MaxRespCode(time.Duration(units)*tenth + tenth - 1)
		if units == codeMax {
			require.ErrorIs(t, err, ErrTime)
			continue
		}
		require.NoError(t, err)
		require.LessOrEqual(t, c.Units(), units)
		require.Greater(t, (c + 1).Units(), units, "%d: %#x is not the nearest", units, uint8(c))

		c, err = QQICode(time.Duration(units)*time.Second + 1)
		require.NoError(t, err)
		require.Greater(t, c.Units(), units)
		require.LessOrEqual(t, (c - 1).Units(), units, "%d: %#x is not the nearest", units, uint8(c))
	}
}

func TestTimesThatNoCodeExpresses(t *testing.T) {
	for _, d := range []time.Duration{-1, codeMax*tenth + 1, 1<<63 - 1} {
		_, err := MaxRespCode(d)
		require.ErrorIs(t, err, ErrTime, "%v", d)
	}
	for _, d := range []time.Duration{-1, codeMax*time.Second + 1, 1<<63 - 1} {
		_, err := QQICode(d)
		require.ErrorIs(t, err, ErrTime, "%v", d)
	}
}

func TestVersion2TimeIsPlainTenths(t *testing.T) {
	for d, want := range map[time.Duration]byte{
		tenth: 1, 199 * time.Millisecond: 1, 10 * time.Second: 100, 12800 * time.Millisecond: 0x80,
		20 * time.Second: 0xc8, 25500 * time.Millisecond: 0xff,
	} {
		b, err := (&Query{Version: 2, Group: unspecifiedV4, MaxResp: d}).MarshalBinary()
		require.NoError(t, err)
		require.Equal(t, want, b[offCode], "%v", d)
	}
	// 0 would be a v1 query, 30 s would need the floating point that only v3 has.
	for _, d := range []time.Duration{0, tenth - 1, -time.Second, 25501 * time.Millisecond, 30 * time.Second} {
		_, err := (&Query{Version: 2, Group: unspecifiedV4, MaxResp: d}).MarshalBinary()
		require.ErrorIs(t, err, ErrTime, "%v", d)
	}
}
