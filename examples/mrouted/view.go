package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/ofmcast/ofmcast/examples/internal/screen"
)

// view is one way to show what happens.
type view interface {
	// show is called with what has happened since the last call, maybe nothing, once a second at least. now is asked for
	// when it is needed.
	show(events []event, now func() snapshot) error
	// finish is called at the end.
	finish(last snapshot) error
	// live says that nothing else may be written to the terminal.
	live() bool
}

// newView chooses by the options and by what the output is. size is that of a terminal, or nil.
func newView(o options, out io.Writer, size func() (width, height int), paint bool) view {
	switch {
	case o.json:
		return &objects{json.NewEncoder(out)}
	case size == nil:
		return &changes{out: out}
	}
	return &liveTable{screen: screen.New(out, size), table: table{paint: screen.Paint(paint)}}
}

// objects writes JSON.
type objects struct{ lines *json.Encoder }

func (v *objects) show(events []event, _ func() snapshot) error {
	for _, e := range events {
		if err := v.lines.Encode(e); err != nil {
			return err
		}
	}
	return nil
}

func (v *objects) finish(last snapshot) error { return v.lines.Encode(last) }
func (v *objects) live() bool                 { return false }

// changes writes a line for each change, and the table at the end.
type changes struct {
	out   io.Writer
	table table
}

func (v *changes) show(events []event, _ func() snapshot) error {
	for _, e := range events {
		if _, err := fmt.Fprintln(v.out, line(e)); err != nil {
			return err
		}
	}
	return nil
}

func (v *changes) finish(last snapshot) error {
	_, err := fmt.Fprintf(v.out, "\n%s\n", strings.Join(v.table.lines(last, nil), "\n"))
	return err
}

func (v *changes) live() bool { return false }

// liveTable keeps the table up to date on a terminal, and what a check found in it.
type liveTable struct {
	screen   *screen.Screen
	table    table
	recent   []event
	findings []event
}

const maxRecent = 5

func (v *liveTable) show(events []event, now func() snapshot) error {
	for _, e := range events {
		if e.Event == "finding" {
			v.findings = append(v.findings, e)
		}
	}
	v.recent = append(v.recent, events...)
	v.recent = slices.Clone(v.recent[max(len(v.recent)-maxRecent, 0):])
	return v.screen.Draw(func(width, height int) []string {
		v.table.width, v.table.height = width, height
		return v.table.lines(now(), v.recent)
	})
}

// finish leaves the table behind, whole, and what a check found.
func (v *liveTable) finish(last snapshot) error {
	v.table.width, v.table.height = 0, 0
	lines := v.table.lines(last, nil)
	for _, e := range v.findings {
		lines = append(lines, line(e))
	}
	return v.screen.Close(lines)
}

func (v *liveTable) live() bool { return true }
