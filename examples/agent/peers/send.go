package peers

import (
	"maps"
	"net/netip"
	"slices"
	"time"

	"github.com/ofmcast/ofmcast/igmp"
	"github.com/ofmcast/ofmcast/mcast"
)

// Next says when there is something to send, if ever.
func (x *Exchange) Next() (time.Time, bool) {
	next := x.all
	earlier := func(t time.Time) {
		if next.IsZero() || t.Before(next) {
			next = t
		}
	}
	for _, w := range x.changed {
		earlier(latest(w.due, x.quiet))
	}
	for _, due := range x.answers {
		earlier(due)
	}
	if x.asks.left > 0 {
		earlier(x.asks.due)
	}
	return next, !next.IsZero()
}

func latest(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

// Advance returns what is to be sent now. The frames are the caller's.
func (x *Exchange) Advance(now time.Time) []Packet {
	if len(x.peers) == 0 {
		x.forget(now)
		return nil
	}
	out := append(x.askDue(now), x.changesDue(now)...)
	if !x.all.IsZero() && !now.Before(x.all) {
		out = append(out, x.reports(netip.Addr{}, x.everything())...)
		x.all = now.Add(x.cfg.Interval)
	}
	for _, to := range x.answersDue(now) {
		out = append(out, x.reports(to, x.everything())...)
	}
	return out
}

// forget: nobody is there to be told of changes.
func (x *Exchange) forget(now time.Time) {
	for g, w := range x.changed {
		w.left = 0
		x.settle(g, w)
	}
	x.asks.left = 0
	if !x.all.IsZero() {
		x.all = now.Add(x.cfg.Interval)
	}
}

// settle drops what needs no report of its own any more.
func (x *Exchange) settle(g mcast.Group, w *want) {
	if w.left > 0 {
		return
	}
	delete(x.changed, g)
	if w.filter.IsNone() {
		delete(x.wants, g)
	}
}

// take takes one of the series if it is due.
func (s *series) take(now time.Time) bool {
	if s.left == 0 || now.Before(s.due) {
		return false
	}
	s.left--
	s.due = now.Add(repeatAfter)
	return true
}

// changesDue are the reports of changes that are due, in as few packets as can be.
func (x *Exchange) changesDue(now time.Time) []Packet {
	if now.Before(x.quiet) {
		return nil
	}
	records := byVLAN{}
	for _, g := range slices.SortedFunc(maps.Keys(x.changed), mcast.Group.Compare) {
		if w := x.changed[g]; w.take(now) {
			records.add(g, x.change(g.Addr, w.filter)...)
			x.settle(g, w)
		}
	}
	if len(records) > 0 {
		x.quiet = now.Add(pace)
	}
	return x.reports(netip.Addr{}, records)
}

func (x *Exchange) answersDue(now time.Time) []netip.Addr {
	var to []netip.Addr
	for a, due := range x.answers {
		if !now.Before(due) {
			to = append(to, a)
			delete(x.answers, a)
		}
	}
	slices.SortFunc(to, netip.Addr.Compare)
	return to
}

// askDue is the query of a start. It goes without a VLAN: the answer is about all of them.
func (x *Exchange) askDue(now time.Time) []Packet {
	if !x.asks.take(now) {
		return nil
	}
	return x.packets(netip.Addr{}, 0, &igmp.Query{
		Version: 3, Group: netip.IPv4Unspecified(), MaxResp: maxResponse, QRV: uint8(min(x.cfg.Robustness, 7)), QQI: x.cfg.Interval,
	})
}

// packets are a message as it goes through the tunnel.
func (x *Exchange) packets(to netip.Addr, vlan uint16, m igmp.Message) []Packet {
	h := igmp.Header{EthSrc: x.cfg.MAC, Src: x.cfg.Node}
	if vlan != 0 {
		h.VLANs = []igmp.VLAN{{ID: vlan}}
	}
	frame, err := igmp.AppendFrame(nil, h, m)
	if err != nil {
		return nil // of a group that no report can be about
	}
	return []Packet{{to, frame}}
}
