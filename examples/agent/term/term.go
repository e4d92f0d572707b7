// Package term prints what an agent shows of itself as tables in a terminal.
package term

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"

	"github.com/ofmcast/ofmcast/examples/agent/view"
	"github.com/ofmcast/ofmcast/ofgroup"
)

// Write prints a state.
func Write(w io.Writer, s view.State) error {
	p := &printer{w: tabwriter.NewWriter(w, 0, 8, 2, ' ', 0), now: s.At}
	p.head(s)
	p.groups(s)
	p.ports(s)
	p.routes(s)
	p.sinks(s)
	p.events(s)
	if p.err == nil {
		p.err = p.w.Flush()
	}
	return p.err
}

// printer prints tables and keeps the first error.
type printer struct {
	w   *tabwriter.Writer
	now time.Time
	err error
}

// row prints one row. Every cell is made safe for a terminal.
func (p *printer) row(cells ...string) {
	for i := range cells {
		cells[i] = Safe(cells[i])
	}
	p.printf("%s\n", strings.Join(cells, "\t"))
}

// title begins a table.
func (p *printer) title(format string, args ...any) {
	p.printf("\n"+format+"\n", args...)
}

func (p *printer) printf(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format, args...)
	}
}

// Safe shows what has no look of its own, so that a name neither moves the cursor nor the columns.
func Safe(s string) string {
	if strings.IndexFunc(s, invisible) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if invisible(r) {
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

func invisible(r rune) bool {
	return r != ' ' && !unicode.IsPrint(r) || r == unicode.ReplacementChar
}

// ago is how long before the state a time was.
func (p *printer) ago(t *time.Time) string {
	if t == nil {
		return "never"
	}
	return view.Seconds(max(0, p.now.Sub(*t))).String() + " ago"
}

func number[N int | uint8 | uint32 | uint64](n N) string { return fmt.Sprint(n) }

// rate has one figure behind the point where it is small.
func rate(f float64) string {
	if f >= 10 || f == 0 {
		return fmt.Sprintf("%.0f", f)
	}
	return fmt.Sprintf("%.1f", f)
}

// portName is the name with the number, or one of them where there is only one.
func portName(number uint32, name string) string {
	switch {
	case name == "":
		return ofgroup.Port(number).String()
	case number == 0:
		return name
	}
	return fmt.Sprintf("%s (%v)", name, ofgroup.Port(number)) // the bridge's own is LOCAL
}
