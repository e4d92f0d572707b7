package ofconn

import (
	"time"

	"github.com/ofmcast/ofmcast/internal/openflow"
)

// stage is how far a call has come.
type stage uint8

const (
	queued   stage = iota // not one byte is written
	written               // its bytes may be on their way
	finished              // nobody waits for it any more
)

// call is one caller's request, from its queueing to its answer. Its fields
// belong to the ledger's lock until done has its token, and to the caller then.
type call struct {
	msg     []byte                 // the encoded request; empty for a bare barrier
	answer  uint8                  // the type of message that answers it
	part    uint16                 // the multipart type of that message, where it has one
	step    openflow.BundleControl // what of a bundle it tells, where it is about one
	nested  bool                   // the request holds another message, which gets the same number
	until   time.Duration          // when it is given up, since the session's birth
	xid     uint32
	stage   stage
	barrier *barrier // whose answer confirms it, once there is one
	reply   []byte   // the joined bodies of a multipart reply, or the whole message that answered
	err     error
	reads   bool          // its caller can read the answer himself
	done    chan struct{} // takes a token when the call has ended

	// unattended says that its caller does not wait: it is confirmed by the next
	// barrier that others, or too many of its kind, need.
	unattended bool
}

// noAnswer stands for the answer of a call that only an error can answer.
const noAnswer = openflow.TypeHello

func newCall(msg []byte, answer uint8) *call {
	return &call{msg: msg, answer: answer, until: never, done: make(chan struct{}, 1)}
}

// wake tells the caller of a finished call, without the ledger's lock.
func (c *call) wake() { c.done <- struct{}{} }

// confirmed reports whether a barrier answers the call.
func (c *call) confirmed() bool { return c.answer == openflow.TypeBarrierReply }

// barrier is one barrier request on its way, and what was written before it
// and after the one before.
type barrier struct {
	xid    uint32
	covers []*call
	live   int    // of covers, those that somebody still waits for
	behind uint64 // the ledger's count of written messages before it
}
