// Command quickstart turns what real hosts said in IGMP into OpenFlow groups: it replays a capture,
// on the capture's own clock, through decoder, snooper, membership cache and sink into a switch, and
// shows the one GROUP_MOD that each change causes. It needs no root, no Open vSwitch and no network.
//
//	go run ./examples/quickstart
//	go run ./examples/quickstart -pcap FILE.pcap -qi 125s -qri 10s
//	go run ./examples/quickstart -switch unix:/var/run/openvswitch/br0.mgmt -until 60s
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/ofmcast/ofmcast/examples/internal/capture"
	"github.com/ofmcast/ofmcast/examples/internal/ofswitch"
)

type options struct {
	pcap    string
	address string
	qi, qri time.Duration
	until   time.Duration
	json    bool
	colour  bool
}

const usage = `quickstart turns what real hosts said in IGMP into OpenFlow groups: it replays a capture through
decoder, snooper, membership cache and sink into a switch, and shows the one GROUP_MOD that each
change causes. Port numbers stand for source MAC addresses, in the order in which they are seen.
Without -switch it needs no root, no Open vSwitch and no network.

  quickstart                                    the built-in capture, a switch in this process
  quickstart -pcap FILE -qi 125s -qri 10s       a capture of your own
  quickstart -switch unix:/var/run/openvswitch/br0.mgmt -until 60s
                                                groups 1000 and up on your bridge, but none that is there

Flags:
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends at once
	o, err := parseOptions(os.Args[1:], os.Stderr)
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err == nil {
		o.colour = isTerminal(os.Stdout)
		err = run(ctx, o, os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "quickstart:", err)
		os.Exit(1)
	}
}

func parseOptions(args []string, stderr io.Writer) (o options, err error) {
	fs := flag.NewFlagSet("quickstart", flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.Usage = func() {
		fmt.Fprint(stderr, usage)
		fs.PrintDefaults()
	}
	fs.StringVar(&o.pcap, "pcap", "", "replay `FILE` (pcap or pcapng, Ethernet; - is the standard input) instead of the built-in capture")
	fs.StringVar(&o.address, "switch", "", "program the switch at `ADDRESS` (unix:PATH or tcp:HOST:PORT) instead of one in this process")
	fs.DurationVar(&o.qi, "qi", 10*time.Second, "query interval of the capture's querier")
	fs.DurationVar(&o.qri, "qri", 2*time.Second, "query response interval of the capture's querier")
	fs.DurationVar(&o.until, "until", 0, "stop the clock this long after the first frame and leave the groups as they are then\n(default: go on until every membership has ended)")
	fs.BoolVar(&o.json, "json", false, "print the result as one JSON object, and nothing else")
	if err := fs.Parse(args); err != nil {
		return o, err
	}
	const longest = 24 * time.Hour
	switch {
	case fs.NArg() > 0:
		return o, fmt.Errorf("unexpected argument %q; a capture is named with -pcap", fs.Arg(0))
	case o.qi <= 0 || o.qri <= 0 || o.qi > longest || o.qri > longest:
		return o, errors.New("-qi and -qri must be more than 0 and at most 24h")
	case o.until < 0:
		return o, errors.New("-until must not be negative")
	}
	return o, nil
}

// run replays the capture that o names and prints what o asks for.
func run(ctx context.Context, o options, out io.Writer) error {
	frames, file, err := capture.Open(o.pcap)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	defer context.AfterFunc(ctx, func() { _ = file.Close() })() // ends a read that waits
	sw, err := ofswitch.Open(ctx, o.address)
	if err != nil {
		return err
	}
	defer func() { _ = sw.Close() }()

	events := &timeline{out: out, colour: o.colour}
	if o.json {
		events.out = io.Discard
	}
	r, err := newReplay(sw, o, events)
	if err != nil {
		return err
	}
	fault := r.run(ctx, frames.Frames())
	if ctx.Err() != nil || fault != nil && !errors.Is(fault, errFile) {
		return errors.Join(fault, sw.DeleteAll(r.table)) // nothing of ours stays on somebody's bridge
	}
	r.tally.packets += frames.Skipped()
	if o.json {
		return errors.Join(r.tally.writeJSON(out), fault)
	}
	return errors.Join(r.writeSummary(out), fault)
}

func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}
