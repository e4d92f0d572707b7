package main

import (
	"net/netip"
	"slices"
	"time"

	"github.com/ofmcast/ofmcast/igmp"
	"github.com/ofmcast/ofmcast/mcast"
)

// event is one thing that happened. Its JSON form is described by -help; keys that do not apply are
// absent.
type event struct {
	Time  string `json:"time"`
	Event string `json:"event"`

	Interface string  `json:"interface,omitempty"`
	Interval  float64 `json:"interval_s,omitempty"`
	Response  float64 `json:"response_s,omitempty"`

	Up      *bool      `json:"up,omitempty"`
	Querier *bool      `json:"querier,omitempty"`
	Elected netip.Addr `json:"elected,omitzero"`

	Group   netip.Addr   `json:"group,omitzero"`
	Host    netip.Addr   `json:"host,omitzero"`
	MAC     string       `json:"mac,omitempty"`
	Version uint8        `json:"version,omitempty"`
	Mode    string       `json:"mode,omitempty"`
	Sources []netip.Addr `json:"sources,omitzero"`

	at     time.Time
	filter mcast.Filter
}

const timeFormat = "2006-01-02T15:04:05.000000Z07:00"

// note remembers an event until it is shown.
func (m *monitor) note(e event) {
	if e.at.IsZero() {
		e.at = m.now
	}
	e.Time = e.at.UTC().Format(timeFormat)
	m.events = append(m.events, e)
}

// started is the first event.
func (m *monitor) started() {
	e := event{Event: "started", Interface: m.opts.iface, Version: uint8(m.opts.version), Interval: m.opts.interval.Seconds()}
	q, _ := m.opts.newQuerier(sample)
	e.Response = q.State().Timing.QRI.Seconds()
	m.note(e)
}

// collect notes what the cache tells.
func (m *monitor) collect() {
	for c, ok := m.changes.TryNext(); ok; c, ok = m.changes.TryNext() {
		h := m.hosts[c.Member]
		e := event{Event: c.Kind.String(), Group: c.Group.Addr, Host: h.addr, MAC: c.Member.String(), Version: h.version, at: c.At}
		e.filter = c.New
		if c.Kind == mcast.Left || c.Kind == mcast.Expired {
			e.filter = c.Old
		}
		e.Mode, e.Sources = e.filter.Mode().String(), slices.AppendSeq([]netip.Addr{}, e.filter.Sources())
		m.note(e)
	}
}

// forget lets go of hosts that are in no group any more, so that strangers cannot fill the memory.
func (m *monitor) forget() {
	there := map[igmp.MAC]bool{}
	for s := range m.cache.Groups() {
		for mac := range s.Members() {
			there[mac] = true
		}
	}
	for mac := range m.hosts {
		if !there[mac] {
			delete(m.hosts, mac)
		}
	}
}
