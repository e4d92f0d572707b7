package ofgroup

import (
	"fmt"
	"math/bits"
)

// uint128 is a field's value as a number.
type uint128 struct{ hi, lo uint64 }

// uint128FromBytes reads up to 16 bytes in network byte order.
func uint128FromBytes[B string | []byte](b B) uint128 {
	var u uint128
	for i := range len(b) {
		u.hi = u.hi<<8 | u.lo>>56
		u.lo = u.lo<<8 | uint64(b[i])
	}
	return u
}

// ones is the number whose n lowest bits are set.
func ones(n int) uint128 {
	if n <= 64 {
		return uint128{lo: ^uint64(0) >> (64 - n)} // a shift by 64 gives 0
	}
	return uint128{hi: ^uint64(0) >> (128 - n), lo: ^uint64(0)}
}

func (u uint128) shl(n int) uint128 {
	if n >= 64 {
		return uint128{hi: u.lo << (n - 64)}
	}
	return uint128{hi: u.hi<<n | u.lo>>(64-n), lo: u.lo << n}
}

func (u uint128) shr(n int) uint128 {
	if n >= 64 {
		return uint128{lo: u.hi >> (n - 64)}
	}
	return uint128{hi: u.hi >> n, lo: u.lo>>n | u.hi<<(64-n)}
}

func (u uint128) and(o uint128) uint128 { return uint128{u.hi & o.hi, u.lo & o.lo} }
func (u uint128) or(o uint128) uint128  { return uint128{u.hi | o.hi, u.lo | o.lo} }
func (u uint128) xor(o uint128) uint128 { return uint128{u.hi ^ o.hi, u.lo ^ o.lo} }
func (u uint128) not() uint128          { return uint128{^u.hi, ^u.lo} }

// bitLen is the number of bits that u needs.
func (u uint128) bitLen() int {
	if u.hi != 0 {
		return 64 + bits.Len64(u.hi)
	}
	return bits.Len64(u.lo)
}

// trailingZeros is the number of the lowest bit that is set, 128 if none is.
func (u uint128) trailingZeros() int {
	if u.lo != 0 {
		return bits.TrailingZeros64(u.lo)
	}
	return 64 + bits.TrailingZeros64(u.hi)
}

// oneRun is where the bits of u are and how many, if there are some and they touch.
func (u uint128) oneRun() (first, n int, ok bool) {
	if u == (uint128{}) {
		return 0, 0, false
	}
	first = u.trailingZeros()
	rest := u.shr(first)
	n = rest.bitLen()
	return first, n, rest == ones(n)
}

// put writes u into all of b, at most 16 bytes, in network byte order.
func (u uint128) put(b []byte) {
	hi, lo := u.hi, u.lo
	for i := len(b) - 1; i >= 0; i-- {
		b[i] = byte(lo)
		hi, lo = hi>>8, lo>>8|hi<<56
	}
}

// hex is u as ovs-ofctl writes it: 0 without a prefix.
func (u uint128) hex() string {
	switch {
	case u.hi != 0:
		return fmt.Sprintf("0x%x%016x", u.hi, u.lo)
	case u.lo != 0:
		return fmt.Sprintf("0x%x", u.lo)
	default:
		return "0"
	}
}
