package ofgrouptest

import (
	"bytes"
	"slices"
)

// Logged is one message as the switch received it.
type Logged struct {
	Type    MessageType
	Conn    int      // the connection's number, from 1 in the order they were made
	Message []byte   // the whole message, header included
	Refused *Refusal // what it was answered with, or nil when it was obeyed or ignored
	Ignored bool     // by a Fault, or because the switch hangs
}

// logOverhead is what an entry counts for beside its bytes.
const logOverhead = 64

// messageLog keeps the newest messages, as many as fit.
type messageLog struct {
	entries []Logged
	bytes   int
	limit   int
}

func (l *messageLog) add(e Logged) {
	l.entries = append(l.entries, e)
	l.bytes += len(e.Message) + logOverhead
	for l.bytes > l.limit && len(l.entries) > 1 {
		l.bytes -= len(l.entries[0].Message) + logOverhead
		l.entries[0] = Logged{}
		l.entries = l.entries[1:]
	}
}

// Log returns the newest messages of the types given, or of all but echoes, from all
// connections, in the order the switch took them; refused and ignored ones are included.
// The memory is the caller's.
func (s *Switch) Log(types ...MessageType) []Logged {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Logged
	for _, e := range s.log.entries {
		if !wanted(e.Type, types) {
			continue
		}
		e.Message = bytes.Clone(e.Message)
		if e.Refused != nil {
			r := *e.Refused
			e.Refused = &r
		}
		out = append(out, e)
	}
	return out
}

func wanted(t MessageType, types []MessageType) bool {
	if len(types) == 0 {
		return t != MsgEchoRequest && t != MsgEchoReply
	}
	return slices.Contains(types, t)
}

// GroupModLog is Log for GROUP_MODs.
func (s *Switch) GroupModLog() []Logged { return s.Log(MsgGroupMod) }

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
