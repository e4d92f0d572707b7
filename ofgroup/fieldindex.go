package ofgroup

import "github.com/ofmcast/ofmcast/internal/openflow"

func basic(field uint8, n int) openflow.OXM { return openflow.NewOXM(openflow.ClassBasic, field, n) }
func nxm0(field uint8, n int) openflow.OXM  { return openflow.NewOXM(openflow.ClassNXM0, field, n) }
func nxm1(field uint8, n int) openflow.OXM  { return openflow.NewOXM(openflow.ClassNXM1, field, n) }

func reg(number string, n uint8) fieldInfo {
	return fieldInfo{"reg" + number, "NXM_NX_REG" + number, nxm1(n, 4), nxm1(n, 4), 32, formHex, setParts}
}

func xreg(number string, n uint8) fieldInfo {
	h := openflow.NewOXM(openflow.ClassPacketRegs, n, 8)
	return fieldInfo{"xreg" + number, "OXM_OF_PKT_REG" + number, h, h, 64, formHex, setParts}
}

func xxreg(number string, n uint8) fieldInfo {
	const xxreg0Number = 111
	h := nxm1(xxreg0Number+n, 16)
	return fieldInfo{"xxreg" + number, "NXM_NX_XXREG" + number, h, h, 128, formHex, setParts}
}

// fieldsByHeader finds the line of a field by class and number, as two headers of one
// field may have different ones. Nothing writes to it.
var fieldsByHeader = func() (index [4][128]uint8) {
	for i := 1; i < len(fieldTable); i++ {
		for _, h := range [...]openflow.OXM{fieldTable[i].oxm, fieldTable[i].nxm} {
			class, _ := classIndex(h)
			index[class][h.Field()] = uint8(i)
		}
	}
	return index
}()

// classIndex numbers the classes that fields of the table have.
func classIndex(h openflow.OXM) (int, bool) {
	switch h.Class() {
	case openflow.ClassNXM0:
		return 0, true
	case openflow.ClassNXM1:
		return 1, true
	case openflow.ClassBasic:
		return 2, true
	case openflow.ClassPacketRegs:
		return 3, true
	}
	return 0, false
}

// fieldByOXM finds the field that a header names, whether by its OpenFlow 1.5 header or by
// the one of loads and moves in 1.3. Masks do not matter, lengths do. It is nil for a
// header that is no field's.
func fieldByOXM(h openflow.OXM) *fieldInfo {
	if f := numberByOXM(h); f != 0 {
		return f.info()
	}
	return nil
}

// numberByOXM is fieldByOXM as the Field, 0 if there is none.
func numberByOXM(h openflow.OXM) Field {
	h = h.Unmasked()
	class, ok := classIndex(h)
	if !ok {
		return 0
	}
	f := Field(fieldsByHeader[class][h.Field()])
	if info := f.info(); info == nil || info.oxm != h && info.nxm != h {
		return 0
	}
	return f
}
