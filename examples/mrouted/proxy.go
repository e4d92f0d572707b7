package main

import (
	"cmp"
	"context"
	"log/slog"
	"time"

	"github.com/ofmcast/ofmcast/igmp/igmpconn"
	"github.com/ofmcast/ofmcast/igmp/querier"
	"github.com/ofmcast/ofmcast/igmp/snooper"
	"github.com/ofmcast/ofmcast/mcast"
)

// proxy is the wiring of the packages, without interfaces, kernel and clock: frames of the inside interfaces become
// records and queries (igmp/snooper), records become memberships (mcast), whose member is the interface, by name; queries
// go to the interface's election (igmp/querier). Memberships become joins outside and routes by a sink. All its methods
// are for one goroutine.
type proxy struct {
	opts    options
	snooper *snooper.Snooper
	cache   *mcast.Cache[string]
	changes *mcast.Watcher[string]
	handle  *mcast.Handle[string] // the sink's, or nil
	policy  *policy
	inside  []*segment

	now    time.Time
	events []event // not yet shown
	counts counts
}

// counts are for people.
type counts struct{ sent, failed, reports, refused uint64 }

func newProxy(o options, now time.Time, log *slog.Logger) *proxy {
	p := &proxy{opts: o, snooper: snooper.New(snooper.Config{}), now: now}
	for i, name := range o.inside {
		s := &segment{name: name, port: snooper.Port(i + 1)}
		p.snooper.SetRole(s.port, snooper.Trusted)
		p.inside = append(p.inside, s)
	}
	p.cache = mcast.New(mcast.Config[string]{Timing: p.timing(), Order: cmp.Compare[string], Query: p.ask, Logger: log})
	p.changes = p.cache.Watch(0)
	p.policy = newPolicy(o, p.cache.Lookup)
	return p
}

// timing is that by which members have the most time. The cache has one for all interfaces, and another querier may ask
// more rarely than we do. A leave is checked by ours all the same: where another queries, it does so in our place.
func (p *proxy) timing() mcast.Timing {
	q, _ := querier.New(p.opts.querierConfig(sample))
	most := mcast.Timing(q.State().Timing)
	for _, s := range p.inside {
		if t := mcast.Timing(s.state.Timing); t.GMI() > most.GMI() {
			most = t
		}
	}
	most.NonQuerier = false
	return most
}

// frame takes in a frame of an inside interface. What this host sends there is not what a host there wants.
func (p *proxy) frame(s *segment, f igmpconn.Frame) {
	p.advance(f.At)
	if f.Outgoing {
		return
	}
	r := p.snooper.Frame(s.port, f.Data, f.At)
	if r.VLAN != 0 {
		return // of another link that shares the wire
	}
	for i := range r.Records {
		p.apply(s, &r.Records[i])
	}
	if r.Query != nil {
		p.heard(s, r.Query)
	}
	p.advance(f.At)
}

// apply hands a record to the cache. The seam is thin because both packages use the RFC's record types.
func (p *proxy) apply(s *segment, rec *snooper.Record) {
	err := p.cache.Apply(mcast.Report[string]{
		Group: mcast.Group{Addr: rec.Group}, Member: s.name, Kind: mcast.Kind(rec.Kind),
		Sources: rec.Sources, Version: rec.Version, At: rec.At,
	})
	if err != nil {
		p.counts.refused++ // what a stranger may say must not end the program
		return
	}
	p.counts.reports++
}

// heard tells the election of somebody's query.
func (p *proxy) heard(s *segment, q *snooper.Query) {
	if s.querier == nil {
		return
	}
	s.querier.HandleQuery(querier.Heard{
		Src: q.Host.Addr, Version: q.Version, Group: q.Group, MaxResp: q.MaxResp, QRV: q.QRV, QQI: q.QQI, At: q.At,
	})
	p.adopt(s)
}

// advance moves the clock and does what is due.
func (p *proxy) advance(now time.Time) {
	if now.Before(p.now) {
		now = p.now
	}
	p.now = now
	for _, s := range p.inside {
		if s.querier != nil {
			_ = p.transmit(s, s.querier.Advance(now)) // which counts what fails
			p.adopt(s)
		}
	}
	p.snooper.Advance(now)
	p.cache.Advance(now)
	_ = p.cache.Flush(context.Background()) // it logs what fails, and tries it again
	p.collect()
}

// ask sends a specific query for the cache.
func (p *proxy) ask(_ context.Context, r mcast.QueryRequest[string]) error {
	for _, s := range p.inside {
		if s.name != r.Member || s.querier == nil {
			continue
		}
		if !s.state.Querier {
			return nil // the other one asks
		}
		frames, err := s.querier.Specific(r.Group.Addr, r.Sources, r.Suppress, r.MaxResponse)
		if err != nil {
			return err
		}
		return p.transmit(s, frames)
	}
	return igmpconn.ErrGone
}

func (p *proxy) transmit(s *segment, frames [][]byte) (failed error) {
	for _, f := range frames {
		if err := s.send(f); err != nil {
			failed = err
			p.counts.failed++
			continue
		}
		p.counts.sent++
	}
	return failed
}

// next is when advance has something to do.
func (p *proxy) next() (time.Time, bool) {
	next, ok := p.cache.Next()
	for _, s := range p.inside {
		if s.querier != nil && (!ok || s.querier.Next().Before(next)) {
			next, ok = s.querier.Next(), true
		}
	}
	return next, ok
}
