package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"time"

	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
)

var errAddress = errors.New("not a switch address (unix:/path/to/BRIDGE.mgmt or tcp:HOST:PORT)")

// list shows the groups of the switch, once or until ctx ends. It is no error that ctx ends.
func list(ctx context.Context, o options, out io.Writer) error {
	network, where, ok := strings.Cut(o.address, ":")
	if !ok || (network != "unix" && network != "tcp") {
		return fmt.Errorf("%q: %w", o.address, errAddress)
	}
	session, err := ofconn.Open(ctx, ofconn.Config{Dial: func(ctx context.Context) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, network, where)
	}})
	if err != nil {
		return err
	}
	defer func() { _ = session.Close() }()
	if err := show(ctx, session, o, out, o.watch && isTerminal(out)); ctx.Err() == nil {
		return err
	}
	return nil
}

// show prints what it reads, once or again and again until ctx ends. On a screen it draws over what
// it drew before.
func show(ctx context.Context, sw source, o options, out io.Writer, screen bool) error {
	if screen {
		fmt.Fprint(out, clearScreen, noWrap)
		defer fmt.Fprint(out, wrap)
	}
	var before *snapshot
	for ctx.Err() == nil {
		now, err := read(ctx, sw, o.describe)
		if err != nil {
			return err
		}
		text := title(o.address, now) + "\n" + table(now, before, o.watch)
		if screen {
			text = home + strings.ReplaceAll(text, "\n", clearLine+"\n") + clearBelow
		}
		if _, err := io.WriteString(out, text); err != nil || !o.watch {
			return err
		}
		before = now
		select {
		case <-ctx.Done():
		case <-time.After(o.interval):
		}
		if !screen && ctx.Err() == nil {
			fmt.Fprintln(out)
		}
	}
	return nil
}

// title says what the table is about.
func title(address string, s *snapshot) string {
	buckets := 0
	for _, e := range s.entries {
		buckets += len(e.stats.Buckets)
	}
	return fmt.Sprintf("%s: %s, %s, %v\n", address, count(len(s.entries), "group"), count(buckets, "bucket"), s.version)
}

func count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// What tells a terminal to draw over what is there.
const (
	clearScreen = "\x1b[2J"
	home        = "\x1b[H"
	clearLine   = "\x1b[K"
	clearBelow  = "\x1b[J"
	noWrap      = "\x1b[?7l"
	wrap        = "\x1b[?7h"
)

func isTerminal(out io.Writer) bool {
	f, ok := out.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
