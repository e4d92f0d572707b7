package snooper

import (
	"iter"
	"time"
)

// RouterPorts yields the ports of a VLAN that lead to routers, static and learnt, each once, in ascending order, as of
// the latest time that the Snooper was given. Reports go there, and all multicast. The Snooper must not be called
// meanwhile.
func (s *Snooper) RouterPorts(v VLAN) iter.Seq[Port] {
	return func(yield func(Port) bool) { s.routers.each(v, yield) }
}

// Generation changes whenever RouterPorts may yield something else, in whatever VLAN, so that a caller who copies
// router ports into a switch sees at a glance whether there is work.
func (s *Snooper) Generation() uint64 { return s.routers.generation }

// Advance moves time forward: learnt router ports whose time is over end. Frame does it too; Advance is for when no
// frames come. A time before the latest does nothing.
func (s *Snooper) Advance(now time.Time) {
	if now.After(s.now) {
		s.now = now
	}
	if !s.routers.next.IsZero() && !s.routers.next.After(s.now) {
		s.counters.RouterPortsExpired += s.routers.expire(s.now)
	}
}

// Next returns when Advance should be called next, or false if nothing is waiting. Nothing is due before; there may be
// nothing due yet then, because a refresh does not search for the new earliest time.
func (s *Snooper) Next() (time.Time, bool) { return s.routers.next, !s.routers.next.IsZero() }

// learn notes that a router showed itself, for no longer than MaxRouterTimeout.
func (s *Snooper) learn(in *input, by sign, lifetime time.Duration) {
	if in.role == Router {
		return // is one anyway
	}
	rp := s.routers.find(in.vlan, in.port)
	if rp == nil {
		if in.role != Trusted && s.routers.size >= s.cfg.MaxRouterPorts {
			s.counters.RouterPortsRefused++
			return
		}
		rp = s.routers.add(in.vlan, in.port)
		s.counters.RouterPortsLearnt++
	}
	until := s.now.Add(min(lifetime, s.cfg.MaxRouterTimeout))
	rp.refresh(in.Src, by, until)
	s.routers.dueAt(until)
}

// unlearn takes back what a router showed: one sign or all. The port stays a router port for the sake of others.
func (s *Snooper) unlearn(in *input, by sign) {
	rp := s.routers.find(in.vlan, in.port)
	if rp == nil {
		return
	}
	rp.drop(func(n *neighbour) bool { return n.from == in.Src && (by == signAny || by == n.by) })
	if rp.empty() {
		s.routers.remove(in.vlan, in.port)
		s.counters.RouterPortsEnded++
	}
}
