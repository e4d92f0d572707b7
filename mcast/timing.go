package mcast

import "time"

// Timing is the protocol's timing, RFC 9776 section 8. Zero fields take the
// RFC's default; the zero Timing is that of a querier with all defaults.
type Timing struct {
	// RV is the robustness variable (8.1); default 2.
	RV int
	// QI is the time between general queries (8.2); default 125 s.
	QI time.Duration
	// QRI is the time hosts have to answer a general query (8.3); default 10 s.
	QRI time.Duration
	// LMQI is the time hosts have to answer a specific query, and the time
	// between two of them (8.8); default 1 s.
	LMQI time.Duration
	// LMQC is how many specific queries are sent (8.9); default RV.
	LMQC int
	// NonQuerier says that another router queries. Then leaves are left to
	// it: no query is scheduled, and QuerySeen lowers the timers.
	NonQuerier bool
}

// withDefaults fills what is zero or makes no sense.
func (t Timing) withDefaults() Timing {
	if t.RV <= 0 {
		t.RV = 2
	}
	if t.QI <= 0 {
		t.QI = 125 * time.Second
	}
	if t.QRI <= 0 {
		t.QRI = 10 * time.Second
	}
	if t.LMQI <= 0 {
		t.LMQI = time.Second
	}
	if t.LMQC <= 0 {
		t.LMQC = t.RV
	}
	t.RV, t.LMQC = min(t.RV, maxCount), min(t.LMQC, maxCount)
	t.QI, t.QRI, t.LMQI = min(t.QI, maxInterval), min(t.QRI, maxInterval), min(t.LMQI, maxInterval)
	return t
}

// What makes no sense is bounded, so that no product of it overflows: counts to
// what a source's counter holds, times to more than IGMP can say (31,744 s).
const (
	maxCount    = 255
	maxInterval = 100 * time.Hour
)

// GMI is the Group Membership Interval: after that long without a report a
// membership ends (RFC 9776 section 8.4). 270 s by default.
func (t Timing) GMI() time.Duration {
	t = t.withDefaults()
	return time.Duration(t.RV)*t.QI + 2*t.QRI
}

// LMQT is the Last Member Query Time: how long a leave waits for an answer to
// the queries (RFC 9776 section 8.10). 2 s by default.
func (t Timing) LMQT() time.Duration {
	t = t.withDefaults()
	return time.Duration(t.LMQC) * t.LMQI
}

// OlderHost is the Older Host Present Interval: how long after its last report
// an IGMPv1 or IGMPv2 host is taken to be there (RFC 9776 section 8.13).
// 260 s by default.
func (t Timing) OlderHost() time.Duration {
	t = t.withDefaults()
	return time.Duration(t.RV)*t.QI + t.QRI
}

// timing is a Timing with all that is derived from it.
type timing struct {
	Timing
	gmi, lmqt, olderHost time.Duration
}

func newTiming(t Timing) timing {
	return timing{t.withDefaults(), t.GMI(), t.LMQT(), t.OlderHost()}
}
