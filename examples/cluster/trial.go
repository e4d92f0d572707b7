package main

import (
	"bufio"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/ofmcast/ofmcast/examples/cluster/internal/engine"
)

//go:embed trial.txt
var builtIn string

// openScript is the script that the options name.
func openScript(name string, in io.Reader) (io.Reader, func() error, error) {
	nothing := func() error { return nil }
	switch name {
	case "":
		return strings.NewReader(builtIn), nothing, nil
	case "-":
		return in, nothing, nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, nil, err
	}
	return f, f.Close, nil
}

// trial is an engine and three nodes.
type trial struct {
	o      options
	engine *engine.Engine
	dir    string // where the engine keeps its files
	nodes  map[string]*node
	out    io.Writer
	quiet  time.Duration // see settled; tests on a busy machine take longer
}

var names = []string{"a", "b", "c"}

// settled is how long nothing has to change before the table is shown; patience how long that is waited for.
const (
	settled  = 300 * time.Millisecond
	patience = 10 * time.Second
)

// runTrial does what the script says, and shows after each command who knows what.
func runTrial(ctx context.Context, o options, script io.Reader, out io.Writer) (err error) {
	t := &trial{o: o, nodes: map[string]*node{}, out: out, quiet: max(o.quiet, settled)}
	if t.dir, err = os.MkdirTemp("", "cluster"); err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(t.dir) }()
	if t.engine, err = engine.Start(t.dir); err != nil {
		return err
	}
	defer t.engine.Stop()
	defer func() { err = errors.Join(err, t.end()) }()
	for _, name := range names {
		if err := t.start(name); err != nil {
			return err
		}
	}
	lines := bufio.NewScanner(script)
	for ctx.Err() == nil && lines.Scan() {
		if err := t.line(ctx, lines.Text()); err != nil {
			fmt.Fprintln(out, "  ", err)
		}
	}
	return lines.Err()
}

// line shows a line of the script and does it.
func (t *trial) line(ctx context.Context, line string) error {
	line, comment, _ := strings.Cut(line, "#")
	words := strings.Fields(line)
	if len(words) == 0 {
		return nil
	}
	fmt.Fprintf(t.out, "\n> %s%s\n", strings.Join(words, " "), indent(comment))
	if err := t.do(ctx, words); err != nil {
		return err
	}
	if words[0] != "wait" && words[0] != "show" {
		t.settle(ctx)
	}
	return writeTable(t.out, names, t.nodes)
}

// settle waits until nodes are connected, if there is an engine, and what they know changes no more.
func (t *trial) settle(ctx context.Context) {
	var last string
	since := time.Now()
	for end := since.Add(patience); ctx.Err() == nil && time.Now().Before(end); pause(ctx, 20*time.Millisecond) {
		var now strings.Builder
		_ = writeTable(&now, names, t.nodes)
		connected := true
		for _, n := range t.nodes {
			connected = connected && n.x.Statistics().Connected
		}
		if now.String() != last || connected != t.engine.Running() {
			last, since = now.String(), time.Now()
		}
		if time.Since(since) >= t.quiet {
			return
		}
	}
}

func indent(comment string) string {
	if comment == "" {
		return ""
	}
	return "   #" + comment
}

func (t *trial) do(ctx context.Context, words []string) error {
	switch text := strings.Join(words, " "); {
	case text == "show":
		return nil
	case text == "engine kill":
		t.engine.Stop()
		return nil
	case text == "engine start":
		return t.engine.Start()
	case words[0] == "wait" && len(words) == 2:
		return wait(ctx, words[1])
	case len(words) == 2 && words[1] == "start":
		return t.start(words[0])
	}
	n := t.nodes[words[0]]
	if n == nil {
		return fmt.Errorf("%s is neither a command nor a living node", words[0])
	}
	if len(words) == 2 && words[1] == "kill" {
		delete(t.nodes, words[0])
		return n.kill()
	}
	return apply(n, words[1:])
}

// start starts one of the nodes.
func (t *trial) start(name string) (err error) {
	if t.nodes[name] != nil || !slices.Contains(names, name) {
		return fmt.Errorf("%s is not a dead node", name)
	}
	n, err := startNode(t.o, t.engine.URL(), name, slog.New(slog.DiscardHandler))
	if err == nil {
		t.nodes[name] = n
	}
	return err
}

// end ends all nodes.
func (t *trial) end() (err error) {
	for _, n := range t.nodes {
		err = errors.Join(err, n.kill())
	}
	return err
}

// apply gives a node's cache what was typed.
func apply(n *node, words []string) error {
	r, err := parseReport(words, time.Now())
	if err != nil {
		return err
	}
	return n.cache.Apply(r)
}

func wait(ctx context.Context, text string) error {
	d, err := time.ParseDuration(text)
	if err == nil {
		pause(ctx, d)
	}
	return err
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
