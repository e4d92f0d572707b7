package openflow

import "math"

// Narrow returns n as a T, and whether it fits. It is the only place where a length
// or a count of this module is made smaller than an int: a length that wraps
// corrupts the whole stream behind it, so nothing narrows one before this check.
func Narrow[T uint8 | uint16](n int) (T, bool) {
	if n < 0 || n > math.MaxUint16 {
		return 0, false
	}
	t := T(n)
	return t, int(t) == n
}
