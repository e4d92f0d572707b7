package ofgroup

import "fmt"

// Field is a field of the packet, or of what the switch keeps beside it (registers,
// tunnel), or some of its bits. Fields are the constants of this package, and what
// Reg, XReg, XXReg and Bits return. A Field that cannot be (register 16, bits that
// are not there) carries its fault to Group.Validate. The zero Field is none.
type Field uint64

// A Field packs, from the low end: its number in the field table, the first bit and
// the number of bits of the part it names (0 bits: the whole field), the fault it
// carries, and the two numbers that the fault tells of.
const (
	fieldFirstShift = 8
	fieldCountShift = 16
	fieldFaultShift = 24
	fieldNumberA    = 32
	fieldNumberB    = 48
)

// The faults a Field can carry.
const (
	fieldFine = iota
	fieldNoReg
	fieldNoXReg
	fieldNoXXReg
	fieldNoBits
)

// Reg is the 32-bit register n, 0 to 15.
func Reg(n int) Field { return register(reg0, n, 16, fieldNoReg) }

// XReg is the 64-bit register n, 0 to 7. It overlays Reg(2n), its high half, and
// Reg(2n+1).
func XReg(n int) Field { return register(xreg0, n, 8, fieldNoXReg) }

// XXReg is the 128-bit register n, 0 to 3. It overlays Reg(4n), its highest quarter,
// to Reg(4n+3).
func XXReg(n int) Field { return register(xxreg0, n, 4, fieldNoXXReg) }

func register(first Field, n, count int, code Field) Field {
	if n < 0 || n >= count {
		return code<<fieldFaultShift | Field(uint16(n))<<fieldNumberA
	}
	return first + Field(n)
}

// Bits is a part of f: bits first to last, both included, bit 0 being the lowest.
// Set leaves the others as they are. Parts of parts count from the part's own bit 0.
func (f Field) Bits(first, last int) Field {
	if f.faultCode() != fieldFine || f.info() == nil {
		return f
	}
	if first < 0 || last < first || last >= f.width() {
		return f | fieldNoBits<<fieldFaultShift |
			Field(uint16(first))<<fieldNumberA | Field(uint16(last))<<fieldNumberB
	}
	return f.whole().bitsFrom(f.first()+first, last-first+1)
}

func (f Field) faultCode() int { return int(f >> fieldFaultShift & 0xff) }
func (f Field) number() int    { return int(f & 0xff) }
func (f Field) first() int     { return int(f >> fieldFirstShift & 0xff) }
func (f Field) count() int     { return int(f >> fieldCountShift & 0xff) }

// info is the field's line in the table, nil if there is none.
func (f Field) info() *fieldInfo {
	if i := f.number(); i > 0 && i < len(fieldTable) {
		return &fieldTable[i]
	}
	return nil
}

// width is the number of bits that f names.
func (f Field) width() int {
	if n := f.count(); n != 0 {
		return n
	}
	return f.info().bits
}

// part reports whether f names less than a whole field.
func (f Field) part() bool { return f.width() < f.info().bits }

// mask is the bits that f names, within the whole field.
func (f Field) mask() uint128 { return ones(f.width()).shl(f.first()) }

// check returns the fault that f carries, or nil.
func (f Field) check() error {
	if f > 0 && f < Field(len(fieldTable)) { // a whole field
		return nil
	}
	a, b := int16(f>>fieldNumberA), int16(f>>fieldNumberB)
	switch f.faultCode() {
	case fieldNoReg:
		return fault{ErrField, fmt.Sprintf("reg%d (there are reg0 to reg15)", a)}
	case fieldNoXReg:
		return fault{ErrField, fmt.Sprintf("xreg%d (there are xreg0 to xreg7)", a)}
	case fieldNoXXReg:
		return fault{ErrField, fmt.Sprintf("xxreg%d (there are xxreg0 to xxreg3)", a)}
	case fieldNoBits:
		if f.info() != nil {
			return fault{ErrField, fmt.Sprintf("bits %d to %d of %s", a, b, f.info().name)}
		}
	}
	if f.info() == nil || f != f.whole() && f != f.whole().bitsFrom(f.first(), f.width()) {
		return fault{ErrField, fmt.Sprintf("number %d", uint64(f))}
	}
	return nil
}

// whole is the field that f is, or is a part of.
func (f Field) whole() Field { return Field(f.number()) }

// bitsFrom is n bits of a whole field, from bit first on. All of it has one form, for ==
// to find.
func (f Field) bitsFrom(first, n int) Field {
	switch bits := f.info().bits; {
	case first+n > bits:
		return 0
	case n == bits:
		return f
	}
	return f | Field(first)<<fieldFirstShift | Field(n)<<fieldCountShift
}

// checkSet is check for a field that an action shall write.
func (f Field) checkSet() error {
	if err := f.check(); err != nil {
		return err
	}
	switch info := f.info(); {
	case info.set == setNever, info.set == readParts:
		return fault{ErrField, info.name + " cannot be set"}
	case info.set == setWhole && f.part():
		return fault{ErrField, info.name + " can only be set whole"}
	}
	return nil
}

// String is the field as ovs-ofctl names it, with [first..last] for a part.
func (f Field) String() string {
	if err := f.check(); err != nil {
		return "Field(" + err.Error() + ")"
	}
	if !f.part() {
		return f.info().name
	}
	return fmt.Sprintf("%s[%d..%d]", f.info().name, f.first(), f.first()+f.width()-1)
}
