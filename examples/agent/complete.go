package main

import (
	"flag"
	"fmt"
	"log/slog"
	"net"
	"slices"
	"strings"

	"github.com/ofmcast/ofmcast/igmp/querier"
)

// complete fills in what depends on other flags, and checks what they say together.
func (o *options) complete(fs *flag.FlagSet) error {
	if !given(fs, "state") && o.openflow == "" {
		o.state = stateDir + "/" + o.bridge + ".state"
	}
	if o.openflow == "" {
		o.openflow = "unix:/var/run/openvswitch/" + o.bridge + ".mgmt"
	}
	if fs.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", fs.Arg(0))
	}
	for _, check := range []func() error{o.checkWays, o.checkAmounts, o.checkQueries, o.completeTunnel} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// wrong is an error of what flags, named with spaces between, say together. The first of them that the
// configuration file has set has its line in it.
func (o *options) wrong(flags, format string, args ...any) error {
	return o.file.Blame(fmt.Errorf(format, args...), strings.Fields(flags)...)
}

// roleFlags may all give a role to a port.
const roleFlags = " role router-port tunnel"

func (o *options) checkWays() error {
	switch {
	case o.bridge == "":
		return o.wrong("bridge", "-bridge has no name")
	case o.roles[o.gateway] != 0:
		return o.wrong("gateway"+roleFlags, "%s cannot be gateway and %v", o.gateway, o.roles[o.gateway])
	case len(o.uplinks) > 0 && o.gateway == "":
		return o.wrong("uplink", "-uplink needs -gateway: without one the kernel gets no packets to route")
	case !isAddress(o.openflow):
		return o.wrong("openflow", "-openflow takes unix:PATH or tcp:HOST:PORT")
	case o.ovsdb != "" && !isAddress(o.ovsdb):
		return o.wrong("ovsdb", "-ovsdb takes unix:PATH or tcp:HOST:PORT")
	case slices.Contains(o.uplinks, o.gateway) && o.gateway != "":
		return o.wrong("uplink gateway", "%s cannot be gateway and uplink", o.gateway)
	case len(o.uplinks) > len(slices.Compact(slices.Sorted(slices.Values(o.uplinks)))):
		return o.wrong("uplink", "an uplink is named twice")
	case o.ovsSnooping && o.ovsdb == "":
		return o.wrong("ovs-snooping ovsdb", "-ovs-snooping needs -ovsdb")
	case o.onExit != exitKeep && o.onExit != exitClean:
		return o.wrong("on-exit", "-on-exit is %s or %s", exitKeep, exitClean)
	case !isHTTP(o.http):
		return o.wrong("http", "-http takes HOST:PORT or :PORT")
	}
	return nil
}

// maxPacketRate is far more than a port can need.
const maxPacketRate = 1 << 20

func (o *options) checkAmounts() error {
	switch {
	case o.groupsPerPort < 1:
		return o.wrong("groups-per-port", "-groups-per-port must be positive")
	case o.maxSources < 1:
		return o.wrong("sources-per-group", "-sources-per-group must be positive")
	case o.groupInterval <= 0:
		return o.wrong("group-interval", "-group-interval must be positive")
	case o.packetRate == 0 || o.packetRate > maxPacketRate:
		return o.wrong("packet-rate", "-packet-rate must be between 1 and %d", maxPacketRate)
	}
	return nil
}

// checkQueries says what a querier would not take, in the words of the flags.
func (o *options) checkQueries() error {
	if o.queryResponse <= 0 || o.queryResponse >= o.queryInterval {
		return o.wrong("query-response query-interval", "-query-response must be positive, and less than -query-interval: %v, %v",
			o.queryResponse, o.queryInterval)
	}
	if _, err := querier.New(querierConfig(*o, slog.New(slog.DiscardHandler))); err != nil {
		return o.wrong("query-interval query-response query-versions query-address", "queries: %w", err)
	}
	return nil
}

// isAddress says whether s names a socket in one of the two ways.
func isAddress(s string) bool {
	network, where, ok := strings.Cut(s, ":")
	if network == "tcp" {
		_, _, err := net.SplitHostPort(where)
		return err == nil
	}
	return ok && network == "unix" && where != ""
}
