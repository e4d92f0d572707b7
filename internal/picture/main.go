// Command picture draws the boxes and arrows that a text file describes, as two SVG files beside it, one
// for light pages and one for dark ones.
//
//	go run ./internal/picture docs/packages.txt
//
// A line is one thing, and what is behind a bar is text; numbers are pixels from the upper left corner:
//
//	size WIDTH HEIGHT
//	box KIND X Y WIDTH HEIGHT | title | line | …
//	arrow X1 Y1 X2 Y2 | above its middle | below it
//	key KIND X Y | what the kind means
//
// KIND is package, glue or world. Lines that begin with # are comments.
package main

import (
	"fmt"
	"os"
	"strings"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: picture FILE.txt")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "picture:", err)
		os.Exit(1)
	}
}

func run(name string) error {
	source, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	p, err := parse(string(source))
	if err != nil {
		return fmt.Errorf("%s:%w", name, err)
	}
	for _, t := range []theme{light, dark} {
		if err := os.WriteFile(svgName(name, t), []byte(p.svg(t)), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// svgName is where the picture of a text file goes.
func svgName(text string, t theme) string {
	return strings.TrimSuffix(text, ".txt") + "-" + t.name + ".svg"
}
