package view

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/ofmcast/ofmcast/mroute"
)

// maxWarnings of one kind are listed.
const maxWarnings = 20

// stuck is how long a call of a sink may take.
const stuck = 10 * time.Second

// warnings are what somebody should look at.
func (c *Collector) warnings(s State) []Warning {
	out := []Warning{}
	said := make(map[string]int)
	about := func(w Warning) {
		if said[w.Kind]++; said[w.Kind] <= maxWarnings {
			out = append(out, w)
		}
	}
	warn := func(kind, format string, args ...any) {
		about(Warning{Kind: kind, Text: fmt.Sprintf(format, args...)})
	}
	switch {
	case c.src.Switch == nil || s.Switch.Connected:
	case s.Switch.Connections == 0:
		warn(WarnSwitch, "the switch is not served yet: %s", s.Switch.Cause)
	default:
		warn(WarnSwitch, "the switch is away: it forwards as it was last told, and nothing changes: %s", s.Switch.Cause)
	}
	if s.Totals.Unconfirmed > 0 {
		warn(WarnRestarted, "%d memberships are those of an earlier agent, and no host has confirmed them yet", s.Totals.Unconfirmed)
	}
	if s.Policy != nil && s.Policy.Freeze {
		warn(WarnFrozen, "memberships come but do not go, by the policy: whoever has left goes on receiving")
	}
	for _, k := range s.Sinks {
		switch {
		case k.Running.Duration() > stuck:
			warn(WarnSink, "%s: a call has not ended for %v", k.Name, k.Running)
		case k.Failing > 0:
			warn(WarnSink, "%s: %d groups are refused and tried again: %s", k.Name, k.Failing, k.LastError)
		}
	}
	c.limitWarnings(s, warn)
	streamWarnings(s, warn)
	for _, f := range c.checked.list() {
		kind := WarnCheck
		if f.Problem == mroute.ProblemTTL {
			kind = WarnTTL
		}
		about(Warning{Kind: kind, Text: f.String(), Source: f.Source, Group: f.Group})
	}
	return out
}

// limitWarnings tell of what is at 80 % of a limit, or has been refused because of one.
func (c *Collector) limitWarnings(s State, warn func(string, string, ...any)) {
	near := func(n, limit int) bool { return limit > 0 && n*5 >= limit*4 }
	if limit := cmp.Or(c.src.Limits.Groups, 65536); near(s.Totals.Groups, limit) {
		warn(WarnLimit, "%d of at most %d groups are in use", s.Totals.Groups, limit)
	}
	perPort := cmp.Or(c.src.Limits.GroupsPerMember, 16384)
	for _, p := range s.Ports {
		if near(p.Groups, perPort) {
			warn(WarnLimit, "%s (%d) is in %d of at most %d groups", p.Name, p.Number, p.Groups, perPort)
		}
		if p.Dropped > 0 {
			warn(WarnLimit, "%s (%d) sends more IGMP than is read: %d packets dropped", p.Name, p.Number, p.Dropped)
		}
	}
	sources := cmp.Or(c.src.Limits.SourcesPerMember, 1024)
	for _, g := range s.Groups {
		for _, m := range g.Members {
			if near(len(m.Sources), sources) {
				warn(WarnLimit, "%s names %d of at most %d sources in %v", titleOf(m), len(m.Sources), sources, g.Group)
			}
		}
	}
	if n := s.Totals.RefusedLimit; n > 0 {
		warn(WarnLimit, "%d reports were refused because of a limit", n)
	}
}

// titleOf is a port with its number, or a node, which has none.
func titleOf(m Member) string {
	if m.Port == 0 {
		return m.Name
	}
	return fmt.Sprintf("%s (%d)", m.Name, m.Port)
}

// streamWarnings tell of streams that flow and that nobody wants.
func streamWarnings(s State, warn func(string, string, ...any)) {
	for _, r := range s.Routes {
		if !r.Members && len(r.Out) == 0 && r.PerSecond > 0 {
			warn(WarnStream, "%v sends %.0f packets/s to %v by %s, where nobody is a member", r.Source, r.PerSecond, r.Group, r.In)
		}
	}
}

// findings are those of the last check.
type findings struct {
	mu  sync.Mutex
	now []mroute.Finding
}

func (f *findings) list() []mroute.Finding {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.now
}

// checkEvery is the time between two checks.
const checkEvery = time.Minute

// checks makes the checks again and again until ctx ends. A check that could not look everywhere still
// says what it found.
func (c *Collector) checks(ctx context.Context) {
	if c.src.Check == nil {
		return
	}
	tick := time.NewTicker(checkEvery)
	defer tick.Stop()
	for ctx.Err() == nil {
		found, _ := c.src.Check(ctx)
		c.checked.mu.Lock()
		c.checked.now = found
		c.checked.mu.Unlock()
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
}
