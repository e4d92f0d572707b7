// Command groupdump shows OpenFlow groups as ovs-ofctl writes them: in messages, one a line in
// hexadecimal, or on a live switch, with what it counts for them.
//
//	groupdump < messages.hex
//	groupdump -roundtrip < messages.hex | diff - messages.hex
//	groupdump -switch unix:/var/run/openvswitch/br0.mgmt
//	groupdump -switch unix:/var/run/openvswitch/br0.mgmt -watch
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

// The exit status.
const (
	exitDone   = 0 // everything was decoded, or listed
	exitFailed = 1 // some lines were not; standard error says which
	exitUsage  = 2 // wrong flags, or no connection to the switch
)

const usage = `groupdump reads OpenFlow messages about groups from standard input, one a line in hexadecimal, and prints
a line for each: what ovs-ofctl add-groups takes, or, after "#", what else a message says. A reply has a line for each
group in it. Lines that cannot be decoded are told on standard error.

With -switch it lists the groups of a live switch instead. That changes nothing there, and asks for the statistics of all
groups and for the description of one at a time, for which the switch must speak OpenFlow 1.5: in 1.3 it gives only all. It
needs the right to open the switch's socket, and nothing else.

  echo 060f001800000001000200000000000700000000ffffffff | groupdump
  groupdump -switch unix:/var/run/openvswitch/br0.mgmt
  groupdump -switch unix:/var/run/openvswitch/br0.mgmt -watch

The exit status is 0 if everything was decoded, 1 if some lines were not (or, with -roundtrip, became other bytes), and
2 for wrong flags or a switch that cannot be reached.

Flags:
`

// options is what the command line says.
type options struct {
	roundtrip bool
	address   string
	watch     bool
	interval  time.Duration
	describe  int
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is the whole program; it returns the exit status.
func run(ctx context.Context, args []string, in io.Reader, out, errOut io.Writer) int {
	o, err := parse(args, errOut)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return exitDone
	case err != nil:
		fmt.Fprintln(errOut, "groupdump:", err)
		return exitUsage
	case o.address != "":
		if err := list(ctx, o, out); err != nil {
			fmt.Fprintln(errOut, "groupdump:", err)
			return exitUsage
		}
		return exitDone
	}
	ok, err := dump(in, out, o.roundtrip, func(line int, err error) {
		fmt.Fprintf(errOut, "groupdump: line %d: %v\n", line, err)
	})
	if err != nil {
		fmt.Fprintln(errOut, "groupdump:", err)
	}
	if err != nil || !ok {
		return exitFailed
	}
	return exitDone
}

func parse(args []string, errOut io.Writer) (options, error) {
	var o options
	f := flag.NewFlagSet("groupdump", flag.ContinueOnError)
	f.SetOutput(io.Discard) // run says what is wrong
	f.Usage = func() {}
	f.BoolVar(&o.roundtrip, "roundtrip", false, "print the messages encoded again, in hexadecimal")
	f.StringVar(&o.address, "switch", "", "list the groups of the switch at `ADDRESS` (unix:PATH or tcp:HOST:PORT)")
	f.BoolVar(&o.watch, "watch", false, "with -switch: show it again and again, with packets and bytes a second")
	f.DurationVar(&o.interval, "interval", time.Second, "with -watch: how long to wait in between")
	f.IntVar(&o.describe, "describe", 700, "with -switch: leave the buckets of larger groups alone, as `BUCKETS` in more\n"+
		"than 64 KiB, which only inserts can bring about, take Open vSwitch down when they are asked for")
	err := f.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(errOut, usage)
		f.SetOutput(errOut)
		f.PrintDefaults()
		return o, err
	case err != nil:
		return o, err
	case f.NArg() > 0:
		return o, fmt.Errorf("unexpected argument %q", f.Arg(0))
	case o.watch && o.address == "":
		return o, errors.New("-watch needs -switch")
	case o.roundtrip && o.address != "":
		return o, errors.New("-roundtrip is for messages, not for -switch")
	case o.interval <= 0:
		return o, fmt.Errorf("interval %v", o.interval)
	case o.describe < 0:
		return o, fmt.Errorf("-describe %d: groups have no fewer buckets than 0", o.describe)
	}
	return o, nil
}
