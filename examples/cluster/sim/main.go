// Command sim works out what it costs to share memberships between many nodes: by flooding IGMPv3 reports
// to all, through an engine with everything watched, and through an engine with only what is of interest
// watched. The same random history, the same for a seed, is told all three ways.
//
//	go run ./sim
//	go run ./sim -nodes 200,2000 -zaps 10
//	go run ./sim -measure
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"time"
)

func main() {
	err := run(context.Background(), os.Args[1:], os.Stdout, os.Stderr)
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "sim:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out, stderr io.Writer) error {
	var p params
	fs := flag.NewFlagSet("sim", flag.ContinueOnError)
	fs.SetOutput(stderr)
	nodes := fs.String("nodes", "10,50,100,200,500,700,1000,2000,5000", "simulate so many nodes; a `LIST` gives a row each")
	fs.IntVar(&p.Groups, "groups", 2000, "groups in all")
	fs.IntVar(&p.Joined, "joined", 20, "groups that a node has members of")
	fs.IntVar(&p.Streams, "streams", 5, "groups that a node has senders of")
	fs.Float64Var(&p.Zaps, "zaps", 1, "how often a minute one of a node's memberships moves to another group")
	fs.DurationVar(&p.Time, "time", 10*time.Minute, "how long is simulated")
	fs.Uint64Var(&p.Seed, "seed", 1, "which history")
	fs.DurationVar(&p.QI, "qi", 125*time.Second, "time between reports in-band")
	fs.IntVar(&p.RV, "rv", 2, "how often a change is told in-band")
	fs.IntVar(&p.MTU, "mtu", 1450, "of the tunnels")
	fs.DurationVar(&p.Lease, "lease", 15*time.Second, "the lease of a node")
	fs.DurationVar(&p.Keep, "keep", time.Hour, "how long the engine keeps a group")
	again := fs.Bool("measure", false, "measure what a message costs with an engine in this process, and do nothing else")
	if err := fs.Parse(args); err != nil {
		return err
	}
	if *again {
		c, err := measure(ctx)
		if err != nil {
			return err
		}
		rate, err := fanOut(ctx)
		fmt.Fprintf(out, "%+v\n%.0f deliveries/s to 20 watchers\n", c, rate)
		return err
	}
	if err := p.check(); err != nil {
		return err
	}
	return rows(p, *nodes, out)
}

func (p params) check() error {
	switch {
	case p.Groups < 1 || p.Joined < 0 || p.Streams < 0 || p.Joined >= p.Groups || p.Streams > p.Groups:
		return errors.New("-joined must be less than -groups, and -streams at most that")
	case p.Zaps < 0 || p.Time <= 0 || p.QI <= 0 || p.Lease <= 0 || p.Keep <= 0 || p.RV < 1 || p.MTU < 68:
		return errors.New("times, -zaps, -rv and -mtu must make sense")
	}
	return nil
}

// rows prints a table in Markdown, a row for each number of nodes.
func rows(p params, nodes string, out io.Writer) error {
	fmt.Fprintln(out, "| nodes | flood: node sends /s | node gets /s | state | engine: node gets /s | state | engine sends /s | interest: node gets /s (most) | state | engine sends /s |")
	fmt.Fprintln(out, "| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
	for word := range strings.SplitSeq(nodes, ",") {
		n, err := strconv.Atoi(word)
		if err != nil || n < 1 || n > 20000 {
			return fmt.Errorf("%q is not a number of nodes from 1 to 20000", word)
		}
		p.Nodes = n
		r := simulate(p, measured)
		fmt.Fprintf(out, "| %d | %s | %s | %s | %s | %s | %s | %s (%.0f) | %s | %s |\n", n,
			rate(r.Flood.Mean.OutMsgs, r.Flood.Mean.OutBytes), rate(r.Flood.Mean.InMsgs, r.Flood.Mean.InBytes), size(r.Flood.State),
			rate(r.Engine.Mean.InMsgs, r.Engine.Mean.InBytes), size(r.Engine.State), rate(r.Engine.Engine.OutMsgs, r.Engine.Engine.OutBytes),
			rate(r.Partial.Mean.InMsgs, r.Partial.Mean.InBytes), r.Partial.Max.InMsgs, size(r.Partial.State),
			rate(r.Partial.Engine.OutMsgs, r.Partial.Engine.OutBytes))
	}
	return nil
}

// rate is messages and bits a second.
func rate(msgs, bytes float64) string {
	return round(msgs) + ", " + size(bytes * 8)[:len(size(bytes*8))-1] + "bit"
}

// size is bytes with a prefix.
func size(bytes float64) string {
	for _, unit := range []string{"B", "kB", "MB"} {
		if bytes < 1000 {
			return round(bytes) + " " + unit
		}
		bytes /= 1000
	}
	return round(bytes) + " GB"
}

// round is three digits or so.
func round(x float64) string {
	switch {
	case x < 10:
		return strconv.FormatFloat(x, 'f', 1, 64)
	case x < 10000:
		return strconv.FormatFloat(x, 'f', 0, 64)
	default:
		return strconv.FormatFloat(x/1000, 'f', 0, 64) + "k"
	}
}

func groupAddr(i int) netip.Addr { return netip.AddrFrom4([4]byte{239, 1, byte(i >> 8), byte(i)}) }
