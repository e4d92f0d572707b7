package igmp

import (
	"math/bits"
	"time"
)

// Code is the 8-bit form of a number that IGMPv3 queries use twice: for the Max Resp Code (RFC 9776 4.1.1, in tenths of
// a second) and for the Querier's Query Interval Code (4.1.7, in seconds). Below 128 it is the number itself; above, a
// floating-point form 1|exp(3)|mant(4) that stands for (mant|16) << (exp+3). Versions 1 and 2 do not have it.
type Code uint8

const (
	codeLinear = 128   // from here on floating point
	codeMax    = 31744 // 31 << 10, the value of 0xff
	tenth      = time.Second / 10

	maxRespV1 = 10 * time.Second // RFC 2236 section 4: what the 0 of a v1 query means
	maxRespV2 = 255 * tenth      // plain tenths
)

// Units returns the number that c stands for, 0 to 31744.
func (c Code) Units() int {
	if c < codeLinear {
		return int(c)
	}
	return int(c&0x0f|0x10) << (c>>4&0x07 + 3)
}

// MaxResp returns c read as a Max Resp Code, 0 to 3174.4 s.
func (c Code) MaxResp() time.Duration { return time.Duration(c.Units()) * tenth }

// QQI returns c read as a Querier's Query Interval Code, 0 to 31744 s.
func (c Code) QQI() time.Duration { return time.Duration(c.Units()) * time.Second }

// MaxRespCode returns the code of the longest time that is not over d: hosts must never have longer to answer than
// the querier waits. A negative d, and one over 3174.4 s, is ErrTime.
func MaxRespCode(d time.Duration) (Code, error) {
	if d < 0 || d > codeMax*tenth {
		return 0, ErrTime
	}
	return codeDown(uint(d / tenth)), nil
}

// QQICode returns the code of the shortest time that is not under d: other routers must never expect queries more
// often than the querier sends them. A negative d, and one over 31744 s, is ErrTime.
func QQICode(d time.Duration) (Code, error) {
	if d < 0 || d > codeMax*time.Second {
		return 0, ErrTime
	}
	units := int((d + time.Second - 1) / time.Second)
	c := codeDown(uint(units))
	if c.Units() < units {
		c++ // codes are in the order of their values
	}
	return c, nil
}

// codeDown returns the largest code whose value is at most v; v is at most codeMax.
func codeDown(v uint) Code {
	if v < codeLinear {
		return Code(v)
	}
	exp := bits.Len(v) - 8 // v has exp+8 bits: the hidden one, four of mantissa, exp+3 that are lost
	return Code(codeLinear | exp<<4 | int(v>>(exp+3))&0x0f)
}

// maxRespCodeV2 is the field of a v2 query: plain tenths of a second. Zero would make it a v1 query, and over 25.5 s
// would not fit (RFC 2236 2.2); the floating-point form is not for it.
func maxRespCodeV2(d time.Duration) (uint8, error) {
	if d < tenth || d > maxRespV2 {
		return 0, ErrTime
	}
	return uint8(d / tenth), nil
}
