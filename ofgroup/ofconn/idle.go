package ofconn

import (
	"sync"

	"github.com/ofmcast/ofmcast/internal/openflow"
)

// keepMessage is the largest message whose memory a call keeps, once it is written, for the next one.
const keepMessage = 1 << 10

// idleCalls are calls that a barrier has answered, to be used again with the memory of their
// messages. One that ended in any other way may still be in a barrier's covers.
type idleCalls struct{ pool sync.Pool }

// get is a call that a barrier answers.
func (i *idleCalls) get() *call {
	if c, ok := i.pool.Get().(*call); ok {
		return c
	}
	return newCall(nil, openflow.TypeBarrierReply)
}

// put gives back a call that get returned, and that a barrier has confirmed.
func (i *idleCalls) put(c *call) {
	*c = call{msg: c.msg, answer: c.answer, done: c.done, until: never}
	i.pool.Put(c)
}
