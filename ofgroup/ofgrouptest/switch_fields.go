package ofgrouptest

import (
	"bytes"

	"github.com/ofmcast/ofmcast/internal/openflow"
)

// field is what the switch knows of a match field.
type field struct {
	number   uint32 // class<<16 | field number, of the name it is described by
	size     int    // bytes of its value
	bits     int    // its low bits that may be set
	readOnly bool   // for actions
}

const (
	basic = openflow.ClassBasic << 16
	nxm0  = openflow.ClassNXM0 << 16
	nxm1  = openflow.ClassNXM1 << 16
	pairs = openflow.ClassPacketRegs << 16

	fieldMetadata = basic | 2
	fieldVLANVID  = basic | 6
	fieldVLANPCP  = basic | 7
	fieldVLANTCI  = nxm0 | 4
	vlanPresent   = 0x1000 // OFPVID_PRESENT, required in a VID that is set
)

// setFields are the fields by number. Each row was found by setting the field on
// Open vSwitch 3.1 with every length and all bits. Tunnel metadata is left out.
var setFields = indexFields([]field{
	{basic | 0, 4, 32, true}, {basic | 2, 8, 64, false}, {basic | 3, 6, 48, false},
	{basic | 4, 6, 48, false}, {basic | 5, 2, 16, true}, {basic | 6, 2, 13, false},
	{basic | 7, 1, 3, false}, {basic | 8, 1, 6, false}, {basic | 9, 1, 2, false},
	{basic | 10, 1, 8, true}, {basic | 11, 4, 32, false}, {basic | 12, 4, 32, false},
	{basic | 13, 2, 16, false}, {basic | 14, 2, 16, false}, {basic | 15, 2, 16, false},
	{basic | 16, 2, 16, false}, {basic | 17, 2, 16, false}, {basic | 18, 2, 16, false},
	{basic | 19, 1, 8, false}, {basic | 20, 1, 8, false}, {basic | 21, 2, 8, false},
	{basic | 22, 4, 32, false}, {basic | 23, 4, 32, false}, {basic | 24, 6, 48, false},
	{basic | 25, 6, 48, false}, {basic | 26, 16, 128, false}, {basic | 27, 16, 128, false},
	{basic | 28, 4, 20, false}, {basic | 29, 1, 8, false}, {basic | 30, 1, 8, false},
	{basic | 31, 16, 128, false}, {basic | 32, 6, 48, false}, {basic | 33, 6, 48, false},
	{basic | 34, 4, 20, false}, {basic | 35, 1, 3, false}, {basic | 36, 1, 1, true},
	{basic | 38, 8, 64, false}, {basic | 42, 2, 12, true}, {basic | 43, 4, 32, true},
	{basic | 44, 4, 32, true},

	{nxm1 | 26, 1, 2, true}, {nxm1 | 29, 1, 8, false}, {nxm1 | 30, 1, 8, false},
	{nxm1 | 31, 4, 32, false}, {nxm1 | 32, 4, 32, false},
	{nxm1 | 33, 4, 32, false}, {nxm1 | 35, 4, 32, true},
	{nxm1 | 36, 4, 32, true}, {nxm1 | 37, 4, 32, true}, {nxm1 | 38, 2, 16, false},
	{nxm1 | 104, 2, 1, false}, {nxm1 | 105, 4, 8, true}, {nxm1 | 106, 2, 16, true},
	{nxm1 | 107, 4, 32, true}, {nxm1 | 108, 16, 128, true}, {nxm1 | 109, 16, 128, false},
	{nxm1 | 110, 16, 128, false}, {nxm1 | 111, 16, 128, false}, {nxm1 | 112, 16, 128, false},
	{nxm1 | 113, 16, 128, false}, {nxm1 | 114, 16, 128, false}, {nxm1 | 119, 1, 8, true},
	{nxm1 | 120, 4, 32, true}, {nxm1 | 121, 4, 32, true}, {nxm1 | 122, 16, 128, true},
	{nxm1 | 123, 16, 128, true}, {nxm1 | 124, 2, 16, true}, {nxm1 | 125, 2, 16, true},

	{nxm0 | 0, 2, 16, false}, {nxm0 | 4, 2, 16, false}, {nxm0 | 5, 1, 8, false},
})

// olderNames are the fields that have two numbers; the switch takes either and
// describes them by the standard one.
var olderNames = map[uint32]uint32{
	nxm0 | 1: basic | 3, nxm0 | 2: basic | 4, nxm0 | 3: basic | 5, nxm0 | 6: basic | 10, nxm0 | 7: basic | 11, nxm0 | 8: basic | 12,
	nxm0 | 9: basic | 13, nxm0 | 10: basic | 14, nxm0 | 11: basic | 15, nxm0 | 12: basic | 16,
	nxm0 | 13: basic | 19, nxm0 | 14: basic | 20, nxm0 | 15: basic | 21, nxm0 | 16: basic | 22,
	nxm0 | 17: basic | 23, nxm1 | 16: basic | 38, nxm1 | 17: basic | 24, nxm1 | 18: basic | 25,
	nxm1 | 19: basic | 26, nxm1 | 20: basic | 27, nxm1 | 21: basic | 29, nxm1 | 22: basic | 30,
	nxm1 | 23: basic | 31, nxm1 | 24: basic | 32, nxm1 | 25: basic | 33, nxm1 | 27: basic | 28,
	nxm1 | 28: basic | 9, nxm1 | 34: basic | 42,
}

func indexFields(fields []field) map[uint32]field {
	m := make(map[uint32]field)
	for _, f := range fields {
		m[f.number] = f
	}
	for n := range uint32(16) { // registers
		m[nxm1|n] = field{number: nxm1 | n, size: 4, bits: 32}
	}
	for n := range uint32(8) { // the same registers in pairs
		m[pairs|n] = field{number: pairs | n, size: 8, bits: 64}
	}
	return m
}

// fieldOf finds the field that a header names, whatever length it gives.
func fieldOf(h openflow.OXM) (field, bool) {
	number := uint32(h)>>16<<16 | uint32(h)>>9&0x7f
	if standard, ok := olderNames[number]; ok {
		number = standard
	}
	f, ok := setFields[number]
	return f, ok
}

// fullMask has all bits that the field has.
func (f field) fullMask() []byte {
	mask := bytes.Repeat([]byte{0xff}, f.size)
	for i := range mask {
		used := f.bits - 8*(f.size-1-i)
		if used < 8 {
			mask[i] = 1<<max(used, 0) - 1
		}
	}
	return mask
}

// registersOf is the first register that a field stands for, and how many.
func registersOf(number uint32) (first uint32, n int) {
	const quads = nxm1 | 111 // xxreg0
	switch {
	case number>>16 == pairs>>16:
		return nxm1 | 2*(number-pairs), 2
	case number >= quads && number < quads+4:
		return nxm1 | 4*(number-quads), 4
	}
	return number, 1
}

// header is the field's OXM header as the switch writes it.
func (f field) header(masked bool) openflow.OXM {
	h := openflow.NewOXM(uint16(f.number>>16), uint8(f.number&0x7f), f.size)
	if masked {
		return h.Masked()
	}
	return h
}
