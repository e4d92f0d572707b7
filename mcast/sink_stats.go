package mcast

import (
	"errors"
	"time"
)

// SinkStatistics are the counters of one sink. Those under "now" are what there
// is; the others only grow, but for what is called last. Times are those of
// the cache: under Flush none passes during a call.
type SinkStatistics struct {
	// Name is the sink's name.
	Name string
	// Pending is the number of groups that it has still to be told something
	// about now, those under way included; Failing of them are to be told again.
	Pending, Failing int
	// Running is the calls under way now. The oldest of them began at
	// RunningSince, which is zero when there is none: when that is long ago,
	// the sink is stuck.
	Running      int
	RunningSince time.Time
	// Syncs are the calls of Sync that have ended, Errors those that failed.
	Syncs, Errors uint64
	// Retries are the Syncs that were made because the one before had failed.
	Retries uint64
	// Skipped are the calls that were saved because the changes had undone
	// each other.
	Skipped uint64
	// Prunes are the calls of Prune that have ended, PruneErrors those that failed.
	Prunes, PruneErrors uint64
	// Panics are the failures, of either, that were panics.
	Panics uint64
	// LastDuration, MaxDuration and TotalDuration are how long the calls took
	// that have ended, of Sync and of Prune.
	LastDuration, MaxDuration, TotalDuration time.Duration
	// LastError is the newest failure, and LastErrorAt its time; nil and zero
	// when there was none. A later success leaves them.
	LastError   error
	LastErrorAt time.Time
}

func (c *Cache[M]) sinkStatistics(s *sink[M]) SinkStatistics {
	out := s.count
	out.Name, out.Running, out.Failing = s.name, s.calls, s.failing
	out.Pending = s.fresh.n + s.retry.n + s.later.len() + s.calls
	if s.calls > 0 {
		out.RunningSince = c.clock.out(s.oldest())
	}
	return out
}

// noteCall counts a call that has ended. One that was cut short by the end of
// Run has not failed.
func (c *Cache[M]) noteCall(s *SinkStatistics, j job[M], err error, cut bool) {
	now := c.moment()
	failed := err != nil && !cut
	if j.d == nil {
		s.Prunes++
		s.PruneErrors += one(failed)
	} else {
		s.Syncs++
		s.Errors += one(failed)
		s.Retries += one(j.again)
	}
	s.LastDuration = time.Duration(now - j.began)
	s.MaxDuration = max(s.MaxDuration, s.LastDuration)
	s.TotalDuration += s.LastDuration
	if failed {
		s.Panics += one(errors.Is(err, ErrPanic))
		s.LastError, s.LastErrorAt = err, c.clock.out(now)
	}
}
