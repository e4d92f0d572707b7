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
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
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

func main() {
	o := options{colour: isTerminal(os.Stdout)}
	flag.StringVar(&o.pcap, "pcap", "", "replay `FILE` (pcap or pcapng, Ethernet) instead of the built-in capture")
	flag.StringVar(&o.address, "switch", "", "program the switch at `ADDRESS` (unix:PATH or tcp:HOST:PORT) instead of one in this process")
	flag.DurationVar(&o.qi, "qi", 10*time.Second, "query interval of the capture's querier")
	flag.DurationVar(&o.qri, "qri", 2*time.Second, "query response interval of the capture's querier")
	flag.DurationVar(&o.until, "until", 0, "stop the clock this long after the first frame and leave the groups as they are then\n(default: go on until every membership has ended)")
	flag.BoolVar(&o.json, "json", false, "print the result as one JSON object, and nothing else")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, o, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "quickstart:", err)
		os.Exit(1)
	}
}

// run replays the capture that o names and prints what o asks for.
func run(ctx context.Context, o options, out io.Writer) error {
	frames, file, err := capture.Open(o.pcap)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
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
	if err := r.run(ctx, frames.Frames()); err != nil {
		return err
	}
	if o.json {
		return r.tally.writeJSON(out)
	}
	return r.writeSummary(out)
}

func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}
