package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
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
	t.paint = paint
	return &screen{out: out, size: size, table: t}
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

// screen keeps a table up to date on a terminal. Each picture is one write over the last one, so that
// nothing flickers, on the terminal's second screen, so that what was there comes back.
type screen struct {
	out    io.Writer
	size   func() (width, height int)
	table  table
	recent []event

	on            bool
	width, height int
}

// Of ECMA-48 and xterm.
const (
	secondScreen = "\x1b[?1049h\x1b[?25l"
	firstScreen  = "\x1b[?25h\x1b[?1049l"
	clearAll     = "\x1b[2J"
	home         = "\x1b[H"
	clearLine    = "\x1b[K"
	clearBelow   = "\x1b[J"
)

const maxRecent = 5

func (v *screen) show(m *monitor, events []event) error {
	v.recent = append(v.recent, events...)
	v.recent = slices.Clone(v.recent[max(len(v.recent)-maxRecent, 0):])
	var b bytes.Buffer
	if !v.on {
		v.on = true
		b.WriteString(secondScreen)
	}
	if w, h := v.size(); w != v.width || h != v.height {
		v.width, v.height = w, h
		b.WriteString(clearAll)
	}
	v.table.width, v.table.height = v.width, v.height
	b.WriteString(home)
	b.WriteString(strings.Join(v.table.lines(m.snapshot(), m.link.Up, v.recent), clearLine+"\r\n"))
	b.WriteString(clearLine + clearBelow)
	_, err := v.out.Write(b.Bytes())
	return err
}

// finish leaves the table, whole, behind.
func (v *screen) finish(m *monitor) error {
	v.table.width, v.table.height = 0, 0
	end := ""
	if v.on {
		end = firstScreen
	}
	_, err := fmt.Fprintln(v.out, end+strings.Join(v.table.lines(m.snapshot(), m.link.Up, nil), "\n"))
	return err
}
