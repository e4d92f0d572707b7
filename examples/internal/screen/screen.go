// Package screen is what the examples with a live table share: a terminal that is written over, and words for numbers.
package screen

import (
	"bytes"
	"fmt"
	"io"
	"strings"
)

// Screen keeps lines up to date on a terminal. Each picture is one write over the last one, so that nothing flickers, on
// the terminal's second screen, so that what was there comes back.
type Screen struct {
	out  io.Writer
	size func() (width, height int)

	on            bool
	width, height int
}

// New makes a Screen of a terminal. size says how large it is now, 0 if that is not known.
func New(out io.Writer, size func() (width, height int)) *Screen {
	return &Screen{out: out, size: size}
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

// Draw shows lines, which must fit into the size that they are asked for in.
func (s *Screen) Draw(lines func(width, height int) []string) error {
	var b bytes.Buffer
	if !s.on {
		s.on = true
		b.WriteString(secondScreen)
	}
	if w, h := s.size(); w != s.width || h != s.height {
		s.width, s.height = w, h
		b.WriteString(clearAll)
	}
	b.WriteString(home)
	b.WriteString(strings.Join(lines(s.width, s.height), clearLine+"\r\n"))
	b.WriteString(clearLine + clearBelow)
	_, err := s.out.Write(b.Bytes())
	return err
}

// Close brings the first screen back, and leaves lines behind on it.
func (s *Screen) Close(lines []string) error {
	end := ""
	if s.on {
		s.on, end = false, firstScreen
	}
	_, err := fmt.Fprintln(s.out, end+strings.Join(lines, "\n"))
	return err
}
