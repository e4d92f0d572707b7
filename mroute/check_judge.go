package mroute

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
)

// observations are what Check saw of a system. A nil map was not looked at, or could not be.
type observations struct {
	owned      bool            // by another than the caller
	owners     []string        // processes that it may be
	rules      map[string]bool // interfaces whose packets come to the table, "" for all; nil also for the default table
	interfaces map[string]interfaceState
	settings   map[string]int        // sysctls below net.ipv4
	back       map[netip.Addr]string // where packets to an address leave; "": nowhere
	ttl1       []Flow
}

// interfaceState is what matters of an interface.
type interfaceState struct {
	up, carrier, multicast bool
}

// Settings below net.ipv4 that are looked at.
const (
	settingForward = "ip_forward"
	settingGroups  = "igmp_max_memberships"
	settingSources = "igmp_max_msf"
	settingReverse = "rp_filter"
	settingVersion = "force_igmp_version"
)

// ofInterface is an interface's setting: the kernel takes the higher one of its own and that of all.
func (o *observations) ofInterface(setting, name string) int {
	return max(o.settings["conf/all/"+setting], o.settings["conf/"+name+"/"+setting])
}

func (o *observations) judge(cfg CheckConfig) []Finding {
	var all []Finding
	all = append(all, o.judgeTable(cfg)...)
	if o.interfaces != nil {
		for _, name := range cfg.names() {
			all = append(all, o.judgeInterface(cfg, name)...)
		}
	}
	if o.back != nil {
		for _, a := range cfg.arrivals() {
			all = append(all, o.judgeSource(a)...)
		}
	}
	for _, f := range o.ttl1 {
		all = append(all, Finding{
			Problem: ProblemTTL, Interface: f.In, Source: f.Source, Group: f.Group, Blocks: true,
			Detail: "packets arrive with TTL 1 and are not forwarded",
			Remedy: "the sender must raise IP_MULTICAST_TTL above the number of routers",
		})
	}
	return all
}

func (o *observations) judgeTable(cfg CheckConfig) (all []Finding) {
	if o.owned {
		f := Finding{
			Problem: ProblemOwner, Blocks: true,
			Detail: fmt.Sprintf("another process routes multicast by table %d", cfg.table()),
			Remedy: "stop it, or use another table",
		}
		if len(o.owners) > 0 {
			f.Detail += "; raw IGMP sockets are held by " + strings.Join(o.owners, ", ")
		}
		all = append(all, f)
	}
	if names := cfg.names(); len(names) > MaxVIFs {
		all = append(all, Finding{
			Problem: ProblemLimit,
			Detail:  fmt.Sprintf("%d interfaces, and the kernel has %d VIFs", len(names), MaxVIFs),
			Remedy:  "at most that many can be inputs or have routes at a time; use another table for others",
		})
	}
	for _, s := range []string{settingGroups, settingSources} {
		if v, ok := o.settings[s]; ok && v <= 0 {
			all = append(all, Finding{
				Problem: ProblemLimit, Blocks: true,
				Detail: fmt.Sprintf("net.ipv4.%s is %d: no socket can join", s, v),
				Remedy: fmt.Sprintf("sysctl net.ipv4.%s, 20 and 10 are usual for groups and sources", s),
			})
		}
	}
	if v, ok := o.settings[settingForward]; ok && v == 0 {
		all = append(all, Finding{
			Problem: ProblemForwarding,
			Detail:  "net.ipv4.ip_forward is 0: multicast is routed all the same, answers to a stream's sender are not",
			Remedy:  "sysctl net.ipv4.ip_forward=1 if receivers answer",
		})
	}
	return all
}

func (o *observations) judgeInterface(cfg CheckConfig, name string) (all []Finding) {
	state, there := o.interfaces[name]
	input := slices.Contains(cfg.Inputs, name)
	find := func(p Problem, detail, remedy string) {
		all = append(all, Finding{Problem: p, Interface: name, Blocks: true, Detail: detail, Remedy: remedy})
	}
	switch {
	case !there:
		find(ProblemNoInterface, "it does not exist", "it is used when it appears; check the name")
		return all
	case !state.up:
		find(ProblemDown, "it is down", "ip link set "+name+" up")
	case !state.carrier:
		find(ProblemDown, "it has no carrier", "check the cable, or the other end of the pair")
	}
	if !state.multicast {
		find(ProblemNoMulticast, "its MULTICAST flag is off", "ip link set "+name+" multicast on")
	}
	if input && o.rules != nil && !o.rules[""] && !o.rules[name] {
		find(ProblemNoRule, fmt.Sprintf("no rule sends its packets to table %d", cfg.table()),
			fmt.Sprintf("ip mrule add iif %s table %d", name, cfg.table()))
	}
	if v := o.ofInterface(settingVersion, name); input && (v == 1 || v == 2) {
		find(ProblemIGMPVersion, fmt.Sprintf("force_igmp_version is %d: a join of some sources is sent as one of all", v),
			"sysctl net.ipv4.conf."+name+".force_igmp_version=0")
	}
	if v := o.ofInterface(settingReverse, name); input && v != 0 && !cfg.namesSourceAt(name) {
		all = append(all, Finding{
			Problem: ProblemReversePath, Interface: name,
			Detail: fmt.Sprintf("rp_filter is %d: streams from sources %s are dropped unseen", v, wrongWay(v)),
			Remedy: "sysctl net.ipv4.conf." + name + ".rp_filter=0 and of all, or a route back to each source",
		})
	}
	return all
}

// wrongWay says which sources rp_filter drops.
func wrongWay(rpFilter int) string {
	if rpFilter == 1 {
		return "that are not routed back through it"
	}
	return "without any route back"
}

// judgeSource looks at the route back to a source at the interface where it arrives.
func (o *observations) judgeSource(f arrival) []Finding {
	v := o.ofInterface(settingReverse, f.In)
	back := o.back[f.Source]
	routed := back != ""
	if v == 0 || routed && (v != 1 || back == f.In) {
		return nil
	}
	detail := fmt.Sprintf("rp_filter is %d and there is no route back", v)
	if routed {
		detail = fmt.Sprintf("rp_filter is %d and the route back leads to %s", v, back)
	}
	return []Finding{{
		Problem: ProblemReversePath, Interface: f.In, Source: f.Source, Group: f.Group, Blocks: f.certain,
		Detail: detail + ": packets are dropped without an upcall",
		Remedy: fmt.Sprintf("ip route add %s dev %s, or rp_filter=0 for it and for all", f.Source, f.In),
	}}
}

// names are the interfaces to look at, each once, inputs first.
func (c CheckConfig) names() []string {
	var out []string
	for _, name := range slices.Concat(c.Inputs, c.Outputs) {
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// arrival is a stream at an interface where it may arrive, or certainly does.
type arrival struct {
	Flow
	certain bool
}

// arrivals are the streams with the interfaces where they arrive.
func (c CheckConfig) arrivals() []arrival {
	var out []arrival
	for _, f := range c.Flows {
		f.Source, f.Group = f.Source.Unmap(), f.Group.Unmap()
		if !f.Source.Is4() {
			continue // rp_filter is not about it
		}
		at := c.Inputs
		if f.In != "" {
			at = []string{f.In}
		}
		for _, f.In = range at {
			out = append(out, arrival{f, len(at) == 1})
		}
	}
	return out
}

// namesSourceAt says whether the route back is looked up for certain sources at the interface.
func (c CheckConfig) namesSourceAt(name string) bool {
	return slices.ContainsFunc(c.arrivals(), func(a arrival) bool { return a.In == name })
}
