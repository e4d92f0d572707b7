package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// cast is a recording of what a command printed, in the second version of asciinema's format, so that
// its player plays it too: a header, and after it a line of JSON for each event.
type cast struct {
	command string
	lines   []printed
}

// printed is one line and when it came, in seconds after the start.
type printed struct {
	at   float64
	text string
}

type castHeader struct {
	Version int    `json:"version"`
	Width   int    `json:"width"`
	Height  int    `json:"height"`
	Command string `json:"command"`
}

// record runs a command, shows what it prints, and returns that with its times.
func record(command []string) (cast, error) {
	c := cast{command: strings.Join(command, " ")}
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return cast{}, err
	}
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return cast{}, err
	}
	lines := bufio.NewScanner(io.TeeReader(out, os.Stdout))
	for lines.Scan() {
		at := float64(time.Since(start).Milliseconds()) / 1000
		c.lines = append(c.lines, printed{at: at, text: lines.Text()})
	}
	return c, errors.Join(lines.Err(), cmd.Wait())
}

// encode writes the recording as a file has it.
func (c cast) encode() string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	// What is encoded are strings and numbers, and a Builder takes everything: no error is possible.
	_ = e.Encode(castHeader{Version: 2, Width: columns, Height: rows, Command: c.command})
	for _, l := range c.lines {
		_ = e.Encode([]any{l.at, "o", l.text + "\r\n"})
	}
	return b.String()
}

// parseCast reads a file. An error begins with the line's number.
func parseCast(source string) (cast, error) {
	header, events, _ := strings.Cut(source, "\n")
	var h castHeader
	if err := json.Unmarshal([]byte(header), &h); err != nil {
		return cast{}, fmt.Errorf("1: %w", err)
	}
	if h.Version != 2 {
		return cast{}, fmt.Errorf("1: version %d, not 2", h.Version)
	}
	c := cast{command: h.Command}
	for i, line := range strings.Split(strings.TrimSuffix(events, "\n"), "\n") {
		var l printed
		var kind string
		if err := json.Unmarshal([]byte(line), &[]any{&l.at, &kind, &l.text}); err != nil {
			return cast{}, fmt.Errorf("%d: %w", i+2, err)
		}
		text, whole := strings.CutSuffix(l.text, "\r\n")
		if kind != "o" || !whole {
			return cast{}, fmt.Errorf("%d: not a line of output", i+2)
		}
		l.text = text
		c.lines = append(c.lines, l)
	}
	return c, nil
}
