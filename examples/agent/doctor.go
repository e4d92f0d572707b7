package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/ofmcast/ofmcast/examples/ovsdb"
	"github.com/ofmcast/ofmcast/mroute"
	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
)

const doctorUsage = `agent doctor looks for what is missing, or in the way, where an agent with these flags is to run or runs:
the configuration, the bridge's settings, its ports, the switch, a running agent's warnings, the kernel's
routing. It changes nothing, and ends with 1 if something is wrong.

Flags, those of the agent:
`

// examine is the command doctor. It takes the agent's own flags, and changes nothing.
func examine(ctx context.Context, args []string, out, errs io.Writer) (int, error) {
	o, err := parseFlags(args, doctorUsage, errs)
	if err != nil {
		return exitUsage, err
	}
	d := &doctor{o: o, out: out, said: make(map[string]bool)}
	for _, text := range o.warnings() {
		d.say(false, "configuration: %s", text)
	}
	settings := d.database(ctx)
	d.theSwitch(ctx, settings)
	running := d.agent(ctx)
	d.routing(ctx, running)
	if d.bad > 0 {
		fmt.Fprintf(out, "findings: %d\n", d.bad)
		return exitBad, nil
	}
	return exitGood, nil
}

// doctor looks at everything that an agent with these options needs.
type doctor struct {
	o   options
	out io.Writer
	bad int

	flows uint32          // that agents have on the switch
	said  map[string]bool // what a running agent warns of
}

func (d *doctor) say(ok bool, format string, args ...any) {
	if !ok {
		d.bad++
	}
	printStep(d.out, ok, fmt.Sprintf(format, args...))
}

// database looks at the bridge's settings. They are nil when they cannot be read.
func (d *doctor) database(ctx context.Context) *ovsdb.Bridge {
	if d.o.ovsdb == "" {
		d.say(true, "the bridge's settings are not looked at (-ovsdb is empty)")
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, settingsTimeout)
	defer cancel()
	db, err := openDatabase(ctx, d.o)
	if err != nil {
		d.say(false, "database %s: %v", d.o.ovsdb, err)
		return nil
	}
	defer func() { _ = db.Close() }()
	b, err := db.bridge(ctx)
	if err != nil {
		d.say(false, "%v", err)
		return nil
	}
	d.settings(b)
	return &b
}

func (d *doctor) settings(b ovsdb.Bridge) {
	d.say(true, "bridge %s is there, with %d ports", b.Name, len(b.Ports))
	if b.FailMode == "secure" {
		d.say(true, "fail mode secure: until it is programmed again a restarted switch is silent")
	} else {
		d.say(false, "fail mode standalone: until it is programmed again a restarted switch floods"+
			" (ovs-vsctl set-fail-mode %s secure, which deletes all flows, those of others too)", b.Name)
	}
	if b.McastSnooping {
		d.say(d.o.ovsSnooping, "the bridge's own snooping is on: it breaks IPv6 neighbour discovery once its entries age, and nothing here needs it")
	}
}

// theSwitch looks at the OpenFlow side: ports with their roles, and what agents have left.
func (d *doctor) theSwitch(ctx context.Context, settings *ovsdb.Bridge) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	s, err := openSwitch(ctx, d.o.openflow)
	if err != nil {
		d.say(false, "OpenFlow at %s: %v%s", d.o.openflow, err, versionHint(d.o.bridge, err))
		return
	}
	defer func() { _ = s.Close() }()
	descs, err := s.Ports(ctx)
	if err != nil {
		d.say(false, "ports: %v", err)
		return
	}
	d.ports(descs, settings)
	flows, err := s.FlowTotals(ctx, ofconn.FlowFilter{Table: ofconn.AllTables, Cookie: cookie, CookieMask: cookieMask})
	if err != nil {
		d.say(false, "flows: %v", err)
		return
	}
	d.flows = flows.Flows
	d.say(true, "%d flows of an agent are on the switch", flows.Flows)
	if _, err := s.MeterStats(ctx, ofconn.AllMeters); err != nil {
		d.say(refused(err), "meters: %v: a port that floods is bounded in the agent alone", err)
	}
	if _, err := s.GroupStats(ctx, ofgroup.AllGroups); err != nil {
		d.say(false, "groups: %v", err)
	}
}

// versionHint says what to do about a bridge that does not speak our OpenFlow: not all do unless they are told.
func versionHint(bridge string, err error) string {
	if !errors.Is(err, ofconn.ErrIncompatible) {
		return ""
	}
	return fmt.Sprintf(" (ovs-vsctl set bridge %s protocols=OpenFlow10,OpenFlow13,OpenFlow15)", bridge)
}

func (d *doctor) ports(descs []ofconn.PortDesc, settings *ovsdb.Bridge) {
	ports, errs := servedPorts(d.o, descs, settings)
	for _, err := range errs {
		d.say(false, "%v", err)
	}
	byRole := make(map[role]int)
	for _, p := range ports {
		byRole[p.role]++
	}
	d.say(byRole[roleMember] > 0, "%d ports are served, %d of them as members", len(ports), byRole[roleMember])
	if d.o.gateway != "" {
		there := slices.ContainsFunc(ports, func(p port) bool { return p.name == d.o.gateway })
		d.say(there, "gateway %s %s", d.o.gateway, map[bool]string{true: "is a port of the bridge", false: "is no port of the bridge"}[there])
	}
}

// agent looks at what a running agent warns of, and says whether there is one.
func (d *doctor) agent(ctx context.Context) (running bool) {
	if d.o.http == "" {
		d.say(true, "no running agent is asked (no -http)")
		return false
	}
	s, err := askAgent(ctx, d.o.http)
	if err != nil { // before the first start nobody can
		d.say(d.flows == 0 && errors.Is(err, errNoAgent), "%v", err)
		return false
	}
	d.say(s.Switch.Connected, "agent on %s: %d groups, %d members, switch connected %d times", s.Bridge, s.Totals.Groups, s.Totals.Members, s.Switch.Connections)
	if s.Switch.Connected && d.flows == 0 {
		d.say(false, "the agent's flows are gone: somebody has deleted them")
	}
	for _, w := range s.Warnings {
		d.said[w.Text] = true
		d.say(false, "agent: %s: %s", w.Kind, w.Text)
	}
	return true
}

// routing looks for what keeps packets away silently between gateway and uplinks. That another owns the
// kernel's routing is right while the agent runs.
func (d *doctor) routing(ctx context.Context, running bool) {
	if len(d.o.uplinks) == 0 {
		return
	}
	interfaces := append(slices.Clone(d.o.uplinks), d.o.gateway)
	found, err := mroute.Check(ctx, mroute.CheckConfig{Inputs: interfaces, Outputs: interfaces, Listen: time.Second})
	if err != nil {
		d.say(false, "not all of the kernel's routing could be looked at: %v", err)
	}
	if running {
		found = slices.DeleteFunc(found, func(f mroute.Finding) bool { return f.Problem == mroute.ProblemOwner })
	}
	for _, f := range found {
		if !d.said[f.String()] {
			d.say(false, "%v", f)
		}
	}
	if len(found) == 0 && !errors.Is(err, errors.ErrUnsupported) {
		d.say(true, "nothing is known to keep packets away between %v", interfaces)
	}
}
