package main

import (
	"context"
	"net/netip"
	"time"

	"github.com/ofmcast/ofmcast/igmp"
	"github.com/ofmcast/ofmcast/igmp/igmpconn"
	"github.com/ofmcast/ofmcast/igmp/querier"
	"github.com/ofmcast/ofmcast/igmp/snooper"
	"github.com/ofmcast/ofmcast/mcast"
)

// monitor is the wiring of the packages, without an interface and without a clock: frames become
// records and queries (igmp/snooper), records become memberships (mcast), and queries go to the
// election (igmp/querier), which says when and what to ask. All its methods are for one goroutine.
type monitor struct {
	opts    options
	snooper *snooper.Snooper
	cache   *mcast.Cache[igmp.MAC]
	changes *mcast.Watcher[igmp.MAC]
	querier *querier.Querier // nil as long as there is no interface to ask on
	state   querier.State    // of which the cache and the reader have been told
	hosts   map[igmp.MAC]host
	send    func(frame []byte) error

	now    time.Time
	link   igmpconn.Link // as it is now
	events []event       // not yet shown
	counts counts
}

// host is what is known of a member besides its Ethernet address.
type host struct {
	addr    netip.Addr
	version uint8 // of its latest report
}

// counts are for people.
type counts struct{ sent, failed, reports, refused uint64 }

// port is the interface, as the snooper sees it: one that leads to everybody.
const port snooper.Port = 1

func newMonitor(o options, now time.Time) *monitor {
	m := &monitor{opts: o, snooper: snooper.New(snooper.Config{}), hosts: map[igmp.MAC]host{}, now: now}
	m.snooper.SetRole(port, snooper.Trusted)
	q, _ := o.newQuerier(sample)
	m.cache = mcast.New(mcast.Config[igmp.MAC]{Timing: mcast.Timing(q.State().Timing), Query: m.ask})
	m.changes = m.cache.Watch(0)
	m.cache.HoldAging(true) // until there is an interface
	return m
}

// sample stands for an interface that is still to come.
var sample = igmpconn.Link{MAC: igmp.MAC{2}, Addrs: []netip.Addr{netip.MustParseAddr("192.0.2.1")}}

// newQuerier makes the querier of a link.
func (o *options) newQuerier(l igmpconn.Link) (*querier.Querier, error) {
	return querier.New(querier.Config{
		MAC: l.MAC, MTU: l.MTU, Addrs: o.addrs(l), Versions: []uint8{uint8(o.version)}, QI: o.interval, QRI: o.response,
	})
}

// addrs are the addresses to ask from, the first of which stands in the election.
func (o *options) addrs(l igmpconn.Link) []netip.Addr {
	if o.proxy {
		return append([]netip.Addr{netip.IPv4Unspecified()}, l.Addrs...)
	}
	return l.Addrs
}

// frame takes in a frame.
func (m *monitor) frame(f igmpconn.Frame) {
	m.advance(f.At)
	r := m.snooper.Frame(port, f.Data, f.At)
	if r.VLAN != 0 {
		return // of another link that shares the wire
	}
	for i := range r.Records {
		m.apply(&r.Records[i])
	}
	if r.Query != nil && !f.Outgoing {
		m.heard(r.Query)
	}
	m.advance(f.At)
}

// apply hands a record to the cache. The seam is thin because both packages use the RFC's record types.
func (m *monitor) apply(rec *snooper.Record) {
	err := m.cache.Apply(mcast.Report[igmp.MAC]{
		Group: mcast.Group{Addr: rec.Group}, Member: rec.Host.MAC, Kind: mcast.Kind(rec.Kind),
		Sources: rec.Sources, Version: rec.Version, At: rec.At,
	})
	if err != nil {
		m.counts.refused++ // what a stranger may say must not end the program
		return
	}
	m.counts.reports++
	h := host{rec.Host.Addr, rec.Version}
	if old, known := m.hosts[rec.Host.MAC]; known && h.addr.IsUnspecified() {
		h.addr = old.addr
	}
	m.hosts[rec.Host.MAC] = h
}

// heard tells the election and the timers of somebody's query.
func (m *monitor) heard(q *snooper.Query) {
	if !q.General() {
		m.cache.QuerySeen(mcast.SeenQuery{
			Group: mcast.Group{Addr: q.Group}, Sources: q.Sources, Suppress: q.SuppressRouter, MaxResponse: q.MaxResp, At: q.At,
		})
	}
	if m.querier == nil {
		return
	}
	m.querier.HandleQuery(querier.Heard{
		Src: q.Host.Addr, Version: q.Version, Group: q.Group, MaxResp: q.MaxResp, QRV: q.QRV, QQI: q.QQI, At: q.At,
	})
	m.adopt()
}

// advance moves the clock and does what is due.
func (m *monitor) advance(now time.Time) {
	if now.Before(m.now) {
		now = m.now
	}
	m.now = now
	if m.querier != nil {
		_ = m.transmit(m.querier.Advance(now)) // which counts what fails
		m.adopt()
	}
	m.snooper.Advance(now)
	m.cache.Advance(now)
	_ = m.cache.Flush(context.Background()) // ask counts what fails
	m.collect()
}

// ask sends a specific query for the cache.
func (m *monitor) ask(_ context.Context, r mcast.QueryRequest[igmp.MAC]) error {
	if m.querier == nil {
		return igmpconn.ErrGone
	}
	frames, err := m.querier.Specific(r.Group.Addr, r.Sources, r.Suppress, r.MaxResponse)
	if err != nil {
		return err
	}
	return m.transmit(frames)
}

func (m *monitor) transmit(frames [][]byte) (failed error) {
	for _, f := range frames {
		if err := m.send(f); err != nil {
			failed = err
			m.counts.failed++
			continue
		}
		m.counts.sent++
	}
	return failed
}

// next is when advance has something to do.
func (m *monitor) next() (time.Time, bool) {
	next, ok := m.cache.Next()
	if m.querier != nil && (!ok || m.querier.Next().Before(next)) {
		next, ok = m.querier.Next(), true
	}
	return next, ok
}
