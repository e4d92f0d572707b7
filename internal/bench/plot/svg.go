package plot

import (
	"fmt"
	"html"
	"math"
	"strings"

	"github.com/ofmcast/ofmcast/internal/bench/figures"
)

// Pixels of the picture. A row of the legend has two series.
const (
	width, height = 460, 340
	left, right   = 70, 34
	bottom        = 52
	titleAt       = 28
	legendAt      = 52
	legendStep    = 20
	legendColumn  = 214
)

// SVG is the picture. The legend has the slope of each series.
func (p Plot) SVG(t Theme) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %d" `+
		`font-family="ui-sans-serif, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif" font-size="12">`+"\n", width, height, height)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" rx="8" fill="%s"/>`+"\n", width, height, t.page)
	fmt.Fprintf(&b, `<text x="16" y="%d" fill="%s" font-size="14" font-weight="600">%s</text>`+"\n", titleAt, t.ink, html.EscapeString(p.Title))
	for i, s := range p.Series {
		s.legend(&b, t, i)
	}
	if xs, ys := p.values(); len(xs) > 0 {
		rows := (len(p.Series) + 1) / 2
		x := axisOver(xs, left, width-right)
		y := axisOver(ys, height-bottom, float64(legendAt+legendStep*rows))
		p.grid(&b, t, x, y)
		for i := len(p.Series) - 1; i >= 0; i-- { // the first on top
			p.Series[i].draw(&b, t, i, x, y)
		}
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// grid draws the lines of the decades with their values, and what n is.
func (p Plot) grid(b *strings.Builder, t Theme, x, y axis) {
	for _, v := range x.decades() {
		at := x.at(v)
		line(b, t.grid, at, y.start, at, y.end)
		label(b, t.softer, at, y.start+20, "middle", figures.Digits(v))
	}
	for _, v := range y.decades() {
		at := y.at(v)
		line(b, t.grid, x.start, at, x.end, at)
		label(b, t.softer, x.start-8, at+4, "end", figures.Quantity{Value: v, Kind: p.Kind}.String())
	}
	line(b, t.softer, x.start, y.start, x.end, y.start)
	line(b, t.softer, x.start, y.start, x.start, y.end)
	label(b, t.softer, (x.start+x.end)/2, height-12, "middle", p.X)
}

// legend has the mark of the series, its name and its slope.
func (s Series) legend(b *strings.Builder, t Theme, i int) {
	x, y := float64(22+i%2*legendColumn), float64(legendAt+i/2*legendStep)
	mark(b, t.series[i], i, x, y-4)
	fmt.Fprintf(b, `<text x="%g" y="%g" fill="%s">%s`, x+12, y, t.ink, html.EscapeString(s.Name))
	if slope := figures.Slope(s.X, s.Y); !math.IsNaN(slope) {
		fmt.Fprintf(b, `<tspan dx="8" fill="%s">n</tspan><tspan dy="-4" font-size="9" fill="%[1]s">%.2f</tspan>`, t.softer, slope)
	}
	b.WriteString("</text>\n")
}

// draw is the line through the figures and a mark on each.
func (s Series) draw(b *strings.Builder, t Theme, i int, x, y axis) {
	var path strings.Builder
	for k := range s.X {
		fmt.Fprintf(&path, "%c%.1f %.1f", "ML"[min(k, 1)], x.at(s.X[k]), y.at(s.Y[k]))
	}
	fmt.Fprintf(b, `<path d="%s" fill="none" stroke="%s" stroke-width="2" stroke-linejoin="round"/>`+"\n", path.String(), t.series[i])
	for k := range s.X {
		mark(b, t.series[i], i, x.at(s.X[k]), y.at(s.Y[k]))
	}
}

// mark is of another shape for each series, for those who do not see the colours.
func mark(b *strings.Builder, colour string, i int, x, y float64) {
	switch i {
	case 0:
		fmt.Fprintf(b, `<circle cx="%.1f" cy="%.1f" r="4" fill="%s"/>`+"\n", x, y, colour)
	case 1:
		fmt.Fprintf(b, `<rect x="%.1f" y="%.1f" width="7" height="7" fill="%s"/>`+"\n", x-3.5, y-3.5, colour)
	case 2:
		fmt.Fprintf(b, `<path d="M%.1f %.1fl5 5l-5 5l-5 -5z" fill="%s"/>`+"\n", x, y-5, colour)
	default:
		fmt.Fprintf(b, `<path d="M%.1f %.1fl5 8.5h-10z" fill="%s"/>`+"\n", x, y-5, colour)
	}
}

func line(b *strings.Builder, colour string, x1, y1, x2, y2 float64) {
	fmt.Fprintf(b, `<path d="M%.1f %.1fL%.1f %.1f" stroke="%s"/>`+"\n", x1, y1, x2, y2, colour)
}

func label(b *strings.Builder, colour string, x, y float64, anchor, text string) {
	fmt.Fprintf(b, `<text x="%.1f" y="%.1f" text-anchor="%s" fill="%s">%s</text>`+"\n", x, y, anchor, colour, html.EscapeString(text))
}
