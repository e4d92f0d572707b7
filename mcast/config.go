package mcast

import (
	"context"
	"fmt"
	"log/slog"
	"net/netip"
	"time"
)

// Config is how a cache works. The zero Config does: RFC 9776's timing, every
// leave is queried (but nobody sends the queries), members in the order in
// which they joined.
type Config[M comparable] struct {
	// Timing is the protocol's timing until SetTiming gives another.
	Timing Timing
	// Leave chooses how a member leaves; nil is QueryEach for all. Apply calls
	// it for reports that may be leaves, with no lock held.
	Leave func(M) LeavePolicy
	// Order orders the members of a group; nil, and 0, is by joining. It is
	// called by the methods of State and must always say the same.
	Order func(a, b M) int
	// Query sends a specific query to a member, once: the cache repeats it.
	// It is called by Run, from one goroutine, or by Flush; never with a lock
	// held. An error is counted and changes nothing else. Nil: none is sent,
	// and leaves take their time all the same.
	Query func(context.Context, QueryRequest[M]) error
	// Limits bound the memory.
	Limits Limits
	// StopGrace is how long Run waits for calls under way when it ends;
	// default 5 s.
	StopGrace time.Duration
	// Logger gets failures of sinks and queries; nil is silent.
	Logger *slog.Logger
}

// LeavePolicy says what a leave does.
type LeavePolicy uint8

const (
	// QueryEach asks the member that leaves whether there is another host
	// behind it, and ends the membership when the answer does not come within
	// LMQT. It is the default.
	QueryEach LeavePolicy = iota
	// Immediate ends the membership at once. It is right only where one
	// member is one host.
	Immediate
	// QueryLast is Immediate while the group has other members and QueryEach
	// for the last one. It cuts off a second host behind a member; it is here
	// for parity with agents in the field.
	QueryLast
)

// String is the policy's name.
func (p LeavePolicy) String() string {
	switch p {
	case QueryEach:
		return "QueryEach"
	case Immediate:
		return "Immediate"
	case QueryLast:
		return "QueryLast"
	default:
		return fmt.Sprintf("LeavePolicy(%#02x)", uint8(p))
	}
}

// QueryRequest asks for one specific query to be sent once to one member, RFC
// 9776 section 4.1.11: without Sources group-specific, with them
// group-and-source-specific.
type QueryRequest[M comparable] struct {
	// Group is the group asked about.
	Group Group
	// Member is who is asked.
	Member M
	// Sources are the sources asked about in ascending order, or none. The
	// receiver owns the slice.
	Sources []netip.Addr
	// Suppress is the S flag (4.1.5): other routers shall not lower their timers.
	Suppress bool
	// MaxResponse is the time to answer: LMQI.
	MaxResponse time.Duration
}
