package ofconn

import "sync/atomic"

// Stats counts what a session did since Open.
type Stats struct {
	Sent     uint64 // requests written, GROUP_MODs and queries; no barriers, no echoes
	Barriers uint64 // barrier requests written
	Writes   uint64 // writes that carried them all
	Refused  uint64 // requests the switch refused

	Bundles       uint64 // bundles the switch has carried out
	BundleRetries uint64 // bundles sent again because the switch had thrown them away

	// Unmatched counts answers that nobody waited for: late, sent twice, of a
	// number never used, or not of the kind that was asked for.
	Unmatched uint64
	// Ignored counts messages of types or versions that are of no use here,
	// and echo requests that came faster than answers could be written.
	Ignored uint64

	// Pending is the number of calls that wait at this moment, and of messages in
	// bundles that do.
	Pending int
}

// Stats returns the counts so far. Each is exact; they are not of one instant.
func (s *Session) Stats() Stats {
	return Stats{
		Sent: s.stats.sent.Load(), Barriers: s.stats.barriers.Load(), Writes: s.stats.writes.Load(),
		Refused: s.ledger.refusals.Load(), Unmatched: s.stats.unmatched.Load(), Ignored: s.stats.ignored.Load(),
		Bundles: s.stats.bundles.Load(), BundleRetries: s.stats.bundleRetries.Load(),
		Pending: s.ledger.pending(),
	}
}

type counters struct {
	sent, barriers, writes, unmatched, ignored, bundles, bundleRetries atomic.Uint64
}

// wrote counts a batch as it is handed to the connection.
func (c *counters) wrote(b batch) {
	c.sent.Add(uint64(b.messages))
	c.barriers.Add(uint64(b.barriers))
	c.writes.Add(1)
}

// matched counts an answer that found nobody.
func (c *counters) matched(ok bool) {
	if !ok {
		c.unmatched.Add(1)
	}
}
