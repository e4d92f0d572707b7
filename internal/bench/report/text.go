package main

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

const legend = `ratio: how many times as good as what is beside it, by time or by bytes; 0.5 takes twice as long.
allocations and growth: ours | the other's. n^1 is in proportion to n; fitted over all n measured in the range, so fixed costs make it less.
`

// text is the whole of what is printed: the machine, the table, and what the table lacks.
func text(r *reader, all []section) string {
	var b strings.Builder
	for _, key := range []string{"date", "machine", "versions"} {
		value := r.Fact(key)
		if value == "" {
			value = "unknown"
		}
		fmt.Fprintf(&b, "%-9s %s\n", key, value)
	}
	b.WriteString("\n" + legend)
	table(&b, r, all)
	list(&b, "skipped", r.skipped)
	list(&b, "missing: these benchmarks did not run, or did not report the figure", r.missing)
	return b.String()
}

func list(b *strings.Builder, what string, lines []string) {
	if len(lines) > 0 {
		fmt.Fprintf(b, "\n%s\n  %s\n", what, strings.Join(lines, "\n  "))
	}
}

// table writes the sections, their columns below one another.
func table(b *strings.Builder, r *reader, all []section) {
	var texts [][][columns]string
	widths := [columns]int{}
	for _, s := range all {
		lines := [][columns]string{s.headings()}
		for _, w := range s.rows {
			lines = append(lines, w.cells(r))
		}
		for _, line := range lines {
			for i, cell := range line {
				widths[i] = max(widths[i], utf8.RuneCountInString(cell))
			}
		}
		texts = append(texts, lines)
	}
	for i, s := range all {
		b.WriteString("\n" + s.title + "\n")
		for _, line := range texts[i] {
			b.WriteString(aligned(line, widths) + "\n")
		}
	}
}

// headings are the columns' names, of those that the section has.
func (s section) headings() [columns]string {
	h := [columns]string{1: "ours", 2: s.other, 5: "allocations"}
	for _, w := range s.rows {
		if w.other != (figure{}) {
			h[3] = "ratio"
		}
		if len(w.aims) > 0 {
			h[4] = "aim"
		}
		if len(w.over) > 0 {
			h[6] = "growth"
		}
	}
	if !s.counted() {
		h[5] = ""
	}
	return h
}

// counted says whether allocations were counted in a row of the section.
func (s section) counted() bool {
	for _, w := range s.rows {
		if w.ours.allocs != "" || w.other.allocs != "" {
			return true
		}
	}
	return false
}

// aligned is a line: figures to the right, words to the left.
func aligned(line [columns]string, widths [columns]int) string {
	var b strings.Builder
	for i, cell := range line {
		room := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
		if figure := i >= 1 && i <= 3; figure {
			cell = room + cell
		} else {
			cell += room
		}
		b.WriteString("  " + cell)
	}
	return strings.TrimRight(b.String(), " ")
}
