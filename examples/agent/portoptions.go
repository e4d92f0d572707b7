package main

import (
	"flag"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ofmcast/ofmcast/examples/agent/config"
)

// portFlags are the flags about single ports and their VLANs.
func (o *options) portFlags(fs *flag.FlagSet) {
	fs.Var(config.List(func(s string) error { return o.addRole(s, roleRouter) }), "router-port",
		"a bridge's `PORT` beyond which a multicast router or querier lives; the same as -role PORT=router")
	fs.Var(config.List(func(s string) error { return o.addRole(s, roleTunnel) }), "tunnel",
		"a bridge's `PORT` that leads to other nodes; the same as -role PORT=tunnel")
	fs.Var(config.List(func(s string) error {
		name, role, _ := strings.Cut(s, "=")
		r, ok := roleNames()[role]
		if !ok || r == roleGateway {
			return fmt.Errorf("%q is none of PORT=member, uplink, router, tunnel", s)
		}
		return o.addRole(name, r)
	}), "role", "`PORT=ROLE`, which may be repeated: member, uplink, router or tunnel; see above")
	fs.Var(config.List(func(s string) error {
		vlan, err := strconv.ParseUint(s, 10, 12)
		if err != nil || vlan > lastVLAN {
			return fmt.Errorf("%q is no VLAN", s)
		}
		if !slices.Contains(o.vlans, uint16(vlan)) {
			o.vlans = append(o.vlans, uint16(vlan))
		}
		return nil
	}), "vlan", "a `VLAN` to serve on ports that carry every VLAN, beside those that a port is set to;\nmay be repeated")
	fs.Func("report", "`HOW` router ports hear of members: proxy (default), one report for all of them, or\ntransparent, every report as it is", func(s string) error {
		o.transparent = s == "transparent"
		if s != "proxy" && s != "transparent" {
			return fmt.Errorf("%q is neither proxy nor transparent", s)
		}
		return nil
	})
}

func (o *options) addRole(port string, r role) error {
	if port == "" {
		return fmt.Errorf("a role needs the name of a port")
	}
	if was, ok := o.roles[port]; ok && was != r {
		return fmt.Errorf("%s is said to be %v and %v", port, was, r)
	}
	o.roles[port] = r
	return nil
}
