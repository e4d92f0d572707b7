package main

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/ofmcast/ofmcast/mcast"
	"github.com/ofmcast/ofmcast/mroute"
)

// event is one thing that happened. Its JSON form is described by -help; keys that do not apply are absent.
type event struct {
	Time  string `json:"time"`
	Event string `json:"event"`

	Inside   []string `json:"inside,omitempty"`
	Outside  []string `json:"outside,omitempty"`
	Table    uint32   `json:"table,omitempty"`
	Version  uint     `json:"version,omitempty"`
	Interval float64  `json:"interval_s,omitempty"`
	Response float64  `json:"response_s,omitempty"`

	Problem string `json:"problem,omitempty"`
	Blocks  *bool  `json:"blocks,omitempty"`
	Detail  string `json:"detail,omitempty"`
	Remedy  string `json:"remedy,omitempty"`

	Interface string     `json:"interface,omitempty"`
	Up        *bool      `json:"up,omitempty"`
	Querier   *bool      `json:"querier,omitempty"`
	Elected   netip.Addr `json:"elected,omitzero"`

	Source  netip.Addr   `json:"source,omitzero"`
	Group   netip.Addr   `json:"group,omitzero"`
	Mode    string       `json:"mode,omitempty"`
	Sources []netip.Addr `json:"sources,omitzero"`
	In      string       `json:"in,omitempty"`
	Out     []string     `json:"out,omitzero"`

	at     time.Time
	filter mcast.Filter
}

const timeFormat = "2006-01-02T15:04:05.000000Z07:00"

// note remembers an event until it is shown.
func (p *proxy) note(e event) {
	if e.at.IsZero() {
		e.at = p.now
	}
	e.Time = e.at.UTC().Format(timeFormat)
	p.events = append(p.events, e)
}

// started is the first event.
func (p *proxy) started(table uint32) {
	t := p.timing()
	p.note(event{
		Event: "started", Inside: p.opts.inside, Outside: p.opts.outside, Table: table, Version: p.opts.version,
		Interval: t.QI.Seconds(), Response: t.QRI.Seconds(),
	})
}

// found notes what a check has found.
func (p *proxy) found(f mroute.Finding) {
	p.note(event{
		Event: "finding", Problem: f.Problem.String(), Interface: f.Interface, Source: f.Source, Group: f.Group,
		Blocks: &f.Blocks, Detail: f.Detail, Remedy: f.Remedy,
	})
}

// collect notes what the cache tells.
func (p *proxy) collect() {
	for c, ok := p.changes.TryNext(); ok; c, ok = p.changes.TryNext() {
		e := event{Event: c.Kind.String(), Group: c.Group.Addr, Interface: c.Member, at: c.At, filter: c.New}
		if c.Kind == mcast.Left || c.Kind == mcast.Expired {
			e.filter = c.Old
		}
		e.Mode, e.Sources = e.filter.Mode().String(), sources(e.filter)
		p.note(e)
	}
}

// sources is never nil, so that it is a list in JSON too.
func sources(f mcast.Filter) []netip.Addr { return slices.AppendSeq([]netip.Addr{}, f.Sources()) }

// line is an event in words.
func line(e event) string {
	return strings.TrimRight(fmt.Sprintf("%s  %-10s  %s", e.at.Format("15:04:05"), e.Event, words(e)), " ")
}

func words(e event) string {
	switch e.Event {
	case "started":
		return fmt.Sprintf("inside %s, outside %s, table %d", strings.Join(e.Inside, " "), strings.Join(e.Outside, " "), e.Table)
	case "finding":
		return finding(e)
	case "interface":
		return fmt.Sprintf("%-15s  %s", e.Interface, map[bool]string{true: "up", false: "down"}[*e.Up])
	case "querier":
		switch {
		case !e.Elected.IsValid():
			return fmt.Sprintf("%-15s  nobody is", e.Interface)
		case *e.Querier:
			return fmt.Sprintf("%-15s  we are, as %v", e.Interface, e.Elected)
		}
		return fmt.Sprintf("%-15s  %v is, and forwards", e.Interface, e.Elected)
	case "route":
		return fmt.Sprintf("%-15v  %-15v  %s → %s", e.Source, e.Group, e.In, goes(e.Out))
	case "unrouted":
		return fmt.Sprintf("%-15v  %-15v", e.Source, e.Group)
	}
	return fmt.Sprintf("%-15v  %-15s  %v", e.Group, e.Interface, e.filter)
}

func finding(e event) string {
	where := e.Interface
	if e.Source.IsValid() {
		where = strings.TrimLeft(fmt.Sprintf("%s %v", where, e.Source), " ")
	}
	if e.Group.IsValid() {
		where += fmt.Sprintf(" %v", e.Group)
	}
	return strings.TrimLeft(fmt.Sprintf("%s %s: %s; %s", where, e.Problem, e.Detail, e.Remedy), " ")
}

// goes says where a stream goes.
func goes(out []string) string {
	if len(out) == 0 {
		return "nowhere"
	}
	return strings.Join(out, " ")
}
