package igmp

import (
	"encoding/binary"
	"math/bits"
)

// onesSum is the one's complement sum of b as RFC 1071 defines it, odd lengths padded with a zero byte. The sum over
// data that holds its own right checksum is 0xffff.
//
// It adds eight bytes at a time and little-endian: the sum does not depend on the width of the words (RFC 1071 2.C),
// and a sum of swapped words is the swapped sum (2.B), so one swap at the end does.
func onesSum(b []byte) uint16 {
	var sum, carry uint64
	for len(b) >= 32 {
		sum, carry = bits.Add64(sum, binary.LittleEndian.Uint64(b), carry)
		sum, carry = bits.Add64(sum, binary.LittleEndian.Uint64(b[8:]), carry)
		sum, carry = bits.Add64(sum, binary.LittleEndian.Uint64(b[16:]), carry)
		sum, carry = bits.Add64(sum, binary.LittleEndian.Uint64(b[24:]), carry)
		b = b[32:]
	}
	for len(b) >= 8 {
		sum, carry = bits.Add64(sum, binary.LittleEndian.Uint64(b), carry)
		b = b[8:]
	}
	if len(b) > 0 {
		sum, carry = bits.Add64(sum, tail(b), carry)
	}
	return fold(sum, carry)
}

// tail reads the last bytes, under eight, as if zeros followed.
func tail(b []byte) uint64 {
	var v uint64
	if len(b) >= 4 {
		v = uint64(binary.LittleEndian.Uint32(b))
		b = b[4:]
		for i := range b {
			v |= uint64(b[i]) << (32 + 8*i)
		}
		return v
	}
	for i := range b {
		v |= uint64(b[i]) << (8 * i)
	}
	return v
}

// fold brings a 65-bit little-endian sum down to 16 bits in network order. Adding a word to itself with its halves
// swapped leaves, in the upper half, their sum with its carry brought around (RFC 1071 2.A).
func fold(sum, carry uint64) uint16 {
	sum, carry = bits.Add64(sum, carry, 0)
	sum += carry
	sum += bits.RotateLeft64(sum, 32)
	half := uint32(sum >> 32)
	half += bits.RotateLeft32(half, 16)
	return bits.ReverseBytes16(uint16(half >> 16))
}

// setChecksum writes the checksum of b into its two bytes at offset, which must be zero.
func setChecksum(b []byte, offset int) {
	binary.BigEndian.PutUint16(b[offset:], ^onesSum(b))
}
