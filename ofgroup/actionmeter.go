package ofgroup

import "github.com/ofmcast/ofmcast/internal/openflow"

// maxMeter is the largest number a meter can have (OpenFlow 1.5.1, 7.3.4.5).
const maxMeter = 0xffff0000

// Meter sends the packet through a meter, which may drop it: nothing behind the action
// is then done. A flow needs the meter to be there first; a bucket does not.
//
// OpenFlow 1.3 has no such action. There a flow's first action is written as an
// instruction, and a meter anywhere else is ErrVersion.
func Meter(id uint32) Action {
	if id == 0 || id > maxMeter {
		return badAction(ErrAction, "meter 0x%x, which cannot be", id)
	}
	return shortAction32(openflow.ActionMeter, id)
}
