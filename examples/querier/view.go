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
	// show is called with what has happened since the last call, maybe nothing, once a second at least.
	show(m *monitor, events []event) error
	// finish is called at the end.
	finish(m *monitor) error
}

// newView chooses by the options and by what the output is. size is that of a terminal, or nil.
func newView(o options, out io.Writer, size func() (width, height int), paint bool) view {
	t := table{iface: o.iface, version: o.version}
	switch {
	case o.json:
		lines := json.NewEncoder(out)
		return &objects{lines: lines, quiet: o.once}
	case size == nil || o.once:
		return &changes{out: out, table: t, quiet: o.once}
	}
	t.paint = screen.Paint(paint)
	return &live{screen: screen.New(out, size), table: t}
}

// objects writes JSON.
type objects struct {
	lines *json.Encoder
	quiet bool
}

func (v *objects) show(_ *monitor, events []event) error {
	if v.quiet {
		return nil
	}
	for _, e := range events {
		if err := v.lines.Encode(e); err != nil {
			return err
		}
	}
	return nil
}

func (v *objects) finish(m *monitor) error { return v.lines.Encode(m.snapshot()) }

// changes writes a line for each change, and the table at the end.
type changes struct {
	out   io.Writer
	table table
	quiet bool
}

func (v *changes) show(_ *monitor, events []event) error {
	if v.quiet {
		return nil
	}
	for _, e := range events {
		if _, err := fmt.Fprintln(v.out, line(e)); err != nil {
			return err
		}
	}
	return nil
}

func (v *changes) finish(m *monitor) error {
	if !v.quiet {
		fmt.Fprintln(v.out)
	}
	_, err := fmt.Fprintln(v.out, strings.Join(v.table.lines(m.snapshot(), m.link.Up, nil), "\n"))
	return err
}

// live keeps the table up to date on a terminal.
type live struct {
	screen *screen.Screen
	table  table
	recent []event
}

const maxRecent = 5

func (v *live) show(m *monitor, events []event) error {
	v.recent = append(v.recent, events...)
	v.recent = slices.Clone(v.recent[max(len(v.recent)-maxRecent, 0):])
	return v.screen.Draw(func(width, height int) []string {
		v.table.width, v.table.height = width, height
		return v.table.lines(m.snapshot(), m.link.Up, v.recent)
	})
}

// finish leaves the table, whole, behind.
func (v *live) finish(m *monitor) error {
	v.table.width, v.table.height = 0, 0
	return v.screen.Close(v.table.lines(m.snapshot(), m.link.Up, nil))
}
