package igmp

import (
	"bytes"
	"encoding/hex"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// slowSum is RFC 1071 section 1 word for word.
func slowSum(b []byte) uint16 {
	var sum uint32
	for ; len(b) > 1; b = b[2:] {
		sum += uint32(b[0])<<8 | uint32(b[1])
	}
	if len(b) == 1 {
		sum += uint32(b[0]) << 8
	}
	for sum > 0xffff {
		sum = sum>>16 + sum&0xffff
	}
	return uint16(sum)
}

func TestOnesSumIsTheOneOfRFC1071(t *testing.T) {
	example, err := hex.DecodeString("0001f203f4f5f6f7") // RFC 1071 section 3
	require.NoError(t, err)
	require.Equal(t, uint16(0xddf2), onesSum(example))
}

func TestOnesSumAtEveryLength(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for n := range 300 {
		random := make([]byte, n)
		for i := range random {
			random[i] = byte(rng.Uint32())
		}
		// All ones makes every addition carry, zeros none; 0 and 0xffff are different sums.
		for _, b := range [][]byte{random, bytes.Repeat([]byte{0xff}, n), make([]byte, n)} {
			require.Equal(t, slowSum(b), onesSum(b), "%d bytes: %x", n, b)
		}
	}
}

func TestFoldBringsEveryCarryAround(t *testing.T) {
	for _, c := range []struct {
		sum, carry uint64
		want       uint16
	}{
		{0, 0, 0},
		{0, 1, 0x0100}, // little-endian inside, network order outside
		{^uint64(0), 0, 0xffff},
		{^uint64(0), 1, 0x0100},
		{0xffff_ffff_0000_0001, 0, 0x0100},
		{0x0000_ffff_0000_0001, 0, 0x0100},
	} {
		require.Equal(t, c.want, fold(c.sum, c.carry), "%#x + %d", c.sum, c.carry)
	}
}

func TestSetChecksumMakesTheSumAllOnes(t *testing.T) {
	b := []byte{0x16, 0, 0, 0, 233, 252, 0, 1}
	setChecksum(b, offChecksum)
	require.Equal(t, []byte{0x16, 0, 0x00, 0x02, 233, 252, 0, 1}, b)
	require.Equal(t, uint16(0xffff), onesSum(b))
}
