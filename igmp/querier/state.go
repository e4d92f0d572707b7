package querier

import "net/netip"

// State is what the rest of a program should know of a Querier. It is a plain, comparable value.
type State struct {
	// Querier says that we send the queries.
	Querier bool
	// Elected is who does: our own address, 0.0.0.0 in proxy mode, or the other querier's.
	Elected netip.Addr
	// Timing are the values in force: our own, or those of the other querier.
	Timing Timing
}

// State returns the state as of the latest call.
func (q *Querier) State() State {
	s := State{Querier: q.leading(), Elected: q.addrs[0], Timing: q.timing}
	if !s.Querier {
		s.Elected = q.other.addr
	}
	s.Timing.LMQC = q.cfg.LMQC
	if s.Timing.LMQC == 0 {
		s.Timing.LMQC = s.Timing.RV
	}
	s.Timing.NonQuerier = !s.Querier || q.cfg.newest() == 1
	return s
}

// tell calls OnChange if something has changed since it was last called.
func (q *Querier) tell() {
	s := q.State()
	if s == q.told {
		return
	}
	q.told = s
	if q.cfg.OnChange != nil {
		q.cfg.OnChange(s)
	}
}
