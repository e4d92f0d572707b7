package mcast

import (
	"math"
	"net/netip"
	"time"
)

// Forever is the time left of what has no timer.
const Forever time.Duration = math.MaxInt64

// Membership is what one owner holds of one member of one group, with its
// timers, as it was at one moment: for pages and tools, and in a [Snapshot]. It
// owns its memory. Times are relative to that moment.
type Membership[M comparable] struct {
	// Group is the group.
	Group Group
	// Member is the member. It may be there for several owners, each with a
	// Membership of its own.
	Member M
	// Owner is who holds it.
	Owner Owner
	// Mode is the filter mode of RFC 9776 section 6.2.1.
	Mode Mode
	// Left is what the group timer has left (6.2.2) in Exclude mode: more than
	// 0, and Forever for a static owner. In Include mode it is 0.
	Left time.Duration
	// Sources are the source records (6.2.3) in ascending order.
	Sources []SourceTimer
	// V1 and V2 are how long an IGMPv1 and an IGMPv2 host is taken to be there
	// (7.3.2); 0 if there is none.
	V1, V2 time.Duration
	// Age is how long ago the membership began, in whole seconds.
	Age time.Duration
	// Leaving says that a leave or a query has lowered a timer: without an
	// answer something of the membership ends with it.
	Leaving bool
	// Unconfirmed says that the membership was restored and that no report
	// about it has come since (contract T4).
	Unconfirmed bool
}

// SourceTimer is a source record of RFC 9776 section 6.2.3.
type SourceTimer struct {
	// Addr is the source.
	Addr netip.Addr
	// Left is what its timer has left, Forever for a static owner. With time
	// left the source is wanted; 0, in Exclude mode only, is a blocked one.
	Left time.Duration
}

// Filter is what the owner wants.
func (m *Membership[M]) Filter() Filter {
	exclude := m.Mode == Exclude
	var list []netip.Addr
	for _, s := range m.Sources {
		if (s.Left == 0) == exclude {
			list = append(list, s.Addr)
		}
	}
	return newFilter(exclude, list)
}

// TimeLeft is how long the membership lasts without another report; Forever
// for a static owner.
func (m *Membership[M]) TimeLeft() time.Duration {
	left := m.Left
	for _, s := range m.Sources {
		left = max(left, s.Left)
	}
	return left
}

// Version is the member's compatibility mode of RFC 9776 section 7.3.2: the
// IGMP version of the oldest host behind it.
func (m *Membership[M]) Version() uint8 {
	switch {
	case m.V1 > 0:
		return 1
	case m.V2 > 0:
		return 2
	default:
		return 3
	}
}

// check returns why a membership cannot be, or "". Its group and its sources
// are plain already.
func (m *Membership[M]) check() string {
	what := Report[M]{Group: m.Group, Member: m.Member, Kind: ModeIsInclude, Owner: m.Owner, At: time.Unix(0, 0)}
	switch why := what.check(); {
	case why != "":
		return why
	case m.Mode != Include && m.Mode != Exclude:
		return "unknown mode"
	case m.V1 < 0 || m.V2 < 0 || m.Age < 0 || m.Left < 0:
		return "negative time"
	case m.Mode == Include && (m.Left != 0 || len(m.Sources) == 0):
		return "nothing is wanted"
	case m.Mode == Exclude && !m.running(m.Left):
		return "group timer that the owner cannot have"
	}
	for i, s := range m.Sources {
		switch why := m.Group.sourceFault(s.Addr); {
		case why != "":
			return why
		case i > 0 && !m.Sources[i-1].Addr.Less(s.Addr):
			return "sources are not in order"
		case !m.running(s.Left) && (s.Left != 0 || m.Mode == Include):
			return "source timer that the owner cannot have"
		}
	}
	return ""
}

// running says that a timer of this owner can have that much left: all of a
// static one's are without end, and no other's are.
func (m *Membership[M]) running(left time.Duration) bool {
	return left > 0 && (left == Forever) == (m.Owner.Kind == Static)
}
