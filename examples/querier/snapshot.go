package main

import (
	"math"
	"net/netip"
	"slices"
	"time"

	"github.com/ofmcast/ofmcast/mcast"
)

// snapshot is all there is at one moment, for both forms of the table.
type snapshot struct {
	Time    string     `json:"time"`
	Event   string     `json:"event"`
	Querier bool       `json:"querier"`
	Elected netip.Addr `json:"elected,omitzero"`
	Groups  []groupRow `json:"groups"`
	Sent    uint64     `json:"sent"`
	Failed  uint64     `json:"failed"`
	Reports uint64     `json:"reports"`
	Refused uint64     `json:"refused"`

	at     time.Time
	due    time.Duration // until our next query, or until we take over
	timing mcast.Timing
}

type groupRow struct {
	Group   netip.Addr  `json:"group"`
	Members []memberRow `json:"members"`
}

type memberRow struct {
	Host    netip.Addr   `json:"host,omitzero"`
	MAC     string       `json:"mac"`
	Version uint8        `json:"version"`
	Mode    string       `json:"mode"`
	Sources []netip.Addr `json:"sources"`
	Age     float64      `json:"age_s"`
	Left    float64      `json:"left_s"`
	Leaving bool         `json:"leaving"`

	filter mcast.Filter
}

// snapshot is for people: it costs the more the more members there are.
func (m *monitor) snapshot() snapshot {
	s := snapshot{
		Time: m.now.UTC().Format(timeFormat), Event: "table", Groups: []groupRow{}, at: m.now,
		Sent: m.counts.sent, Failed: m.counts.failed, Reports: m.counts.reports, Refused: m.counts.refused,
	}
	if m.querier != nil {
		state := m.querier.State()
		s.Querier, s.Elected, s.timing = state.Querier, state.Elected, mcast.Timing(state.Timing)
		s.due = max(m.querier.Next().Sub(m.now), 0)
	}
	for g := range m.cache.Groups() {
		s.Groups = append(s.Groups, groupRow{g.Group().Addr, m.members(g.Group())})
	}
	return s
}

// members are those of a group, in the order of their addresses.
func (m *monitor) members(g mcast.Group) []memberRow {
	var members []memberRow
	for _, ms := range m.cache.Memberships(g) {
		h := m.hosts[ms.Member]
		one := memberRow{
			Host: h.addr, MAC: ms.Member.String(), Version: h.version, Leaving: ms.Leaving, filter: ms.Filter(),
			Age: ms.Age.Seconds(), Left: math.Round(ms.TimeLeft().Seconds()*1000) / 1000,
		}
		one.Mode, one.Sources = one.filter.Mode().String(), slices.AppendSeq([]netip.Addr{}, one.filter.Sources())
		members = append(members, one)
	}
	slices.SortStableFunc(members, func(a, b memberRow) int { return a.Host.Compare(b.Host) })
	return members
}
