package ofconn

import (
	"sync"
	"sync/atomic"
)

// lasting is what the sessions of a Conn have in common: it outlives each of them.
type lasting struct {
	log       *damper
	settings  settings
	bundleIDs atomic.Uint32 // the last one given out
}

// setting is a message that says how the switch is to treat this one connection: it
// forgets it when the connection ends.
//
// To add one: a place in the order, the method, and a word in the package comment.
type setting interface {
	Message
	place() int
}

// The order in which settings are sent: the form of events is settled before the first
// one can come.
const (
	placeControllerID = iota
	placeFormat
	placeAsync
	placeSwitchConfig
	places
)

func (ControllerID) place() int   { return placeControllerID }
func (PacketInFormat) place() int { return placeFormat }
func (AsyncConfig) place() int    { return placeAsync }
func (SwitchConfig) place() int   { return placeSwitchConfig }

// settings are the newest ones of each kind that the switch has taken, or is to take.
type settings struct {
	mu     sync.Mutex
	latest [places]setting
	role   Role // RoleNoChange if none was ever asked for
}

// keep remembers a message for the next connection, if it is a setting.
func (s *settings) keep(m Message) {
	if m, ok := m.(setting); ok {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.latest[m.place()] = m
	}
}

// keepRole remembers which role was asked for.
func (s *settings) keepRole(r Role) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r != RoleNoChange {
		s.role = r
	}
}

func (s *settings) wantedRole() Role {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.role
}

// inOrder are the settings to send to a new connection.
func (s *settings) inOrder() []setting {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []setting
	for _, m := range s.latest {
		if m != nil {
			all = append(all, m)
		}
	}
	return all
}
