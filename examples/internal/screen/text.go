package screen

import (
	"fmt"
	"strings"
	"time"
)

// Colours of a terminal (ECMA-48).
const (
	Bold   = "1"
	Dim    = "2"
	Yellow = "33"
	Red    = "31"
	Green  = "32"
)

// Paint says whether there are colours.
type Paint bool

// Colour is s in a colour, if there are any.
func (p Paint) Colour(how, s string) string {
	if !p {
		return s
	}
	return "\x1b[" + how + "m" + s + "\x1b[0m"
}

// Cut keeps a line on one line of a terminal of that width; 0 is no limit. Colours take no room.
func Cut(s string, width int) string {
	if width <= 0 {
		return s
	}
	var out strings.Builder
	shown, escape := 0, false
	for _, r := range s {
		switch {
		case escape:
			escape = r != 'm'
		case r == '\x1b':
			escape = true
		case shown == width:
			continue
		default:
			shown++
			if shown == width && Visible(s) > width {
				r = '…'
			}
		}
		out.WriteRune(r)
	}
	return out.String()
}

// Visible is how many characters of s are shown.
func Visible(s string) int {
	n, escape := 0, false
	for _, r := range s {
		if !escape && r != '\x1b' {
			n++
		}
		escape = r == '\x1b' || escape && r != 'm'
	}
	return n
}

// Count is "1 group" or "2 groups".
func Count(n int, what string) string { return Plural(uint64(n), what, what+"s") }

// Plural is Count for words with a plural of their own.
func Plural(n uint64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// Seconds is a duration of a JSON object's.
func Seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// Short is a duration in whole seconds, in the two units that matter.
func Short(d time.Duration) string {
	d = d.Round(time.Second)
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%ds", d/time.Second)
	case d < time.Hour:
		return fmt.Sprintf("%dm%02ds", d/time.Minute, d%time.Minute/time.Second)
	case d < 24*time.Hour:
		return fmt.Sprintf("%dh%02dm", d/time.Hour, d%time.Hour/time.Minute)
	}
	return fmt.Sprintf("%dd%02dh", d/(24*time.Hour), d%(24*time.Hour)/time.Hour)
}
