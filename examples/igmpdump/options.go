package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
)

// options is what the command line says.
type options struct {
	file  string
	iface string
	json  bool
	all   bool
	whole bool
	count int
}

const usage = `igmpdump shows what IGMP says, one line a packet: who asks, who wants which group from which sources,
and what is wrong with a packet.

  igmpdump FILE.pcap       a capture: pcap or pcapng, also gzip'd; - is the standard input
  igmpdump -i eth0         an interface, until a signal; needs CAP_NET_RAW

A line has the frame's number, seconds since the first packet shown (with -i the time of day), source
> destination, and the message. In brackets: VLANs, a TTL other than 1, a missing Router Alert (versions
2 and 3), a wrong checksum, and why a packet could not be decoded.

With -json a line is an object. Keys that do not apply are absent:

  n             number of the frame, from 1; with -i, of the packets shown
  time          RFC 3339, UTC, six digits of a second (nine where the capture has them)
  vlans         numbers of the VLAN tags, outermost first; 0 is a priority tag; absent without tags
  eth_src       Ethernet address of the sender; absent where a capture has none
  src, dst      addresses of the IPv4 header
  ttl           of the IPv4 header
  router_alert  true or false: the IPv4 option
  type          query, report-v1, report-v2, leave, report-v3; other for what else is IP protocol 2
  version       1, 2 or 3; not of type other, nor of a query of a length that has none
  max_resp_ms   of queries; of version 1, which has no field for it, the 10000 that it means
  group         of all but report-v3 and other; 0.0.0.0 in a general query
  s_flag, qrv, qqi_s, sources
                of version 3 queries; sources may be []
  records       of report-v3, may be []: type, group, sources, aux_words, all four always. type is the
                RFC's name (MODE_IS_INCLUDE, MODE_IS_EXCLUDE, CHANGE_TO_INCLUDE_MODE,
                CHANGE_TO_EXCLUDE_MODE, ALLOW_NEW_SOURCES, BLOCK_OLD_SOURCES), or UNKNOWN(7)
  checksum_ok   the IGMP checksum, over all of the IPv4 payload; absent if not all of it is there
  error         why a packet could not be decoded; the other keys are what could be read all the same.
                A wrong IGMP checksum alone is no error.

A packet is IGMP if it is IPv4 and its protocol is 2, however broken. Lists that are cut hold what is
there. With -all every other frame is shown too, its error says what it is.

Exit status: 0, 1 for a file or interface that cannot be read to its end, 2 for wrong options.

Flags:
`

// parseOptions reads the command line. What it does not understand it says to stderr.
func parseOptions(args []string, stderr io.Writer) (o options, err error) {
	fs := flag.NewFlagSet("igmpdump", flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.Usage = func() {
		fmt.Fprint(stderr, usage)
		fs.PrintDefaults()
	}
	fs.StringVar(&o.iface, "i", "", "read the `INTERFACE`")
	fs.BoolVar(&o.json, "json", false, "print objects")
	fs.BoolVar(&o.all, "all", false, "show frames that are not IGMP too")
	fs.BoolVar(&o.whole, "full", false, "in text, lists of more than 8 records or sources in full")
	fs.IntVar(&o.count, "c", 0, "end after `N` packets shown (default: do not)")
	if err := fs.Parse(args); err != nil {
		return o, err
	}
	o.file = fs.Arg(0)
	if fs.NArg() > 1 { // flags may follow the file
		if err := fs.Parse(fs.Args()[1:]); err != nil {
			return o, err
		}
		if fs.NArg() > 0 {
			return o, fmt.Errorf("unexpected argument %q", fs.Arg(0))
		}
	}
	switch {
	case (o.file == "") == (o.iface == ""):
		return o, errors.New("name a FILE or, with -i, an INTERFACE; -help says more")
	case o.count < 0:
		return o, errors.New("-c must not be negative")
	}
	return o, nil
}
