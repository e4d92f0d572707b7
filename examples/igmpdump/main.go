// Command igmpdump shows what IGMP says, packet by packet: in a capture, or on an interface.
//
//	igmpdump FILE.pcap
//	igmpdump -json -i eth0
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/ofmcast/ofmcast/examples/internal/capture"
)

func main() {
	o, err := parseOptions(os.Args[1:], os.Stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return
	case err != nil:
		fmt.Fprintln(os.Stderr, "igmpdump:", err)
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends at once
	if err := run(ctx, o, os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "igmpdump:", err)
		os.Exit(1)
	}
}

// run dumps what o names.
func run(ctx context.Context, o options, stdout, stderr io.Writer) error {
	out := bufio.NewWriter(stdout)
	d := &dump{all: o.all, most: o.count, write: writer(o, out)}
	var err error
	if o.iface != "" {
		err = d.live(ctx, o, out, stderr)
	} else {
		err = d.file(ctx, o.file)
	}
	if errors.Is(err, errEnough) {
		err = nil
	}
	if fault := out.Flush(); fault != nil && !errors.Is(err, fault) {
		err = errors.Join(err, fault)
	}
	return err
}

// writer writes one packet as the options ask for.
func writer(o options, out io.Writer) func(*packet) error {
	if o.json {
		lines := json.NewEncoder(out)
		lines.SetEscapeHTML(false)
		return func(p *packet) error { return lines.Encode(p) }
	}
	t := &text{out: out, clock: o.iface != "", whole: o.whole}
	return t.write
}

// dump shows frames one after the other.
type dump struct {
	reader
	all    bool
	most   int // packets to show; 0 is no limit
	shown  int
	unread int // frames of link types that are not known, and so not shown
	write  func(*packet) error
}

// errEnough ends a dump that has shown as many packets as it should.
var errEnough = errors.New("enough packets")

// frame shows frame number n, if it is IGMP or everything is to be shown.
func (d *dump) frame(n int, f capture.Frame) error {
	p, isIGMP := d.read(n, f)
	if !isIGMP && !d.all {
		if p.unread {
			d.unread++
		}
		return nil
	}
	if err := d.write(p); err != nil {
		return err
	}
	if d.shown++; d.shown == d.most {
		return errEnough
	}
	return nil
}

// file shows a capture file. One that is damaged is shown up to there.
func (d *dump) file(ctx context.Context, path string) error {
	frames, file, err := capture.OpenAny(path)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	defer context.AfterFunc(ctx, func() { _ = file.Close() })() // ends a read that waits
	n := 0
	for f, err := range frames.Frames() {
		if ctx.Err() != nil {
			return nil // as asked for by a signal
		}
		if err != nil {
			return err
		}
		n++
		if err := d.frame(n, f); err != nil {
			return err
		}
	}
	if d.unread > 0 {
		return fmt.Errorf("%d of %d frames are of link types that are not known; -all shows which", d.unread, n)
	}
	return nil
}
