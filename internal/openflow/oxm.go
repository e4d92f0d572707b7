package openflow

// OXM is the 32-bit header of a match field (OpenFlow 1.5.1, 7.2.3.2): a class of 16
// bits, a field number of 7, a has-mask bit, and the length in bytes of what follows
// the header. With the has-mask bit the length covers value and mask.
type OXM uint32

// Classes of match fields. Open vSwitch writes its registers and tunnel addresses in
// class NXM1, the packet registers (xreg) in PacketRegs, and loads and moves of
// OpenFlow 1.3 in the older NXM0 where the field exists there.
const (
	ClassNXM0       = 0x0000
	ClassNXM1       = 0x0001
	ClassBasic      = 0x8000
	ClassPacketRegs = 0x8001
)

// Fields of ClassBasic that packet-ins carry (OpenFlow 1.5.1, 7.2.3.7).
const (
	FieldInPort   = 0
	FieldMetadata = 2
)

// OXMHeaderLen is the length of an OXM on the wire.
const OXMHeaderLen = 4

const oxmMask OXM = 1 << 8

// NewOXM is the header, without a mask, of a field whose value has n bytes.
func NewOXM(class uint16, field uint8, n int) OXM {
	return OXM(class)<<16 | OXM(field&0x7f)<<9 | OXM(n&0x7f)
}

// Class is the class that Field counts in.
func (h OXM) Class() uint16 { return uint16(h >> 16) }

// Field is the field's number within its class.
func (h OXM) Field() uint8 { return uint8(h >> 9 & 0x7f) }

// HasMask reports whether a mask follows the value.
func (h OXM) HasMask() bool { return h&oxmMask != 0 }

// Len is the number of bytes after the header: the value, and the mask if there is one.
func (h OXM) Len() int { return int(h & 0xff) }

// ValueLen is the length of the value alone.
func (h OXM) ValueLen() int {
	if h.HasMask() {
		return h.Len() / 2
	}
	return h.Len()
}

// Masked is the header of the same field with a mask.
func (h OXM) Masked() OXM {
	if h.HasMask() {
		return h
	}
	return h&^0xff | oxmMask | OXM(2*h.Len())
}

// Unmasked is the header of the same field without a mask. It names the field, so
// tables are keyed by it.
func (h OXM) Unmasked() OXM {
	if !h.HasMask() {
		return h
	}
	return h&^(0xff|oxmMask) | OXM(h.ValueLen())
}
