package term

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/ofmcast/ofmcast/examples/agent/view"
)

func (p *printer) head(s view.State) {
	word := "connected"
	if !s.Switch.Connected {
		word = "AWAY"
	}
	who := "we ask hosts"
	if !s.Querier.Self {
		who = "hosts are asked by " + s.Querier.Elected
	}
	p.printf("%s: switch %s, %s every %v, running for %v\n", Safe(s.Bridge), word, Safe(who), s.Querier.Interval, view.Seconds(s.At.Sub(s.Started)))
	t := s.Totals
	p.printf("%d groups, %d members; %d reports, %d joins, %d leaves, %d expired, %d denied, %d refused; %d GROUP_MODs\n",
		t.Groups, t.Members, t.Reports, t.Joins, t.Leaves, t.Expiries, t.Denied,
		t.RefusedInvalid+t.RefusedLimit+t.RefusedRemoved, s.Switch.GroupMods)
	if n := len(s.Rates); n > 0 {
		p.printf("now %s changes/s, %s GROUP_MODs/s\n", rate(s.Rates[n-1].Changes), rate(s.Rates[n-1].GroupMods))
	}
	for _, w := range s.Warnings {
		p.printf("! %s: %s\n", Safe(w.Kind), Safe(w.Text))
	}
}

func (p *printer) groups(s view.State) {
	p.title("GROUPS")
	p.row("GROUP", "PACKETS/S", "OPENFLOW", "MEMBER", "FILTER", "IGMP", "AGE", "LEFT", "")
	for _, g := range s.Groups {
		name := g.Group.String()
		if g.VLAN != 0 {
			name += fmt.Sprintf(" VLAN %d", g.VLAN)
		}
		var rates, ids []string
		for _, r := range g.Rows {
			rates = append(rates, rate(r.PerSecond))
			ids = append(ids, strings.TrimPrefix(r.Source+":"+fmt.Sprint(r.OpenFlow), ":"))
		}
		first := []string{name, strings.Join(rates, " "), strings.Join(ids, " ")}
		for _, m := range g.Members {
			p.row(append(first, portName(m.Port, m.Name), filter(m), number(m.IGMP), m.Age.String(), m.Left.String(), remarks(m))...)
			first = []string{"", "", ""}
		}
		if g.MembersOmitted > 0 {
			p.row("", "", "", fmt.Sprintf("and %d more", g.MembersOmitted))
		}
	}
	if s.GroupsOmitted > 0 {
		p.printf("and %d more groups\n", s.GroupsOmitted)
	}
}

func filter(m view.Member) string {
	var list []string
	for _, source := range m.Named() {
		list = append(list, source.String())
	}
	return m.Mode + "{" + strings.Join(list, ", ") + "}"
}

func remarks(m view.Member) string {
	var words []string
	if m.Owner != "" {
		words = append(words, m.Owner)
	}
	if m.Leaving {
		words = append(words, "leaving")
	}
	if m.Unconfirmed {
		words = append(words, "unconfirmed")
	}
	return strings.Join(words, ", ")
}

func (p *printer) ports(s view.State) {
	p.title("PORTS")
	p.row("PORT", "ROLE", "VLANS", "GROUPS", "IGMP", "V1", "V2", "HOSTS", "ASKED", "ANSWERED", "DENIED", "DROPPED", "")
	for _, q := range s.Ports {
		version := "-"
		if q.IGMP != 0 {
			version = number(q.IGMP)
		}
		p.row(portName(q.Number, q.Name), q.Role, cmp.Or(q.VLANs, "-"), number(q.Groups), version,
			older(q.V1), older(q.V2), hosts(q), p.ago(q.LastQuery), p.ago(q.LastAnswer),
			number(q.Denied), number(q.Dropped), state(q))
	}
	if s.PortsOmitted > 0 {
		p.printf("and %d more ports\n", s.PortsOmitted)
	}
}

// older is how long a host of an older version is taken to be there.
func older(left view.Seconds) string {
	if left == 0 {
		return "-"
	}
	return left.String()
}

// hosts has the newest of a port's.
func hosts(q view.Port) string {
	const most = 3
	var list []string
	for i, h := range q.Hosts {
		if i == most {
			list = append(list, fmt.Sprintf("+%d", len(q.Hosts)-most))
			break
		}
		list = append(list, h.Addr.String())
	}
	return cmp.Or(strings.Join(list, " "), "-")
}

func state(q view.Port) string {
	switch {
	case q.Drained:
		return "drained"
	case q.Down:
		return "down"
	}
	return ""
}

func (p *printer) routes(s view.State) {
	if len(s.Routes) == 0 {
		return
	}
	p.title("KERNEL ROUTES")
	p.row("SOURCE", "GROUP", "FROM", "TO", "PACKETS/S", "PACKETS", "WRONG WAY", "IDLE", "")
	for _, r := range s.Routes {
		remark := ""
		if r.Pending {
			remark = "refused by the kernel"
		}
		p.row(r.Source.String(), r.Group.String(), r.In, cmp.Or(strings.Join(r.Out, " "), "nobody"),
			rate(r.PerSecond), number(r.Packets), number(r.WrongIf), r.Idle.String(), remark)
	}
	if s.RoutesOmitted > 0 {
		p.printf("and %d more routes\n", s.RoutesOmitted)
	}
}

func (p *printer) sinks(s view.State) {
	p.title("SINKS")
	p.row("SINK", "TO DO", "REFUSED", "CALLS", "ERRORS", "RETRIES", "LONGEST", "LAST ERROR")
	for _, k := range s.Sinks {
		last := "-"
		if k.LastError != "" {
			last = p.ago(k.LastErrorAt) + ": " + k.LastError
		}
		p.row(k.Name, number(k.Pending), number(k.Failing), number(k.Syncs), number(k.Errors), number(k.Retries),
			fmt.Sprintf("%.1f ms", k.Longest.Duration().Seconds()*1000), last)
	}
}

func (p *printer) events(s view.State) {
	const most = 10
	p.title("EVENTS")
	for _, e := range s.Events[max(0, len(s.Events)-most):] {
		where := ""
		if e.Port != 0 || e.Name != "" {
			where = portName(e.Port, e.Name)
		}
		p.row(e.At.Local().Format("15:04:05"), e.Kind, e.Group, where, e.Text)
	}
}
