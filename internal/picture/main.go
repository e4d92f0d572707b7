// Command picture draws the pictures of the pages from text files, each as two SVG files beside it, one for
// light pages and one for dark ones.
//
//	go run ./internal/picture docs/packages.txt
//	go run ./internal/picture docs/demo.cast
//	go run ./internal/picture docs/demo.cast make demo
//
// A text file describes boxes and arrows. A line is one thing, and what is behind a bar is text; numbers are
// pixels from the upper left corner:
//
//	size WIDTH HEIGHT
//	box KIND X Y WIDTH HEIGHT | title | line | …
//	arrow X1 Y1 X2 Y2 | above its middle | below it
//	key KIND X Y | what the kind means
//
// KIND is package, glue or world. Lines that begin with # are comments.
//
// A cast is what a command printed, with its times, in asciinema's format: it becomes a film of a terminal.
// With a command behind it, that is run and recorded first.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: picture FILE.txt\n       picture FILE.cast [COMMAND [ARGUMENT...]]")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, "picture:", err)
		os.Exit(1)
	}
}

// run draws the file, which it makes before if there is a command.
func run(name string, command []string) error {
	if len(command) > 0 {
		c, err := record(command)
		if err != nil {
			return fmt.Errorf("%s: %w", command[0], err)
		}
		if err := os.WriteFile(name, []byte(c.encode()), 0o644); err != nil {
			return err
		}
	}
	d, err := read(name)
	if err != nil {
		return err
	}
	for _, t := range []theme{light, dark} {
		if err := os.WriteFile(svgName(name, t), []byte(d.svg(t)), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// drawing is what a file describes.
type drawing interface{ svg(theme) string }

func read(name string) (d drawing, err error) {
	source, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	if filepath.Ext(name) == ".cast" {
		d, err = parseCast(string(source))
	} else {
		d, err = parse(string(source))
	}
	if err != nil {
		return nil, fmt.Errorf("%s:%w", name, err)
	}
	return d, nil
}

// svgName is where the picture of a file goes.
func svgName(file string, t theme) string {
	return strings.TrimSuffix(file, filepath.Ext(file)) + "-" + t.name + ".svg"
}
