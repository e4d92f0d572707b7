// Command customsink shows how to give the membership cache a sink of one's own: it replays a capture
// and keeps, in a directory, a file for each group that lists its receivers.
//
//	go run ./examples/customsink
//	go run ./examples/customsink -dir /tmp/groups -until 10s
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/ofmcast/ofmcast/examples/internal/capture"
	"github.com/ofmcast/ofmcast/igmp/snooper"
	"github.com/ofmcast/ofmcast/mcast"
)

const usage = `customsink gives the membership cache a sink of its own, to show how: it replays what real hosts said in IGMP, and
keeps a file for each group that lists its receivers. It needs no root and no switch.

  customsink                            the built-in capture, its first minute, into ./groups
  customsink -dir /tmp/groups -until 10s
  customsink -pcap FILE                 a capture of your own

Files of groups that it does not hear of stay as they are.

Flags:
`

func main() {
	flag.Usage = func() {
		fmt.Fprint(flag.CommandLine.Output(), usage)
		flag.PrintDefaults()
	}
	dir := flag.String("dir", "groups", "keep the files in `DIR`")
	pcap := flag.String("pcap", "", "replay `FILE` (pcap or pcapng) instead of the built-in capture")
	until := flag.Duration("until", time.Minute, "stop that long after the first frame")
	flag.Parse()
	err := fmt.Errorf("unexpected argument %q; a capture is named with -pcap", flag.Arg(0))
	if flag.NArg() == 0 {
		err = run(context.Background(), *pcap, *dir, *until, os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "customsink:", err)
		os.Exit(1)
	}
}

// run replays the capture into the files and says what they are.
func run(ctx context.Context, pcap, dir string, until time.Duration, out io.Writer) error {
	frames, file, err := capture.Open(pcap)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}

	// The member here is the host, because a capture knows no ports. A switch's agent uses the port.
	cache := mcast.New(mcast.Config[snooper.Host]{Timing: mcast.Timing{QI: 10 * time.Second, QRI: 2 * time.Second}})
	if _, err := cache.AddSink("files", fileSink{dir}, mcast.SinkConfig{}); err != nil {
		return err
	}
	if err := replay(ctx, frames, cache, until); err != nil {
		return err
	}
	groups := 0
	for g := range cache.Groups() {
		fmt.Fprintf(out, "%s: receivers: %d\n", filepath.Join(dir, g.Group().String()), g.Len())
		groups++
	}
	_, err = fmt.Fprintf(out, "groups that have receivers %v after the first frame, with a file for each: %d\n", until, groups)
	return err
}

// replay feeds the cache with the frames and ends at until, as the capture's clock has it.
func replay(ctx context.Context, frames *capture.Reader, cache *mcast.Cache[snooper.Host], until time.Duration) error {
	snoop := snooper.New(snooper.Config{})
	var start time.Time
	for f, err := range frames.Frames() {
		if err != nil {
			return err
		}
		if start.IsZero() {
			start = f.At
		}
		if f.At.After(start.Add(until)) {
			break
		}
		if err := feed(ctx, cache, snoop, f); err != nil {
			return err
		}
	}
	return catchUp(ctx, cache, start.Add(until))
}

// feed gives the cache what a frame says.
func feed(ctx context.Context, cache *mcast.Cache[snooper.Host], snoop *snooper.Snooper, f capture.Frame) error {
	if err := catchUp(ctx, cache, f.At); err != nil {
		return err
	}
	for _, r := range snoop.Frame(1, f.Data, f.At).Records {
		err := cache.Apply(mcast.Report[snooper.Host]{
			Group:   mcast.Group{Addr: r.Group, Segment: uint32(r.VLAN)},
			Member:  r.Host,
			Kind:    mcast.Kind(r.Kind),
			Sources: r.Sources,
			Version: r.Version,
			At:      r.At,
		})
		if err != nil && !errors.Is(err, mcast.ErrLimit) && !errors.Is(err, mcast.ErrInvalid) {
			return err
		}
	}
	return cache.Flush(ctx)
}

// catchUp moves the cache's clock to t, doing on the way what is due, each at its own time.
func catchUp(ctx context.Context, cache *mcast.Cache[snooper.Host], t time.Time) error {
	for next, ok := cache.Next(); ok && !next.After(t); next, ok = cache.Next() {
		cache.Advance(next)
		if err := cache.Flush(ctx); err != nil {
			return err
		}
	}
	cache.Advance(t)
	return nil
}
