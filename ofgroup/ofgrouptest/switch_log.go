package ofgrouptest

import "bytes"

// Logged is one GROUP_MOD as the switch received it.
type Logged struct {
	Message []byte   // the whole message, header included
	Refused *Refusal // what it was answered with, or nil when it was obeyed or lost
}

// messageLog keeps the newest messages, as many as fit.
type messageLog struct {
	entries []Logged
	bytes   int
	limit   int
}

func (l *messageLog) add(m []byte, refused *Refusal) {
	l.entries = append(l.entries, Logged{Message: m, Refused: refused})
	l.bytes += len(m)
	for l.bytes > l.limit && len(l.entries) > 1 {
		l.bytes -= len(l.entries[0].Message)
		l.entries[0] = Logged{}
		l.entries = l.entries[1:]
	}
}

// GroupModLog returns the newest GROUP_MODs of all connections in the order of their
// arrival, refused ones included. The memory is the caller's.
func (s *Switch) GroupModLog() []Logged {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]Logged, len(s.log.entries))
	for i, e := range s.log.entries {
		out[i].Message = bytes.Clone(e.Message)
		if e.Refused != nil {
			r := *e.Refused
			out[i].Refused = &r
		}
	}
	return out
}

// GroupMods is the number of GROUP_MODs received since the start or ResetCounts, the
// refused and the ignored included.
func (s *Switch) GroupMods() int { return s.Count(MsgGroupMod) }

// Count is the number of messages of one type received since the start or
// ResetCounts, on all connections.
func (s *Switch) Count(t MessageType) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.counts[t]
}

// ResetCounts sets every counter to zero and empties the log. Groups stay.
func (s *Switch) ResetCounts() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.counts[:])
	s.log.entries, s.log.bytes = nil, 0
}
