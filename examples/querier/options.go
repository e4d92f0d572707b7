package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"time"
)

// options is what the command line says.
type options struct {
	iface    string
	version  uint
	interval time.Duration
	response time.Duration
	proxy    bool

	json bool
	once bool
	for_ time.Duration
}

const usage = `querier asks the hosts of a network which multicast groups they want, and shows what they answer. It is
for networks whose switches snoop but have no querier: there multicast works until the switches forget
their entries, after some minutes, because nobody asks the hosts to repeat themselves.

  querier -i eth0

It stands back while another querier with a lower address is there, and takes over when that falls
silent. Programs on this host are asked too. It needs CAP_NET_RAW, and an IPv4 address on the interface
or -proxy. An interface that goes down, is deleted or gets another address is waited for and used again.

On a terminal it shows a table that keeps itself up to date: each group, the hosts in it by address and
IGMP version, what they want (EXCLUDE{} is every source), for how long they have been there, and for how
long they stay without another report. Elsewhere it prints a line for each change, and the table at the
end. Hosts are told apart by their Ethernet addresses. Where no switch snoops, hosts of IGMPv1 and v2 hear
one another and only one of them reports each group.

With -json every line is an object with time (RFC 3339) and event:

  started       interface, version, interval_s, response_s
  querier       querier: true if this program is it; elected: its address
  interface     up: whether the interface is there and up
  joined, refiltered, left, expired
                group, host, mac, version, mode (INCLUDE or EXCLUDE), sources; of left and expired what the
                host wanted before. left is by a leave, expired by silence
  table         as querier, and groups: group, members: host, mac, version, mode, sources, age_s, left_s,
                leaving (a leave is being checked); sent, failed: number of queries; reports: records taken,
                refused: those not. It is the last line, and with -once the only one

Signals: SIGINT and SIGTERM end it. Exit status: 0, 1 if it cannot run, 2 for wrong options.

Flags:
`

// parseOptions reads the command line. What it does not understand it says to stderr.
func parseOptions(args []string, stderr io.Writer) (o options, err error) {
	fs := flag.NewFlagSet("querier", flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.Usage = func() {
		fmt.Fprint(stderr, usage)
		fs.PrintDefaults()
	}
	fs.StringVar(&o.iface, "i", "", "the `INTERFACE`")
	fs.UintVar(&o.version, "version", 3, "IGMP `VERSION` to ask in: 3, which hosts of every version answer; 2 or 1 only where a router\nof the network knows nothing newer")
	fs.DurationVar(&o.interval, "interval", 125*time.Second, "time between general queries")
	fs.DurationVar(&o.response, "response", 0, "time that hosts have to answer one (default 10s, or half the interval if that is less)")
	fs.BoolVar(&o.proxy, "proxy", false, "ask from 0.0.0.0, as a switch without an address does, and stand back for every querier")
	fs.BoolVar(&o.json, "json", false, "print objects, one a line")
	fs.BoolVar(&o.once, "once", false, "ask, wait for the answers, print the table, and end")
	fs.DurationVar(&o.for_, "for", 0, "end after this `DURATION` (default: go on)")
	if err := fs.Parse(args); err != nil {
		return o, err
	}
	return o, o.check(fs)
}

func (o *options) check(fs *flag.FlagSet) error {
	switch {
	case fs.NArg() > 0:
		return fmt.Errorf("unexpected argument %q", fs.Arg(0))
	case o.iface == "":
		return errors.New("name an interface with -i")
	case o.version < 1 || o.version > 3:
		return errors.New("-version must be 1, 2 or 3")
	case o.for_ < 0:
		return errors.New("-for must not be negative")
	case o.once && o.for_ > 0:
		return errors.New("-once has an end of its own; leave out -for")
	}
	_, err := o.newQuerier(sample) // the querier says what of the times cannot be
	return err
}
