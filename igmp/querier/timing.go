package querier

import "time"

const (
	defaultRV   = 2
	defaultQI   = 125 * time.Second
	defaultQRI  = 10 * time.Second
	defaultLMQI = time.Second

	// What is believed of another querier's values.
	minLearntQI = time.Second
	maxLearntQI = 600 * time.Second
	maxQRV      = 7

	// respV1 is how long hosts take to answer a v1 query (RFC 2236 4).
	respV1 = 10 * time.Second
)

// Timing is the protocol's timing (RFC 9776 8). It is complete: no field has to be replaced by a default. A membership
// cache has the same fields, so that one converts to the other.
type Timing struct {
	// RV is the robustness variable (8.1).
	RV int
	// QI is the time between general queries (8.2).
	QI time.Duration
	// QRI is the time hosts have to answer a general query (8.3).
	QRI time.Duration
	// LMQI is the time hosts have to answer a specific query, and the time between two of them (8.8).
	LMQI time.Duration
	// LMQC is how many specific queries are sent (8.9).
	LMQC int
	// NonQuerier says that leaves call for no query of ours: another router queries, or we do in version 1, which
	// has no specific queries (7.3.1).
	NonQuerier bool
}

// OtherQuerierPresent is how long the last general query of another querier counts (RFC 9776 8.5). 255 s by default.
func (t Timing) OtherQuerierPresent() time.Duration {
	return time.Duration(t.RV)*t.QI + t.QRI/2
}

// learn takes the values of the elected querier's general query into t, which has been our own or what the same querier
// told before. own bounds them.
func (t *Timing) learn(h *Heard, own Timing) {
	if h.Version == 3 {
		t.RV, t.QI = own.RV, own.QI
		if h.QRV > 0 {
			t.RV = int(min(h.QRV, maxQRV))
		}
		if h.QQI > 0 {
			t.QI = min(max(h.QQI, minLearntQI), max(maxLearntQI, own.QI))
		}
	}
	t.QRI = max(own.QRI, min(h.MaxResp, t.QI))
}
