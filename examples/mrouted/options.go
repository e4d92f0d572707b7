package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/ofmcast/ofmcast/igmp/querier"
)

// options is what the command line says.
type options struct {
	inside, outside []string

	table    uint
	version  uint
	interval time.Duration
	response time.Duration
	check    bool
	json     bool
}

const usage = `mrouted forwards IP multicast between networks by what their hosts have joined: an IGMP proxy (RFC 4605).

  mrouted -inside eth1,eth2 -outside eth0

Inside are the networks whose hosts it serves. There it is the IGMP querier, and hears what the hosts want.
Outside is where other routers are. There it joins, as one host, what all hosts inside together want, with
their source filters. The kernel forwards: what comes from outside to the inside interfaces where somebody
wants it of that source; what comes from inside to the others inside likewise, and outside always. Where
another querier is inside, that one forwards, and this program stands back.

Groups in 232.0.0.0/8 are joined for named sources alone (RFC 4607). Groups in 224.0.0.0/24 stay where they
are. A packet with TTL 1, which is what senders give it unless told otherwise, stays too.

Interfaces may come, go and return. Hosts that have become silent, or an interface that has gone, count for
two or three intervals more. When the program ends the kernel forwards nothing any more. It needs
CAP_NET_ADMIN and CAP_NET_RAW; each inside interface needs an IPv4 address; and one such program may run in
a network namespace for each -table.

On a terminal it shows a table that keeps itself up to date: the interfaces; the groups with their inside
interfaces, what is wanted there (EXCLUDE{} is every source) and for how long without another report; and
the streams with the packets that came in, those of the last second, and where they go. Elsewhere it prints
a line for each change, and the table at the end.

With -json every line is an object with time (RFC 3339) and event:

  started     inside, outside, table, version, interval_s, response_s
  finding     what -check has found: problem, interface, blocks (packets are lost for certain), detail, remedy
  interface   interface, up: whether it is there and up
  querier     interface, querier: true if this program is it; elected: its address
  joined, refiltered, left, expired
              group, interface, mode (INCLUDE or EXCLUDE), sources; of left and expired what was wanted
              before. left is by a leave, expired by silence
  route       source, group, in, out: a stream that has begun, or that goes another way; out may be empty
  unrouted    source, group: it is over
  table       interfaces: interface, outside, up, querier, elected; groups: group, mode and sources of all
              together, members: interface, mode, sources, age_s, left_s, leaving (a leave is being checked);
              routes: source, group, in, out, packets, rate (packets in the last second), wrong_if (packets
              that came elsewhere and were dropped); joins: memberships outside; sent, failed: queries;
              reports: records taken, refused: those not. It is the last line

Failures that are tried again are written to the standard error, unless there is a live table.

Signals: SIGINT and SIGTERM end it. Exit status: 0, 1 if it cannot run, 2 for wrong options.

Flags:
`

// parseOptions reads the command line. What it does not understand it says to stderr.
func parseOptions(args []string, stderr io.Writer) (o options, err error) {
	fs := flag.NewFlagSet("mrouted", flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.Usage = func() {
		fmt.Fprint(stderr, usage)
		fs.PrintDefaults()
	}
	names := func(into *[]string) func(string) error {
		return func(s string) error {
			*into = append(*into, strings.Split(s, ",")...)
			return nil
		}
	}
	fs.Func("inside", "the `INTERFACES` with the hosts, names with commas between", names(&o.inside))
	fs.Func("outside", "the `INTERFACES` with the other routers, mostly one", names(&o.outside))
	fs.UintVar(&o.table, "table", 0, "multicast routing `TABLE` of the kernel, with its rules (default the one that needs none)")
	fs.UintVar(&o.version, "version", 3, "IGMP `VERSION` to ask in: 3, which hosts of every version answer; 2 only where a router inside\nknows nothing newer")
	fs.DurationVar(&o.interval, "interval", 125*time.Second, "time between general queries")
	fs.DurationVar(&o.response, "response", 0, "time that hosts have to answer one (default 10s, or half the interval if that is less)")
	fs.BoolVar(&o.check, "check", false, "look, for some seconds, for what keeps multicast away silently")
	fs.BoolVar(&o.json, "json", false, "print objects, one a line")
	if err := fs.Parse(args); err != nil {
		return o, err
	}
	return o, o.validate(fs)
}

// maxTable is the kernel's.
const maxTable = 999_999_999

func (o *options) validate(fs *flag.FlagSet) error {
	all := slices.Concat(o.inside, o.outside)
	slices.Sort(all)
	switch {
	case fs.NArg() > 0:
		return fmt.Errorf("unexpected argument %q", fs.Arg(0))
	case len(o.inside) == 0:
		return errors.New("name an interface with -inside")
	case len(o.outside) == 0:
		return errors.New("name an interface with -outside")
	case slices.Contains(all, ""):
		return errors.New("an interface without a name")
	case len(slices.Compact(slices.Clone(all))) != len(all):
		return errors.New("an interface is named twice; it is inside or outside")
	case o.table > maxTable:
		return fmt.Errorf("-table must be at most %d", maxTable)
	case o.version != 2 && o.version != 3:
		return errors.New("-version must be 2 or 3") // version 1 knows no leaves
	}
	_, err := querier.New(o.querierConfig(sample)) // it says what of the times cannot be
	return err
}
