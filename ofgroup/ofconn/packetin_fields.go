package ofconn

import (
	"encoding/binary"

	"github.com/ofmcast/ofmcast/internal/openflow"
	"github.com/ofmcast/ofmcast/ofgroup"
)

// The match fields that a PacketIn has, the same in both versions. Open vSwitch
// sends registers one by one in OpenFlow 1.3 and by pairs in 1.5, with a mask
// where only one of a pair was set.
var (
	inPortField   = openflow.NewOXM(openflow.ClassBasic, openflow.FieldInPort, 4)
	metadataField = openflow.NewOXM(openflow.ClassBasic, openflow.FieldMetadata, 8)
)

// readFields takes what a PacketIn has from a list of match fields.
func (p *PacketIn) readFields(fields []byte) error {
	for len(fields) > 0 {
		if len(fields) < openflow.OXMHeaderLen {
			return malformed("match field header")
		}
		h := openflow.OXM(binary.BigEndian.Uint32(fields))
		end := openflow.OXMHeaderLen + h.Len()
		if end > len(fields) {
			return malformed("match field length")
		}
		p.readField(h.Unmasked(), fields[openflow.OXMHeaderLen:][:h.ValueLen()])
		fields = fields[end:]
	}
	return nil
}

// readField takes one field, if it is known and as long as it should be. What
// a mask leaves out of a value is zero there.
func (p *PacketIn) readField(h openflow.OXM, value []byte) {
	switch n := h.Field(); {
	case h == inPortField:
		p.InPort = ofgroup.Port(binary.BigEndian.Uint32(value))
	case h == metadataField:
		p.Metadata = binary.BigEndian.Uint64(value)
	case h == openflow.NewOXM(openflow.ClassNXM1, n, 4) && int(n) < len(p.Regs):
		p.Regs[n] = binary.BigEndian.Uint32(value)
	case h == openflow.NewOXM(openflow.ClassPacketRegs, n, 8) && 2*int(n) < len(p.Regs):
		p.Regs[2*n] = binary.BigEndian.Uint32(value)
		p.Regs[2*n+1] = binary.BigEndian.Uint32(value[4:])
	}
}
