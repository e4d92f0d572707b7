package main

import (
	"math"
	"net/netip"

	"github.com/ofmcast/ofmcast/mcast"
)

// snapshot is all there is at one moment, for both forms of the table.
type snapshot struct {
	Time       string         `json:"time"`
	Event      string         `json:"event"`
	Interfaces []interfaceRow `json:"interfaces"`
	Groups     []groupRow     `json:"groups"`
	Routes     []routeRow     `json:"routes"`
	Joins      int            `json:"joins"`
	Sent       uint64         `json:"sent"`
	Failed     uint64         `json:"failed"`
	Reports    uint64         `json:"reports"`
	Refused    uint64         `json:"refused"`

	failing error // why a group is not joined or routed as it should be
}

type interfaceRow struct {
	Interface string     `json:"interface"`
	Outside   bool       `json:"outside"`
	Up        bool       `json:"up"`
	Querier   bool       `json:"querier"`
	Elected   netip.Addr `json:"elected,omitzero"`
}

type groupRow struct {
	Group   netip.Addr   `json:"group"`
	Mode    string       `json:"mode"`
	Sources []netip.Addr `json:"sources"`
	Members []memberRow  `json:"members"`
}

type memberRow struct {
	Interface string       `json:"interface"`
	Mode      string       `json:"mode"`
	Sources   []netip.Addr `json:"sources"`
	Age       float64      `json:"age_s"`
	Left      float64      `json:"left_s"`
	Leaving   bool         `json:"leaving"`

	filter mcast.Filter
}

// snapshot is for people: it costs the more the more there is. The routes and the number of joins are the caller's.
func (p *proxy) snapshot(routes []routeRow, joins int) snapshot {
	s := snapshot{
		Time: p.now.UTC().Format(timeFormat), Event: "table", Interfaces: []interfaceRow{}, Groups: []groupRow{},
		Routes: append([]routeRow{}, routes...), Joins: joins,
		Sent: p.counts.sent, Failed: p.counts.failed, Reports: p.counts.reports, Refused: p.counts.refused,
	}
	for _, seg := range p.inside {
		s.Interfaces = append(s.Interfaces, interfaceRow{
			Interface: seg.name, Up: seg.link.Up, Querier: seg.state.Querier, Elected: seg.state.Elected,
		})
	}
	for g := range p.cache.Groups() {
		all := g.Filter()
		s.Groups = append(s.Groups, groupRow{g.Group().Addr, all.Mode().String(), sources(all), p.members(g.Group())})
	}
	for _, sink := range p.cache.Statistics().Sinks {
		if sink.Failing > 0 {
			s.failing = sink.LastError
		}
	}
	return s
}

func (p *proxy) members(g mcast.Group) []memberRow {
	var members []memberRow
	for _, ms := range p.cache.Memberships(g) {
		f := ms.Filter()
		members = append(members, memberRow{
			Interface: ms.Member, Mode: f.Mode().String(), Sources: sources(f), Age: ms.Age.Seconds(),
			Left: math.Round(ms.TimeLeft().Seconds()*1000) / 1000, Leaving: ms.Leaving, filter: f,
		})
	}
	return members
}
