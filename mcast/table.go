package mcast

import "net/netip"

// filterState is what RFC 9776 section 6.2 keeps for a group on an interface.
// Here the interface is a member.
type filterState struct {
	// timer is the group timer. It is stopped in INCLUDE mode: the mode is
	// EXCLUDE exactly while it runs.
	timer instant
	// leaving says that a leave or a query lowered the timer.
	leaving bool
	// sources are in ascending order. In INCLUDE mode they are the RFC's A,
	// in EXCLUDE mode X (deadline set) and Y (deadline stopped).
	sources []source
}

// source is a source record of RFC 9776 section 6.2.3.
type source struct {
	addr     netip.Addr
	deadline instant // of the source timer; stopped in Y
	resend   uint8   // queries still to be sent (section 6.6.3.2)
	leaving  bool    // a leave or a query lowered the timer
	ask      bool    // only while a report is handled: the table says Send Q(G,S)
}

func (f *filterState) exclude() bool { return f.timer != stopped }

// fate is what a table cell does with a source.
type fate uint8

const (
	drop    fate = iota // Delete
	keep                // as it is
	refresh             // (S)=GMI, into A or X
	inherit             // (S)=Group Timer, into X
	block               // (S)=0, into Y
	// ask is added to a fate: Send Q(G,S).
	ask fate = 0x80
)

// cell is one row of the tables in RFC 9776 section 6.4. For a source that is
// in A or X, in Y, in the report's list R, or in two of them, it says what
// becomes of it.
type cell struct {
	x, xr, y, yr, r fate
	timer           bool // Group Timer=GMI, and so EXCLUDE mode
	query           bool // Send Q(G)
}

// The tables of RFC 9776 section 6.4. Sections 6.4.1 (current state) and 6.4.2
// (changes) in the order of the RFC. ALLOW is as IS_IN in both modes.
var (
	includeCells = [...]cell{
		ModeIsInclude:   {x: keep, xr: refresh, r: refresh},
		ModeIsExclude:   {x: drop, xr: keep, r: block, timer: true},
		AllowNewSources: {x: keep, xr: refresh, r: refresh},
		BlockOldSources: {x: keep, xr: keep | ask, r: drop},
		ChangeToExclude: {x: drop, xr: keep | ask, r: block, timer: true},
		ChangeToInclude: {x: keep | ask, xr: refresh, r: refresh},
	}
	excludeCells = [...]cell{
		ModeIsInclude:   {x: keep, xr: refresh, y: keep, yr: refresh, r: refresh},
		ModeIsExclude:   {x: drop, xr: keep, y: drop, yr: keep, r: refresh, timer: true},
		AllowNewSources: {x: keep, xr: refresh, y: keep, yr: refresh, r: refresh},
		BlockOldSources: {x: keep, xr: keep | ask, y: keep, yr: keep, r: inherit | ask},
		ChangeToExclude: {x: drop, xr: keep | ask, y: drop, yr: keep, r: inherit | ask, timer: true},
		ChangeToInclude: {x: keep | ask, xr: refresh, y: keep, yr: refresh, r: refresh, query: true},
	}
)

// cellFor finds the row. A row's number is the record type.
func (f *filterState) cellFor(k Kind) *cell {
	if f.exclude() {
		return &excludeCells[k]
	}
	return &includeCells[k]
}

// report is f after a record with the list rep, which is in ascending order;
// timers that are set to GMI end at gmiEnd. What it returns keeps its sources
// in buf, and has ask set where the table says so; sending is up to the caller.
func (f *filterState) report(c *cell, rep []netip.Addr, gmiEnd instant, buf []source) filterState {
	out := filterState{timer: f.timer, leaving: f.leaving, sources: buf[:0]}
	cur := f.sources
	for len(cur) > 0 || len(rep) > 0 {
		var s source
		do := c.r
		switch order := compareHeads(cur, rep); {
		case order > 0:
			s, rep = source{addr: rep[0]}, rep[1:]
		case order < 0:
			s, do = cur[0], c.fate(cur[0], false)
			cur = cur[1:]
		default:
			s, do = cur[0], c.fate(cur[0], true)
			cur, rep = cur[1:], rep[1:]
		}
		if s.become(do, f, gmiEnd) {
			out.sources = append(out.sources, s)
		}
	}
	if c.timer {
		out.timer, out.leaving = gmiEnd, false
	}
	return out
}

// compareHeads says which list has the lower address in front.
func compareHeads(cur []source, rep []netip.Addr) int {
	switch {
	case len(cur) == 0:
		return 1
	case len(rep) == 0:
		return -1
	default:
		return cur[0].addr.Compare(rep[0])
	}
}

func (c *cell) fate(s source, reported bool) fate {
	inY := s.deadline == stopped
	switch {
	case inY && reported:
		return c.yr
	case inY:
		return c.y
	case reported:
		return c.xr
	default:
		return c.x
	}
}

// become applies a fate and says whether the source stays.
func (s *source) become(do fate, f *filterState, gmiEnd instant) bool {
	s.ask = do&ask != 0
	switch do &^ ask {
	case refresh:
		s.deadline, s.leaving = gmiEnd, false
	case inherit:
		s.deadline, s.leaving = f.timer, f.leaving
	case block:
		s.deadline = stopped
	case drop:
		return false
	}
	return true
}

// settle ends what has ended, RFC 9776 sections 6.3 and 6.5: in INCLUDE mode
// sources whose timer has ended go, in EXCLUDE mode they go from X to Y, and
// when the group timer has ended the mode is INCLUDE with what was left of X.
// It says when and how the last of the timers ended that have.
func (f *filterState) settle(a asOf) (last cause) {
	last.at = stopped
	if f.exclude() && a.ended(f.timer, f.leaving) {
		last.note(a.end(f.timer, f.leaving), f.leaving)
		f.timer, f.leaving = stopped, false
	}
	kept := f.sources[:0]
	for _, s := range f.sources {
		if s.deadline != stopped && a.ended(s.deadline, s.leaving) {
			last.note(a.end(s.deadline, s.leaving), s.leaving)
			s.deadline, s.resend, s.leaving = stopped, 0, false
		}
		if s.deadline != stopped || f.exclude() {
			kept = append(kept, s)
		}
	}
	f.sources = kept
	return last
}
