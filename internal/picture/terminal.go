package main

import (
	"fmt"
	"html"
	"strings"
)

// The window in which a recording is shown.
const (
	columns, rows = 116, 27

	charWidth  = 7.2 // each line is stretched to this, whatever font is there
	lineHeight = 17
	margin     = 20
	titleBar   = 36

	windowWidth  = 880
	windowHeight = titleBar + rows*lineHeight + 12
)

// How long things are shown, in seconds. What comes in a burst would be gone before it is read, and
// nobody looks on while nothing happens.
const (
	leastPause = 0.06
	mostPause  = 3
	lastPause  = 8
)

// svg draws the recording as a film in a window. Where nothing moves, by the viewer's wish or for want of
// animation, its last rows stand still.
func (c cast) svg(t theme) string {
	lines := append([]printed{{text: "$ " + c.command}}, c.lines...)
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %d" `+
		`font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'Liberation Mono', monospace" font-size="12">`+"\n",
		windowWidth, windowHeight, windowHeight)
	fmt.Fprintf(&b, "<title>%s, recorded</title>\n", html.EscapeString(c.command))
	c.style(&b, lines)
	fmt.Fprintf(&b, `<rect x="0.75" y="0.75" width="%g" height="%g" rx="8" fill="%s" stroke="%s" stroke-width="1.5"/>`+"\n",
		windowWidth-1.5, windowHeight-1.5, t.page, t.kinds["world"].edge)
	fmt.Fprintf(&b, `<text x="%d" y="23" text-anchor="middle" fill="%s">%s</text>`+"\n", windowWidth/2, t.softer, html.EscapeString(c.command))
	fmt.Fprintf(&b, `<svg y="%d" width="%d" height="%d" xml:space="preserve"><g class="scroll">`+"\n", titleBar, windowWidth, rows*lineHeight)
	for i, l := range lines {
		l.draw(&b, t, i)
	}
	fmt.Fprintf(&b, `<rect class="cover" x="%d" width="%d" height="%d" fill="%s"/>`+"\n", margin-2, windowWidth-2*margin+4, rows*lineHeight, t.page)
	b.WriteString("</g></svg>\n</svg>\n")
	return b.String()
}

// style has two movements: the lines go up when the window is full, and what covers those that have not
// been printed yet goes down.
func (c cast) style(b *strings.Builder, lines []printed) {
	times, length := timing(lines)
	var scroll, cover strings.Builder
	for i, at := range times {
		fmt.Fprintf(&scroll, "%.2f%%{transform:translateY(%dpx)}", 100*at/length, scrolled(i+1))
		fmt.Fprintf(&cover, "%.2f%%{transform:translateY(%dpx)}", 100*at/length, (i+1)*lineHeight)
	}
	n := len(lines)
	fmt.Fprintf(b, "<style>\ntext{white-space:pre}\n.scroll{transform:translateY(%dpx)}\n.cover{transform:translateY(%dpx)}\n", scrolled(n), n*lineHeight)
	fmt.Fprintf(b, "@media (prefers-reduced-motion:no-preference){.scroll,.cover{animation:%.2fs step-end infinite}.scroll{animation-name:scroll}.cover{animation-name:cover}}\n", length)
	fmt.Fprintf(b, "@keyframes scroll{%s}\n@keyframes cover{%s}\n</style>\n", &scroll, &cover)
}

// scrolled is how far the text is moved when so many lines have been printed.
func scrolled(lines int) int { return -max(0, lines-rows) * lineHeight }

// timing is when each line is shown, and how long the film is.
func timing(lines []printed) (times []float64, length float64) {
	at := 0.0
	for i, l := range lines {
		if i > 0 {
			at += min(max(l.at-lines[i-1].at, leastPause), mostPause)
		}
		times = append(times, at)
	}
	return times, at + lastPause
}

// draw puts the line into its row, cut where the window ends.
func (l printed) draw(b *strings.Builder, t theme, row int) {
	text := []rune(l.text)
	if len(text) == 0 {
		return
	}
	if len(text) > columns {
		text = append(text[:columns-1], '…')
	}
	fmt.Fprintf(b, `<text x="%d" y="%d" textLength="%.1f" %s>%s</text>`+"\n",
		margin, row*lineHeight+13, charWidth*float64(len(text)), l.look(t), mark(html.EscapeString(string(text)), t))
}

// look is how a whole line is shown: what was typed and headings stand out, and what belongs to the line
// above does not.
func (l printed) look(t theme) string {
	switch trimmed := strings.TrimSpace(l.text); {
	case strings.HasPrefix(trimmed, "$ "), strings.HasPrefix(trimmed, "== "), strings.HasPrefix(trimmed, "what happened"):
		return fmt.Sprintf(`fill="%s" font-weight="600"`, t.ink)
	case strings.HasPrefix(trimmed, "└"), strings.HasPrefix(trimmed, "<"):
		return fmt.Sprintf(`fill="%s"`, t.softer)
	}
	return fmt.Sprintf(`fill="%s"`, t.ink)
}

// mark gives the verdict at the beginning of a line its colour.
func mark(text string, t theme) string {
	for _, verdict := range []string{"PASS", "ok"} {
		if rest, found := strings.CutPrefix(text, verdict); found {
			return fmt.Sprintf(`<tspan fill="%s" font-weight="600">%s</tspan>%s`, t.good, verdict, rest)
		}
	}
	return text
}
