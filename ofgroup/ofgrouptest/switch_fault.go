package ofgrouptest

import (
	"slices"
	"time"
)

// Fault is one thing that goes wrong. The zero value harms nothing; fields combine.
type Fault struct {
	// On is the type of message it strikes; zero means GROUP_MOD. (A HELLO, whose
	// type is 0, is never struck.)
	On MessageType

	// Skip is how many such messages pass unharmed first; Times how many are struck
	// then, 0 meaning one, and a negative number all.
	Skip, Times int

	// Hold keeps the message, and all behind it on the connection, from being obeyed
	// until the channel is closed, even if the connection has ended meanwhile: a real
	// switch, too, goes on with what a dead connection had sent.
	Hold <-chan struct{}

	// Refuse answers with this error and does not obey.
	Refuse *Refusal

	// Ignore neither obeys nor answers, as if the message had been lost.
	Ignore bool

	// Mute obeys and loses the answer.
	Mute bool

	// Twice gives every answer two times.
	Twice bool

	// Delay and Until hold back the answer, and all later ones on the connection,
	// for some time or until the channel is closed. The message is obeyed at once.
	Delay time.Duration
	Until <-chan struct{}

	// Close ends the connection after the answer.
	Close bool
}

type armedFault struct{ Fault }

// Inject arms a fault for every connection. Of several that fit a message, the one
// armed first strikes alone. The returned function disarms it, and may be called at
// any time and more than once.
func (s *Switch) Inject(f Fault) (disarm func()) {
	if f.On == 0 {
		f.On = MsgGroupMod
	}
	if f.Times == 0 {
		f.Times = 1
	}
	armed := &armedFault{f}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, armed)
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.disarm(armed)
	}
}

// Refuse makes the switch answer the next GROUP_MOD with an OpenFlow error and not
// obey it.
func (s *Switch) Refuse(r Refusal) { s.Inject(Fault{Refuse: &r}) }

// faultFor is the fault that strikes a message of this type now, or the zero one.
func (s *Switch) faultFor(t MessageType) Fault {
	for _, f := range s.faults {
		if f.On != t {
			continue
		}
		if f.Skip > 0 {
			f.Skip--
			continue
		}
		struck := f.Fault
		if f.Times > 0 {
			if f.Times--; f.Times == 0 {
				s.disarm(f)
			}
		}
		return struck
	}
	return Fault{}
}

func (s *Switch) disarm(f *armedFault) {
	s.faults = slices.DeleteFunc(s.faults, func(a *armedFault) bool { return a == f })
}
