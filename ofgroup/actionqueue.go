package ofgroup

import "github.com/ofmcast/ofmcast/internal/openflow"

// SetQueue has what is sent after it wait in this queue of its port. Queues are made by
// means other than OpenFlow; Open vSwitch takes any number.
func SetQueue(queue uint32) Action { return shortAction32(openflow.ActionSetQueue, queue) }

// PopQueue undoes SetQueue. It is Open vSwitch's own action.
func PopQueue() Action { return niciraAction0(openflow.NiciraPopQueue) }
