package mroute

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Status is what a Router has done so far. It shares nothing with the Router.
type Status struct {
	// Entries are in the order of group and source.
	Entries []Entry
	Stats   RouterStats
}

// Entry is one stream of a Router.
type Entry struct {
	SG
	// In is the name of the interface where the stream has to arrive.
	In string
	// Out are the names of the interfaces where it leaves, in the Policy's order. None: a negative entry.
	Out []string
	// Packets is the number of packets at In, and WrongIf of those elsewhere, which were dropped. Bytes are those of both.
	Packets, Bytes, WrongIf uint64
	// Since is when the Router made the entry, or took it over.
	Since time.Time
	// LastPacket is when a count showed new packets at In, or when the entry was made.
	LastPacket time.Time
	// Pending says that the kernel does not have what the Policy wants, and that it is tried again with each tick.
	Pending bool
}

// Negative says that the stream is known, and leaves nowhere.
func (e Entry) Negative() bool { return len(e.Out) == 0 }

// String is "(198.51.100.1, 233.252.0.1) eth0 > eth1 eth2".
func (e Entry) String() string {
	return strings.TrimRight(fmt.Sprintf("%v %s > %s", e.SG, e.In, strings.Join(e.Out, " ")), " ")
}

// RouterStats are counters.
type RouterStats struct {
	// NoCache and WrongVIF are upcalls by kind; Ignored are others, and those about groups that are never routed.
	NoCache, WrongVIF, Ignored uint64
	// Refused are NoCache upcalls beyond MaxEntries, which got no entry.
	Refused uint64
	// Moves are streams that got another incoming interface.
	Moves uint64
	// Stale are entries removed for want of packets.
	Stale uint64
	// Lost are routes that the kernel had lost, or that somebody else had changed. It has them again, or need not have.
	Lost uint64
	// Failed are calls that the kernel refused. What they were for is tried again.
	Failed uint64
}

func (c *core) status(now time.Time) Status {
	c.recount(now)
	s := Status{Stats: c.stats, Entries: make([]Entry, 0, len(c.flows))}
	for _, f := range c.flows {
		s.Entries = append(s.Entries, Entry{
			SG: f.SG, In: f.in, Out: slices.Clone(f.out),
			Packets: f.counters.Good(), Bytes: f.counters.Bytes, WrongIf: f.counters.WrongIf,
			Since: f.since, LastPacket: f.goodAt, Pending: f.pending,
		})
	}
	slices.SortFunc(s.Entries, func(a, b Entry) int {
		if by := a.Group.Compare(b.Group); by != 0 {
			return by
		}
		return a.Source.Compare(b.Source)
	})
	return s
}
