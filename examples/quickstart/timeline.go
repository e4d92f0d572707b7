package main

import (
	"fmt"
	"io"
	"time"

	"github.com/ofmcast/ofmcast/mcast"
	"github.com/ofmcast/ofmcast/ofgroup"
)

// timeline prints what happens, one line an event, and below it what was sent to the switch.
type timeline struct {
	out    io.Writer
	colour bool
}

// Terminal colours (ECMA-48) of the words.
var colours = map[string]string{
	"joined": "32", "refiltered": "36", "left": "33", "expired": "31",
}

const dim = "2"

func (t *timeline) change(at time.Duration, h *hosts, m ofgroup.Port, word string, g mcast.Group, c mcast.Change) {
	filter := c.New
	if c.Kind == mcast.Left {
		filter = c.Old
	}
	fmt.Fprintf(t.out, "%8.3fs  %s  port %-3d %s  %-15v  %v\n",
		at.Seconds(), t.paint(colours[word], fmt.Sprintf("%-10s", word)), m, fmt.Sprintf("%-13s", h.name(m)), g, filter)
}

func (t *timeline) groupMod(m *ofgroup.Mod) {
	line := m.String()
	if t.colour {
		line = cut(line)
	}
	fmt.Fprintf(t.out, "           %s\n", t.paint(dim, "└ "+line))
}

// failed prints why a change could not be put on the switch.
func (t *timeline) failed(err error) {
	fmt.Fprintf(t.out, "           %s\n", t.paint(colours["expired"], "└ not programmed: "+err.Error()))
}

func (t *timeline) paint(colour, s string) string {
	if !t.colour || colour == "" {
		return s
	}
	return "\x1b[" + colour + "m" + s + "\x1b[0m"
}

// cut keeps a message of many buckets on one line of a wide terminal. Elsewhere lines are whole, so
// that ovs-ofctl takes them.
func cut(s string) string {
	const most = 160
	if len(s) <= most {
		return s
	}
	return s[:most] + "…"
}
