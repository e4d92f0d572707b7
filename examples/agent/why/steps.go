package why

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ofmcast/ofmcast/examples/agent/view"
)

// atNodes finds the other nodes that want the group: a tunnel carries what they want, to each of them.
func (e *explanation) atNodes() bool {
	wanted := false
	for _, g := range e.s.Groups {
		if g.Group != e.q.Group || g.VLAN != e.q.VLAN {
			continue
		}
		for _, m := range g.Members {
			if m.Port == 0 {
				yes := !e.q.Source.IsValid() || m.Wants(e.q.Source)
				wanted = wanted || yes
				e.step(yes, "%s wants %s", m.Name, filter(m))
			}
		}
	}
	if wanted {
		return e.end(true, "other nodes want %s, and the tunnel leads there", e.name())
	}
	return e.end(false, "no other node wants %s from there", e.name())
}

// atMembership finds what the port has joined.
func (e *explanation) atMembership() bool {
	for _, g := range e.s.Groups {
		if g.Group != e.q.Group || g.VLAN != e.q.VLAN {
			continue
		}
		e.group = g
		for _, m := range g.Members {
			if m.Port == e.port.Number {
				e.member = append(e.member, m)
			}
		}
	}
	for _, m := range e.member {
		e.step(true, "%s", membership(m))
	}
	if len(e.member) > 0 {
		if e.s.Policy != nil && e.s.Policy.Freeze {
			e.step(false, "memberships are frozen: whoever has left since is still a member")
		}
		return false
	}
	if e.s.GroupsOmitted > 0 || e.group.MembersOmitted > 0 {
		e.step(false, "the agent lists only a part of what it knows, and this is not in it")
		return e.end(false, "not known here; ask the switch: ovs-ofctl dump-flows BRIDGE table=101")
	}
	e.step(false, "nobody behind the port is a member of %s", e.name())
	denied := e.atPolicy()
	e.whyNot()
	if strings.Contains(e.port.Role, "router") {
		return e.end(true, "a router port gets everything that is sent to a group")
	}
	if denied != "" {
		return e.end(false, "denied by %s", denied)
	}
	return e.end(false, "no host behind the port has joined, or the agent has not heard it")
}

func membership(m view.Member) string {
	who := "hosts behind the port want"
	if m.Owner != "" {
		who = "configured (" + m.Owner + "):"
	}
	text := fmt.Sprintf("%s %s, in IGMPv%d, for %v, %v left", who, filter(m), m.IGMP, m.Age, m.Left)
	if m.Leaving {
		text += "; somebody has left, and the others were asked"
	}
	if m.Unconfirmed {
		text += "; known from before a restart, and not confirmed yet"
	}
	return text
}

func filter(m view.Member) string {
	var list []string
	for _, source := range m.Named() {
		list = append(list, source.String())
	}
	if m.Mode == "INCLUDE" {
		return "only " + strings.Join(list, ", ")
	}
	if len(list) == 0 {
		return "all sources"
	}
	return "all sources but " + strings.Join(list, ", ")
}

// whyNot says what is known of a port that is no member.
func (e *explanation) whyNot() {
	ago := func(t *time.Time) string {
		if t == nil {
			return "never"
		}
		return view.Seconds(e.s.At.Sub(*t)).String() + " ago"
	}
	e.step(e.port.LastQuery != nil, "hosts there were last asked %s", ago(e.port.LastQuery))
	e.step(e.port.LastAnswer != nil, "one of them was last heard %s", ago(e.port.LastAnswer))
	if e.port.Dropped > 0 {
		e.step(false, "%d IGMP packets from there were dropped: it sends more than is read", e.port.Dropped)
	}
	for _, ev := range slices.Backward(e.s.Events) {
		if ev.Port == e.port.Number && ev.Group == e.q.Group.String() && ev.VLAN == e.q.VLAN {
			e.step(false, "%s: %s %s", ev.At.Local().Format(time.TimeOnly), ev.Kind, ev.Text)
			return
		}
	}
}

// atFilter compares the source with what is wanted.
func (e *explanation) atFilter() bool {
	for _, m := range e.member {
		if m.Wants(e.q.Source) {
			return false
		}
	}
	if !e.q.Source.IsValid() {
		e.step(true, "single sources are wanted only: name one to know more")
		return e.end(false, "the port gets %s from the named sources, and from no other", e.name())
	}
	e.step(false, "%v is not among the sources that are wanted", e.q.Source)
	if denied := e.atPolicyOf(e.q.Source); denied != "" {
		return e.end(false, "denied by %s", denied)
	}
	return e.end(false, "the hosts behind the port do not want this source")
}

// row is the OpenFlow group that packets of the source go through: its own, or that for any source.
func (e *explanation) row() (view.Row, bool) {
	var rest view.Row
	found := false
	for _, r := range e.group.Rows {
		if r.Source == "" {
			rest, found = r, true
		}
		if e.q.Source.IsValid() && r.Source == e.q.Source.String() {
			return r, true
		}
	}
	return rest, found
}

// atSwitch looks for the flow, the group and the port's bucket, on the switch itself.
func (e *explanation) atSwitch() bool {
	row, ok := e.row()
	if !ok {
		e.step(false, "%s has no group on the switch yet", e.name())
		e.sinks()
		return e.end(false, "the switch has not been told yet, or has refused it")
	}
	on, err := e.read(row.OpenFlow, e.port.Number)
	if err != nil {
		e.step(false, "the switch cannot be asked: %v", err)
		return e.end(false, "the agent has sent it to the switch, which cannot be asked now")
	}
	e.step(on.Flow, "flow of group %d: %s, %d packets", row.OpenFlow, present(on.Flow), on.FlowPackets)
	e.step(on.Group, "group %d: %s", row.OpenFlow, present(on.Group))
	e.step(on.Bucket, "bucket of port %d: %s, %d packets", e.port.Number, present(on.Bucket), on.Packets)
	if !on.Flow || !on.Group || !on.Bucket {
		e.sinks()
		return e.end(false, "the switch does not have what the agent wants: somebody else changed it, or it is under way")
	}
	if on.Packets == 0 {
		return e.end(true, "what is sent to %s goes to the port, but nothing has come yet", e.name())
	}
	return e.end(true, "what is sent to %s goes to the port", e.name())
}

func present(there bool) string {
	if there {
		return "there"
	}
	return "missing"
}

// sinks says what keeps the agent from telling the switch.
func (e *explanation) sinks() {
	for _, k := range e.s.Sinks {
		if k.Failing > 0 {
			e.step(false, "sink %s: %d groups refused, last because of: %s", k.Name, k.Failing, k.LastError)
		}
	}
}

// atRoutes says what the kernel's routing does with the group, and what it cannot forward.
func (e *explanation) atRoutes() {
	for _, r := range e.s.Routes {
		if r.Group != e.q.Group || e.q.Source.IsValid() && r.Source != e.q.Source {
			continue
		}
		to := strings.Join(r.Out, ", ")
		if to == "" {
			to = "nobody"
		}
		e.step(!r.Pending && len(r.Out) > 0, "kernel route from %v: %s to %s, %d packets, %d the wrong way, idle for %v",
			r.Source, r.In, to, r.Packets, r.WrongIf, r.Idle)
	}
	for _, w := range e.s.Warnings {
		if w.Kind == view.WarnTTL && w.Group == e.q.Group && (!e.q.Source.IsValid() || w.Source == e.q.Source) {
			e.step(false, "%s", w.Text)
		}
	}
}
