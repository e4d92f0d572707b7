package querier

import (
	"fmt"
	"net/netip"
	"time"

	"github.com/ofmcast/ofmcast/igmp"
)

// Querier is the querier of one link. It is for one goroutine at a time, does no I/O and has no clock.
type Querier struct {
	cfg    Config
	addrs  []netip.Addr // the first is the source of the queries
	timing Timing       // in force, but for LMQC and NonQuerier
	now    time.Time    // the latest that Advance was given; it never goes back

	// While we are the querier.
	due     time.Time // of the next general query; zero = at once
	startup int       // how many of the start are still to be sent; less than one when in the rhythm

	// While another is.
	other   other
	present time.Time // end of the Other Querier Present Timer

	told     State
	warned   [4]time.Time // by version
	counters Counters

	general [][]byte   // the rendered general query, in each version
	query   igmp.Query // a specific one, here for the sake of allocations
	buf     []byte     // what frames point to
	frames  [][]byte
}

// other is another querier; without an address there is none.
type other struct {
	addr  netip.Addr
	until time.Time // with none of its queries after that, it is gone
}

// New returns a Querier that sends its first general query at the first Advance, unless HandleQuery comes first with a
// better one. The error is an *Error.
func New(cfg Config) (*Querier, error) {
	cfg = cfg.withDefaults()
	if err := cfg.check(); err != nil {
		return nil, err
	}
	q := &Querier{cfg: cfg, startup: cfg.RV, timing: cfg.timing()}
	if err := q.setAddrs(opConfigure, cfg.Addrs); err != nil {
		return nil, err
	}
	q.told = q.State()
	if len(cfg.Versions) > 1 {
		cfg.Logger.Warn("IGMP queries of several versions: hosts fall back to the oldest, IGMPv3 hosts send no leaves and no filters",
			"versions", fmt.Sprint(cfg.Versions)) // a []uint8 would be logged as a string of bytes
	}
	return q, nil
}

// leading says whether we are the querier.
func (q *Querier) leading() bool { return !q.other.addr.IsValid() }

// Next returns when Advance should be called next. The zero time, which is long ago, means at once.
func (q *Querier) Next() time.Time {
	if q.leading() {
		return q.due
	}
	return q.present
}

// Advance moves time forward and returns the frames that are to be sent now, in this order: none, or one general query
// in each version. They may be written to, and are valid until the next call of Advance or Specific. Afterwards Next is
// later than now. A time before the latest counts as the latest.
func (q *Querier) Advance(now time.Time) [][]byte {
	q.now = later(q.now, now)
	if !q.leading() && !q.now.Before(q.present) {
		q.takeOver()
	}
	if !q.leading() || q.due.After(q.now) {
		return nil
	}
	q.schedule()
	q.frames, q.buf = q.frames[:0], q.buf[:0]
	for _, frame := range q.general {
		start := len(q.buf)
		q.buf = append(q.buf, frame...)
		q.hand(start)
	}
	q.counters.GeneralQueries += uint64(len(q.frames))
	return q.frames
}

// schedule counts the general query that is due as sent, and sets when the next one is: an interval after this one was
// due, however late it is, so that nothing drifts; but when that is over too, an interval from now.
func (q *Querier) schedule() {
	if q.due.IsZero() {
		q.due = q.now
	}
	interval := q.timing.QI
	if q.startup--; q.startup > 0 {
		interval /= 4 // RFC 9776 8.6
	}
	if q.due = q.due.Add(interval); !q.due.After(q.now) {
		q.due = q.now.Add(interval)
	}
}

// Restart sends the queries of the start anew, the first with the next Advance, if we are the querier, and says whether
// we are. It is for when hosts may have been out of reach: a switch or its ports came back (RFC 4541 2.1.1).
func (q *Querier) Restart() bool {
	if !q.leading() {
		return false
	}
	q.due, q.startup = time.Time{}, q.cfg.RV
	return true
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
