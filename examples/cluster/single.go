package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"sync"
)

// runNode is one node at somebody's engine: it does what is typed and shows what changes.
func runNode(ctx context.Context, o options, in io.Reader, out io.Writer) error {
	n, err := startNode(o, o.nats, o.node, slog.New(slog.NewTextHandler(os.Stderr, nil)))
	if err != nil {
		return err
	}
	out = &shared{to: out}
	changes := n.cache.Watch(0)
	told := make(chan struct{})
	go func() {
		defer close(told)
		for e := range changes.Events(context.Background()) { // until Close
			fmt.Fprintln(out, e)
		}
	}()
	err = typed(ctx, o, n, in, out)
	changes.Close()
	<-told
	return errors.Join(err, n.end())
}

// typed does what is typed, until there is no more or ctx ends.
func typed(ctx context.Context, o options, n *node, in io.Reader, out io.Writer) error {
	lines := make(chan string)
	var fault error
	go func() { // it may wait in a read for ever; the process ends then
		defer close(lines)
		scan := bufio.NewScanner(in)
		for scan.Scan() {
			select {
			case lines <- scan.Text():
			case <-ctx.Done():
				return
			}
		}
		fault = scan.Err()
	}()
	for {
		select {
		case <-ctx.Done():
			return nil
		case line, ok := <-lines:
			if !ok {
				return fault
			}
			if err := one(ctx, o, n, strings.Fields(line), out); err != nil {
				fmt.Fprintln(out, err)
			}
		}
	}
}

func one(ctx context.Context, o options, n *node, words []string, out io.Writer) error {
	switch {
	case len(words) == 0:
		return nil
	case len(words) == 1 && words[0] == "show":
		return writeTable(out, []string{o.node}, map[string]*node{o.node: n})
	case len(words) == 2 && words[0] == "wait":
		return wait(ctx, words[1])
	}
	return apply(n, words)
}

// shared is written to by those who type and those who tell.
type shared struct {
	mu sync.Mutex
	to io.Writer
}

func (s *shared) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.to.Write(p)
}
