package main

import (
	"fmt"
	"html"
	"strings"
)

// theme has the colours of one of the two files.
type theme struct {
	name              string
	page, ink, softer string
	good              string // a verdict
	kinds             map[string]paint
}

// paint is how a kind of box looks.
type paint struct{ fill, edge, dash string }

// Each file brings its own page, so that neither depends on where it is shown.
var (
	light = theme{name: "light", page: "#ffffff", ink: "#1f2328", softer: "#59636e", good: "#1a7f37", kinds: map[string]paint{
		"package": {fill: "#ddf4ff", edge: "#0969da"},
		"glue":    {fill: "#ffffff", edge: "#59636e", dash: "5 4"},
		"world":   {fill: "#eff2f5", edge: "#818b98"},
	}}
	dark = theme{name: "dark", page: "#0d1117", ink: "#f0f6fc", softer: "#9198a1", good: "#3fb950", kinds: map[string]paint{
		"package": {fill: "#0c2d55", edge: "#4493f8"},
		"glue":    {fill: "#0d1117", edge: "#9198a1", dash: "5 4"},
		"world":   {fill: "#212830", edge: "#656c76"},
	}}
)

// svg draws the picture.
func (p picture) svg(t theme) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %d" `+
		`font-family="ui-sans-serif, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif" font-size="13">`+"\n", p.width, p.height, p.height)
	fmt.Fprintf(&b, `<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">`+
		`<path d="M0 0L8 4L0 8z" fill="%s"/></marker></defs>`+"\n", t.softer)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" rx="8" fill="%s"/>`+"\n", p.width, p.height, t.page)
	for _, x := range p.things {
		switch x.word {
		case "box":
			x.box(&b, t)
		case "arrow":
			x.arrow(&b, t)
		case "key":
			x.key(&b, t)
		}
	}
	b.WriteString("</svg>\n")
	return b.String()
}

func (x thing) box(b *strings.Builder, t theme) {
	rect(b, t.kinds[x.kind], x.at[0], x.at[1], x.at[2], x.at[3])
	const step = 19
	middle, y := x.at[0]+x.at[2]/2, x.at[1]+x.at[3]/2-step*(len(x.texts)-1)/2+5
	for i, line := range x.texts {
		look := fmt.Sprintf(`fill="%s"`, t.softer)
		if i == 0 {
			look = fmt.Sprintf(`fill="%s" font-size="16" font-weight="600"`, t.ink)
		}
		text(b, middle, y+i*step, "middle", look, line)
	}
}

func (x thing) arrow(b *strings.Builder, t theme) {
	fmt.Fprintf(b, `<path d="M%d %dL%d %d" stroke="%s" stroke-width="1.5" marker-end="url(#tip)"/>`+"\n",
		x.at[0], x.at[1], x.at[2], x.at[3], t.softer)
	look := fmt.Sprintf(`fill="%s"`, t.ink)
	for i, line := range x.texts {
		if x.at[0] == x.at[2] { // beside an upright one
			text(b, x.at[0]+8, (x.at[1]+x.at[3])/2+4, "start", look, line)
			continue
		}
		text(b, (x.at[0]+x.at[2])/2, x.at[1]-6+i*22, "middle", look, line)
	}
}

func (x thing) key(b *strings.Builder, t theme) {
	rect(b, t.kinds[x.kind], x.at[0], x.at[1]-11, 20, 14)
	for _, line := range x.texts {
		text(b, x.at[0]+28, x.at[1], "start", fmt.Sprintf(`fill="%s"`, t.softer), line)
	}
}

func rect(b *strings.Builder, p paint, x, y, width, height int) {
	fmt.Fprintf(b, `<rect x="%d" y="%d" width="%d" height="%d" rx="%d" fill="%s" stroke="%s" stroke-width="1.5"`,
		x, y, width, height, min(8, height/4), p.fill, p.edge)
	if p.dash != "" {
		fmt.Fprintf(b, ` stroke-dasharray="%s"`, p.dash)
	}
	b.WriteString("/>\n")
}

func text(b *strings.Builder, x, y int, anchor, look, line string) {
	if line != "" {
		fmt.Fprintf(b, `<text x="%d" y="%d" text-anchor="%s" %s>%s</text>`+"\n", x, y, anchor, look, html.EscapeString(line))
	}
}
