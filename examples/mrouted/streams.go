package main

import (
	"math"
	"net/netip"
	"slices"
	"time"

	"github.com/ofmcast/ofmcast/mroute"
)

// streams are the routes as they were when the Router was asked last, with rates since the time before.
type streams struct {
	rows []routeRow
	at   time.Time
}

type routeRow struct {
	Source  netip.Addr `json:"source"`
	Group   netip.Addr `json:"group"`
	In      string     `json:"in"`
	Out     []string   `json:"out"`
	Packets uint64     `json:"packets"`
	Rate    float64    `json:"rate"`
	WrongIf uint64     `json:"wrong_if"`
}

// soon is the least time that a rate is of.
const soon = 100 * time.Millisecond

// update takes in what the Router says now, and returns what has changed.
func (s *streams) update(entries []mroute.Entry, now time.Time) (changes []event) {
	before := map[mroute.SG]routeRow{}
	for _, r := range s.rows {
		before[mroute.SG{Source: r.Source, Group: r.Group}] = r
	}
	rows := make([]routeRow, 0, len(entries))
	for _, e := range entries {
		r := routeRow{Source: e.Source, Group: e.Group, In: e.In, Out: append([]string{}, e.Out...), Packets: e.Packets, WrongIf: e.WrongIf}
		old, known := before[e.SG]
		delete(before, e.SG)
		since := s.at
		if e.Since.After(since) {
			since, old.Packets = e.Since, 0
		}
		if took := now.Sub(since); took >= soon && e.Packets >= old.Packets {
			r.Rate = math.Round(float64(e.Packets-old.Packets)/took.Seconds()*10) / 10
		}
		if !known || old.In != r.In || !slices.Equal(old.Out, r.Out) {
			changes = append(changes, event{Event: "route", Source: r.Source, Group: r.Group, In: r.In, Out: r.Out})
		}
		rows = append(rows, r)
	}
	for _, r := range s.rows {
		if _, gone := before[mroute.SG{Source: r.Source, Group: r.Group}]; gone {
			changes = append(changes, event{Event: "unrouted", Source: r.Source, Group: r.Group})
		}
	}
	s.rows, s.at = rows, now
	return changes
}
