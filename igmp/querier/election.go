package querier

import (
	"fmt"
	"net/netip"
	"slices"
	"time"
)

// Heard is a query that somebody sent on the link.
type Heard struct {
	// Src is the IPv4 source.
	Src netip.Addr
	// Version is 1 to 3.
	Version uint8
	// Group is the group asked for; 0.0.0.0 in a general query. It is ignored in version 1, where all are general.
	Group netip.Addr
	// MaxResp is how long hosts may take to answer.
	MaxResp time.Duration
	// QRV and QQI are the sender's robustness variable and query interval, of version 3 only; 0 = not told.
	QRV uint8
	QQI time.Duration
	// At is when it was read.
	At time.Time
}

func (h *Heard) general() bool { return h.Version == 1 || h.Group == unspecified }

func (h *Heard) valid() bool {
	return h.Version >= 1 && h.Version <= 3 && !h.At.IsZero() && (h.Src == unspecified || hostAddr(h.Src)) &&
		(h.general() || h.Group.Is4() && h.Group.IsMulticast())
}

// warnEvery is how far apart warnings about one version are; they must be limited (RFC 9776 7.3.1).
const warnEvery = 10 * time.Minute

// HandleQuery takes a query that came in on the link, our own too. Whether the port it came from may have a querier
// behind it must have been decided before: a general query from a low address silences us.
func (q *Querier) HandleQuery(h Heard) {
	h.Src, h.Group = h.Src.Unmap(), h.Group.Unmap()
	switch {
	case !h.valid():
		q.counters.HeardInvalid++
		return
	case slices.Contains(q.addrs, h.Src):
		q.counters.HeardOwn++
		return
	}
	q.checkVersion(&h)
	switch {
	case !h.general():
		q.counters.HeardSpecific++
	case h.Src == unspecified:
		q.counters.HeardProxy++
	case !q.losesTo(h.Src):
		q.counters.HeardHigher++
	default:
		q.counters.HeardLower++
		q.yield(&h)
	}
}

// checkVersion warns about a querier that speaks another version, which is for the administrator to put right.
func (q *Querier) checkVersion(h *Heard) {
	if slices.Contains(q.cfg.Versions, h.Version) {
		return
	}
	q.counters.OtherVersions++
	if last := q.warned[h.Version]; last.IsZero() || h.At.Sub(last) >= warnEvery {
		q.warned[h.Version] = h.At
		q.cfg.Logger.Warn("IGMP query of another version: all routers of a link must be set to the lowest",
			"from", h.Src, "version", h.Version, "ours", fmt.Sprint(q.cfg.Versions))
	}
}

// losesTo says whether the address wins the election against ours; as a proxy we lose to any.
func (q *Querier) losesTo(a netip.Addr) bool {
	return q.addrs[0] == unspecified || a.Less(q.addrs[0])
}

// yield leaves the link to the sender of a general query that wins against us. While the elected querier, the lowest,
// is alive, a query from between its address and ours only tells that there is somebody: it is from one that begins or
// is about to take over. Its values are taken when the elected one has not been heard for its time.
func (q *Querier) yield(h *Heard) {
	at := later(h.At, q.now)
	if q.leading() {
		q.counters.ElectionsLost++
		q.cfg.Logger.Info("another router is the IGMP querier", "querier", h.Src, "ours", q.addrs[0])
	}
	between := !q.leading() && q.other.addr.Less(h.Src) && at.Before(q.other.until)
	if between {
		q.present = later(q.present, at.Add(q.timing.OtherQuerierPresent()))
		return
	}
	if h.Src != q.other.addr {
		q.timing = q.cfg.timing()
	}
	q.timing.learn(h, q.cfg.timing())
	q.other = other{addr: h.Src, until: at.Add(q.timing.OtherQuerierPresent())}
	q.present = q.other.until
	q.tell()
}

// takeOver makes us the querier when no other has been heard for its time; the general query is due at once (RFC 9776
// 6.6.2).
func (q *Querier) takeOver() {
	q.counters.Takeovers++
	q.cfg.Logger.Info("the IGMP querier is gone, taking over", "querier", q.other.addr, "ours", q.addrs[0])
	q.lead(q.present, 0)
}

// lead makes us the querier, with our own values.
func (q *Querier) lead(due time.Time, startup int) {
	q.other, q.present = other{}, time.Time{}
	q.timing = q.cfg.timing()
	q.due, q.startup = due, startup
	q.tell()
}
