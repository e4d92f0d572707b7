// Command servicelb shows what a Service's load balancing costs on the wire: however many endpoints
// come or go, a change is one GROUP_MOD.
//
//	go run ./examples/servicelb
//	go run ./examples/servicelb -switch unix:/var/run/openvswitch/br0.mgmt
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/netip"
	"os"
	"os/signal"
	"syscall"

	"github.com/ofmcast/ofmcast/examples/internal/ofswitch"
	"github.com/ofmcast/ofmcast/ofgroup"
)

// Two groups of one Service: clients spread over the endpoints, and the same with session affinity.
var services = []service{
	{name: "web", table: tableEndpoint},
	{name: "web with session affinity", table: tableAffinity},
}

// The groups get the first of these numbers that the switch does not have yet.
const firstID, lastID = 10, 99

// What happens to the endpoints: 3, then 4, 3, 0 and 3 again.
var (
	endpointA = netip.MustParseAddrPort("192.0.2.1:8080")
	endpointB = netip.MustParseAddrPort("192.0.2.2:8080")
	endpointC = netip.MustParseAddrPort("[2001:db8::3]:8080")
	endpointD = netip.MustParseAddrPort("[2001:db8::4]:8080")

	history = [][]netip.AddrPort{
		{endpointA, endpointB, endpointC},
		{endpointA, endpointB, endpointC, endpointD},
		{endpointA, endpointC, endpointD},
		{},
		{endpointA, endpointB, endpointC},
	}
)

const usage = `servicelb gives a Service with three endpoints a fourth, takes one, takes all and brings them back,
in two groups, and shows what each change costs: one GROUP_MOD. Without -switch it needs no root and no
switch; with it, the right to open the switch's socket.

  servicelb                                             a switch in this process
  servicelb -switch unix:/var/run/openvswitch/br0.mgmt  your bridge: it gets two groups between 10 and 99, which stay

Flags:
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	flag.Usage = func() {
		fmt.Fprint(flag.CommandLine.Output(), usage)
		flag.PrintDefaults()
	}
	address := flag.String("switch", "", "program the switch at `ADDRESS` (unix:PATH or tcp:HOST:PORT) instead of one in this process")
	flag.Parse()
	err := fmt.Errorf("unexpected argument %q", flag.Arg(0))
	if flag.NArg() == 0 {
		err = run(ctx, *address, os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "servicelb:", err)
		os.Exit(1)
	}
}

// run plays the history of each service against the switch and prints every message.
func run(ctx context.Context, address string, out io.Writer) error {
	sw, err := ofswitch.Open(ctx, address)
	if err != nil {
		return err
	}
	defer func() { _ = sw.Close() }()

	table := ofgroup.NewTable(sw, ofgroup.TableConfig{IDs: ofgroup.NewIDAllocator(firstID, lastID), Owns: sw.Owns})
	for _, s := range services {
		if err := play(ctx, table, sw, s, out); err != nil {
			return errors.Join(err, sw.DeleteAll(table)) // nothing half done stays
		}
	}
	changes := len(services) * len(history)
	fmt.Fprintf(out, "%d changes, %d GROUP_MODs to %s\n", changes, sw.GroupMods(), sw.Name())
	return printHeld(table, out)
}

// play gives the service its endpoints as history has them, one Commit a change.
func play(ctx context.Context, table *ofgroup.Table, sw *ofswitch.Switch, s service, out io.Writer) (err error) {
	if s.group, err = table.Allocate(); err != nil {
		return err
	}
	fmt.Fprintf(out, "%s: group %d, its buckets resubmit to table %d\n\n", s.name, s.group, s.table)
	before := 0
	for _, endpoints := range history {
		if _, err := table.Commit(ctx, s.describe(endpoints)); err != nil {
			return err
		}
		fmt.Fprintf(out, "  %d → %d endpoints", before, len(endpoints))
		for _, m := range sw.News() {
			fmt.Fprintf(out, ": one GROUP_MOD of %d bytes\n    %v\n", m.Len(), m)
		}
		fmt.Fprintln(out)
		before = len(endpoints)
	}
	return nil
}

// printHeld prints what the switch holds at the end, as lines that ovs-ofctl add-groups takes.
func printHeld(table *ofgroup.Table, out io.Writer) error {
	fmt.Fprintln(out, "\nthe switch holds")
	for g := range table.Groups() {
		if _, err := fmt.Fprintln(out, g); err != nil {
			return err
		}
	}
	return nil
}
