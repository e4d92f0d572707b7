package snooper

import "iter"

// Counts is one number a verdict.
type Counts [numVerdicts]uint64

// All yields every verdict with its number, zeros included, in the order of the constants.
func (c *Counts) All() iter.Seq2[Verdict, uint64] {
	return func(yield func(Verdict, uint64) bool) {
		for v := Verdict(1); v < numVerdicts; v++ {
			if !yield(v, c[v]) {
				return
			}
		}
	}
}

// Total returns the sum.
func (c *Counts) Total() uint64 {
	var sum uint64
	for _, n := range c {
		sum += n
	}
	return sum
}

// Counters is what a Snooper has seen since New. It is a plain value: a copy stays as it is.
type Counters struct {
	// Frames has each frame once, under its verdict.
	Frames Counts
	// Records has each record once, under its verdict, of all reports and leaves that were well-formed and passed
	// Checks and the rate limits. An IGMPv1 or IGMPv2 message is one record.
	Records Counts
	// SourcesIgnored counts sources left out of records because no packet can come from them.
	SourcesIgnored uint64
	// RouterPortsLearnt counts pairs of port and VLAN that became router ports; a refresh does not count.
	RouterPortsLearnt uint64
	// RouterPortsExpired counts those that ended because their time was over.
	RouterPortsExpired uint64
	// RouterPortsEnded counts those that ended because their last router said so.
	RouterPortsEnded uint64
	// RouterPortsRefused counts signs of a router that were not learnt because of Config.MaxRouterPorts.
	RouterPortsRefused uint64
}

// Counters returns a snapshot.
func (s *Snooper) Counters() Counters { return s.counters }
