package main

import (
	"fmt"
	"strconv"
	"strings"
)

// picture is what a text file describes.
type picture struct {
	width, height int
	things        []thing
}

// thing is one line: its word, the kind where it has one, its numbers and its texts.
type thing struct {
	word, kind string
	at         []int
	texts      []string
}

// shapes says, for each word, whether a kind follows and how many numbers.
var shapes = map[string]struct {
	kind    bool
	numbers int
}{
	"size":  {numbers: 2},
	"box":   {kind: true, numbers: 4},
	"arrow": {numbers: 4},
	"key":   {kind: true, numbers: 2},
}

// parse reads a text file. An error begins with the line's number.
func parse(source string) (picture, error) {
	var p picture
	for i, line := range strings.Split(source, "\n") {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		t, err := parseThing(line)
		if err != nil {
			return picture{}, fmt.Errorf("%d: %w", i+1, err)
		}
		if t.word == "size" {
			p.width, p.height = t.at[0], t.at[1]
			continue
		}
		p.things = append(p.things, t)
	}
	if p.width <= 0 || p.height <= 0 {
		return picture{}, fmt.Errorf("1: no size")
	}
	return p, nil
}

func parseThing(line string) (thing, error) {
	front, rest, found := strings.Cut(line, "|")
	words := strings.Fields(front)
	if len(words) == 0 {
		return thing{}, fmt.Errorf("nothing before the bar")
	}
	shape, known := shapes[words[0]]
	if !known {
		return thing{}, fmt.Errorf("unknown word %q", words[0])
	}
	t := thing{word: words[0]}
	words = words[1:]
	if shape.kind && len(words) > 0 {
		t.kind, words = words[0], words[1:]
		if _, known := light.kinds[t.kind]; !known {
			return thing{}, fmt.Errorf("unknown kind %q", t.kind)
		}
	}
	if len(words) != shape.numbers {
		return thing{}, fmt.Errorf("%s takes %d numbers, not %d", t.word, shape.numbers, len(words))
	}
	for _, w := range words {
		n, err := strconv.Atoi(w)
		if err != nil {
			return thing{}, err
		}
		t.at = append(t.at, n)
	}
	if found {
		for _, text := range strings.Split(rest, "|") {
			t.texts = append(t.texts, strings.TrimSpace(text))
		}
	}
	return t, nil
}
