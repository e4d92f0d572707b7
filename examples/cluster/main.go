// Command cluster shares multicast memberships between nodes through the key-value store of NATS
// JetStream. It shows what package exchange does, without any network to forward: memberships are typed
// or scripted, and a table shows which node knows what.
//
//	go run . -embedded
//	go run . -nats nats://127.0.0.1:4222 -node a
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
)

type options struct {
	nats     string
	embedded bool
	node     string
	bucket   string
	lease    time.Duration
	keep     time.Duration
	script   string
	quiet    time.Duration // in tests
}

const usage = `cluster shares multicast memberships between nodes through the key-value store of NATS JetStream.

  cluster -embedded              a trial: an engine and three nodes in this process, which join, leave,
                                 die and come back by a script, and a table of who knows what
  cluster -embedded -script -    the same, by what you type
  cluster -nats nats://127.0.0.1:4222 -node a
                                 one node at an engine of yours, by what you type

A script has a command a line:

  a join 239.1.1.1 3     port 3 of node a joins; with @10 behind the group in VLAN 10
  a join 232.1.1.1 3 192.0.2.1 192.0.2.2
                         ... for these sources only
  a leave 239.1.1.1 3    and leaves
  a kill, a start        the node dies without a word, and comes back with no memory
  engine kill, engine start
  wait 2s                nothing for a while
  show                   the table

With -nats the node's name in front is left out, and there are only join, leave, wait and show. The
node takes its leave at the end of what is typed, and by ctrl-C.

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
		err = run(ctx, o, os.Stdin, os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "cluster:", err)
		os.Exit(1)
	}
}

func parseOptions(args []string, stderr io.Writer) (o options, err error) {
	fs := flag.NewFlagSet("cluster", flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.Usage = func() {
		fmt.Fprint(stderr, usage)
		fs.PrintDefaults()
	}
	host, _ := os.Hostname()
	fs.StringVar(&o.nats, "nats", "", "be a node at the engine at `URL`")
	fs.BoolVar(&o.embedded, "embedded", false, "run an engine and three nodes, a, b and c, in this process")
	fs.StringVar(&o.node, "node", host, "with -nats, the node's `NAME`")
	fs.StringVar(&o.bucket, "bucket", "ofmcast", "keep groups in the bucket `NAME`, leases in NAME_nodes")
	fs.DurationVar(&o.lease, "lease", 0, "believe a silent node for so long (default 15s, with -embedded 3s)")
	fs.DurationVar(&o.keep, "keep", time.Hour, "have the engine keep for so long what a dead node wrote")
	fs.StringVar(&o.script, "script", "", "with -embedded, do what `FILE` says instead of the built-in script; - is the standard input")
	if err := fs.Parse(args); err != nil {
		return o, err
	}
	if o.lease == 0 {
		o.lease = 15 * time.Second
		if o.embedded {
			o.lease = 3 * time.Second
		}
	}
	switch {
	case fs.NArg() > 0:
		return o, fmt.Errorf("unexpected argument %q", fs.Arg(0))
	case o.embedded == (o.nats != ""):
		return o, errors.New("give -embedded or -nats URL")
	case o.lease < time.Second || o.keep < o.lease:
		return o, errors.New("-lease must be at least 1s and -keep no shorter than that")
	case o.script != "" && !o.embedded:
		return o, errors.New("-script is for -embedded; with -nats the standard input is read")
	}
	return o, nil
}

// run is the trial, or one node.
func run(ctx context.Context, o options, in io.Reader, out io.Writer) error {
	if !o.embedded {
		return runNode(ctx, o, in, out)
	}
	script, closeScript, err := openScript(o.script, in)
	if err != nil {
		return err
	}
	defer func() { _ = closeScript() }()
	return runTrial(ctx, o, script, out)
}
