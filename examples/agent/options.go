package main

import (
	"flag"
	"fmt"
	"io"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/ofmcast/ofmcast/examples/agent/config"
)

// options is what the command line says.
type options struct {
	args []string // the command line

	bridge   string
	openflow string // address of the bridge's OpenFlow socket
	ovsdb    string // address of the database's socket; empty: the bridge is not looked at
	gateway  string
	uplinks  []string

	roles       map[string]role // of ports, by name
	vlans       []uint16        // served beside those that ports are set to
	transparent bool            // reports go to router ports as they come
	tunnelOptions

	queryVersions []uint8
	queryInterval time.Duration
	queryResponse time.Duration
	queryAddr     netip.Addr

	state  string // path of the state file; empty: none
	onExit string

	ovsSnooping   bool
	noFence       bool
	packetRate    uint
	groupsPerPort int
	maxSources    int
	groupInterval time.Duration
	verbose       bool

	http      string // where the page is; empty: nowhere
	httpNames []string
	pprof     bool
	logJSON   bool

	config string       // path of the configuration file; empty: none
	file   *config.File // nil without
	dryRun bool
}

const usage = `agent gives the bridge of an Open vSwitch host multicast: it asks the hosts behind the
bridge's ports what they want (IGMPv1, v2, v3), and has the switch send each group's packets to the
ports that want them and nowhere else.

  agent -bridge br0 -gateway gw0 -uplink eth1
  agent status | why GROUP [SOURCE] PORT | doctor     look at one; each explains itself with -h

It attaches to the bridge's management socket and touches only what is its own: flows with the cookie
0x6f666d63 in the upper half, priorities 190 to 210 in table 0 and all of tables 100 and 101, groups
1 to 5 and 1000 to 65535 and, with VLANs, 100011 to 140944 (100101 to 100104 for VLAN 10), meters 11 to
65545. It does not begin while others use a group or a meter of these numbers. It takes the role of
master there, so that nothing of an earlier agent comes late; where the bridge's own controller is
master, use -no-fence.

Signals: SIGHUP reads the policy of the configuration file anew. SIGINT and SIGTERM end it. Flows and
groups stay on the switch, so traffic inside the bridge goes on (see -on-exit); a new agent, also after
a crash, takes them over together with the memberships of its state file, asks the hosts, and ends what
none of them confirms.

A port is a member, with hosts behind it that are served and not believed, unless it has another role:
  gateway  the kernel routes at its other end
  uplink   other switches and routers are beyond it: a querier there is honoured, and while a router is
           heard it gets all multicast and hears what members want
  router   an uplink with a router at all times
  tunnel   leads to other nodes, see below; without -node multicast from there is dropped, and none is sent
Roles come from the flags, else from external_ids:ofmcast-role of the Interface or the Port. Of a LAN, use
either a gateway with -uplink or a router beyond a port: with both, packets come twice.

VLANs are those of the ports' settings (tag, trunks, vlan_mode but dot1q-tunnel) and of -vlan: a group is
one of its own in each. Multicast in a VLAN that no setting and no -vlan names goes nowhere. The kernel
routes the VLAN that is untagged on the gateway's port. Roles and settings are followed while the agent
runs, within a second; while the database is away, from 2 s after its return.

` + tunnelUsage + `Flags:
`

// parseOptions reads the command line. What it does not understand it says to stderr.
func parseOptions(args []string, stderr io.Writer) (options, error) {
	return parseFlags(args, usage, stderr)
}

// parseFlags is parseOptions for a command with other words of help.
func parseFlags(args []string, usage string, stderr io.Writer) (options, error) {
	o := options{args: args, queryVersions: []uint8{3}, queryAddr: netip.IPv4Unspecified(), roles: make(map[string]role)}
	fs := flag.NewFlagSet("agent", flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.Usage = func() {
		fmt.Fprint(stderr, usage)
		fs.PrintDefaults()
	}
	fs.StringVar(&o.bridge, "bridge", "br0", "the `BRIDGE`")
	fs.StringVar(&o.openflow, "openflow", "", "`ADDRESS` of its OpenFlow socket, unix:PATH or tcp:HOST:PORT\n(default unix:/var/run/openvswitch/BRIDGE.mgmt)")
	fs.StringVar(&o.ovsdb, "ovsdb", "unix:/var/run/openvswitch/db.sock", "`ADDRESS` of the database socket; empty: do not look at the bridge's settings")
	fs.StringVar(&o.gateway, "gateway", "", "the bridge's `PORT` whose other end the kernel routes: it gets a copy of all multicast,\nso that local senders reach receivers elsewhere (default: none)")
	fs.Var(config.List(func(s string) error {
		o.uplinks = append(o.uplinks, s)
		return nil
	}), "uplink", "an outer kernel `INTERFACE` to join groups on and to route from and to; may be repeated")
	o.portFlags(fs)
	o.tunnelFlags(fs)
	fs.Func("query-versions", "IGMP `VERSIONS` to query in: 3 (default), 2 or 1; 1,2,3 together is for parity with other\nagents and makes IGMPv3 hosts fall back to version 1", func(s string) (err error) {
		o.queryVersions, err = parseVersions(s)
		return err
	})
	fs.DurationVar(&o.queryInterval, "query-interval", 125*time.Second, "time between general queries")
	fs.DurationVar(&o.queryResponse, "query-response", 10*time.Second, "time that hosts have to answer one")
	fs.Func("query-address", "source `ADDRESS` of queries (default: 0.0.0.0, as a switch without an address does)", func(s string) (err error) {
		o.queryAddr, err = netip.ParseAddr(s)
		return err
	})
	fs.BoolVar(&o.ovsSnooping, "ovs-snooping", false, "turn on the bridge's own snooping as well; it breaks IPv6 neighbour discovery between\nhosts once the switch's entries age, and nothing here needs it")
	fs.StringVar(&o.state, "state", "", "`FILE` for what the next agent must know; empty: none\n(default "+stateDir+"/BRIDGE.state, and with -openflow, which may name another switch, none)")
	fs.StringVar(&o.onExit, "on-exit", exitKeep, "`WHAT` becomes of flows and groups at the end: keep, and traffic inside the bridge goes on; or\nclean, and the bridge's settings are undone as well")
	fs.BoolVar(&o.noFence, "no-fence", false, "leave the roles of the bridge's controllers alone")
	fs.IntVar(&o.groupsPerPort, "groups-per-port", 1024, "how many `GROUPS` may be wanted on one port")
	fs.IntVar(&o.maxSources, "sources-per-group", 64, "how many `SOURCES` of one group the switch may tell apart; with more, the members that name\nthe most get everything that is sent to it, and an error is logged")
	fs.DurationVar(&o.groupInterval, "group-interval", 10*time.Millisecond, "least `TIME` between two changes of one multicast group on the switch; the first one after a\nquiet time does not wait")
	fs.UintVar(&o.packetRate, "packet-rate", 100, "IGMP `PACKETS` a second that one port may send to the agent; what is over is dropped by the switch")
	fs.BoolVar(&o.verbose, "v", false, "log every change")
	o.httpFlags(fs)
	o.configFlags(fs)
	if err := fs.Parse(args); err != nil {
		return o, err
	}
	if err := o.readConfig(fs); err != nil {
		return o, err
	}
	return o, o.complete(fs)
}

// stateDir is where the state file is, unless a flag says so. It does not outlive the machine, as
// memberships do not.
const stateDir = "/var/run/ofmcast"

// given says whether a flag was on the command line.
func given(fs *flag.FlagSet, name string) (there bool) {
	fs.Visit(func(f *flag.Flag) { there = there || f.Name == name })
	return there
}

func parseVersions(s string) ([]uint8, error) {
	var versions []uint8
	for _, word := range strings.Split(s, ",") {
		v, err := strconv.ParseUint(word, 10, 8)
		if err != nil || v < 1 || v > 3 {
			return nil, fmt.Errorf("%q is not an IGMP version", word)
		}
		versions = append(versions, uint8(v))
	}
	return versions, nil
}
