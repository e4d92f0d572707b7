// Package why explains why a port gets a multicast stream, or does not.
package why

import (
	"cmp"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/ofmcast/ofmcast/examples/agent/view"
	"github.com/ofmcast/ofmcast/ofgroup"
)

// Question is what somebody wants to know.
type Question struct {
	Group  netip.Addr
	VLAN   uint32
	Source netip.Addr // the zero Addr is any
	Port   string     // its name or number
}

// ErrQuestion says that a question makes no sense.
var ErrQuestion = errors.New("usage: why GROUP[@VLAN] [SOURCE] PORT")

// Parse reads GROUP[@VLAN] [SOURCE] PORT.
func Parse(args []string) (q Question, err error) {
	if len(args) < 2 || len(args) > 3 {
		return q, ErrQuestion
	}
	group, vlan, tagged := strings.Cut(args[0], "@")
	if q.Group, err = netip.ParseAddr(group); err != nil || !q.Group.Is4() || !q.Group.IsMulticast() {
		return q, fmt.Errorf("%q is no IPv4 multicast address: %w", group, ErrQuestion)
	}
	if tagged {
		n, err := strconv.ParseUint(vlan, 10, 12)
		if err != nil || n == 0xfff { // which is reserved
			return q, fmt.Errorf("%q is no VLAN: %w", vlan, ErrQuestion)
		}
		q.VLAN = uint32(n)
	}
	q.Port = args[len(args)-1]
	if len(args) == 3 {
		if q.Source, err = netip.ParseAddr(args[1]); err != nil || !q.Source.Is4() || q.Source.IsMulticast() {
			return q, fmt.Errorf("%q is no IPv4 source: %w", args[1], ErrQuestion)
		}
	}
	return q, nil
}

// OnSwitch is what the switch itself says of one OpenFlow group and the flow that leads there.
type OnSwitch struct {
	Flow        bool
	FlowPackets uint64
	Group       bool
	Bucket      bool // for the port
	Packets     uint64
}

// Reader reads what the switch has: of an OpenFlow group, and of a port's bucket in it.
type Reader func(group, port uint32) (OnSwitch, error)

// Step is one thing that was looked at.
type Step struct {
	OK   bool
	Text string
}

// Answer says what was found, step by step.
type Answer struct {
	Steps    []Step
	Receives bool
	Because  string // in one line
}

// Explain answers a question by what the agent says, and by the switch itself.
func Explain(q Question, s view.State, read Reader) Answer {
	e := &explanation{q: q, s: s, read: read}
	e.explain()
	return e.answer
}

type explanation struct {
	q      Question
	s      view.State
	read   Reader
	answer Answer
	port   view.Port
	member []view.Member // of the port, one an owner
	group  view.Group
}

func (e *explanation) step(ok bool, format string, args ...any) {
	e.answer.Steps = append(e.answer.Steps, Step{ok, fmt.Sprintf(format, args...)})
}

// end ends the explanation.
func (e *explanation) end(receives bool, format string, args ...any) bool {
	e.answer.Receives, e.answer.Because = receives, fmt.Sprintf(format, args...)
	return true
}

// explain looks at one thing after the other until one of them decides.
func (e *explanation) explain() {
	if !e.s.Switch.Connected {
		e.step(false, "the switch is away: it forwards as it was last told")
	}
	for _, look := range []func() bool{e.atPort, e.atVLAN, e.atRole, e.atAddress, e.atMembership, e.atFilter, e.atSwitch} {
		if look() {
			break
		}
	}
	e.atRoutes()
}

// atPort finds the port.
func (e *explanation) atPort() bool {
	for _, p := range e.s.Ports {
		if p.Name == e.q.Port || fmt.Sprint(p.Number) == e.q.Port {
			e.port = p
		}
	}
	p := e.port
	if p.Number == 0 {
		e.step(false, "the agent serves no port %q", e.q.Port)
		return e.end(false, "there is no such port, or its settings cannot be served")
	}
	e.step(!p.Down && !p.Drained, "port %s has number %v and the role %s", p.Name, ofgroup.Port(p.Number), p.Role)
	switch {
	case p.Down:
		return e.end(false, "the port's link is down")
	case p.Drained:
		return e.end(false, "the port is drained")
	}
	return false
}

// atVLAN: a group in a VLAN that the port does not carry is another one than its hosts can have joined.
func (e *explanation) atVLAN() bool {
	if e.port.Carries == nil || e.port.Carried(e.q.VLAN) {
		return false
	}
	e.step(false, "port %s carries %s", e.port.Name, vlans(e.port.Carries))
	switch served := slices.ContainsFunc(e.s.Ports, func(p view.Port) bool { return p.Carried(e.q.VLAN) }); {
	case e.q.VLAN == 0:
		return e.end(false, "the port carries nothing outside its VLANs; ask for %v@VLAN", e.q.Group)
	case !served:
		return e.end(false, "VLAN %d is not served: no port's settings and no -vlan name it", e.q.VLAN)
	}
	return e.end(false, "the port is not in VLAN %d", e.q.VLAN)
}

// vlans as people write them.
func vlans(list []view.VLANRange) string {
	var words []string
	for _, r := range list {
		switch {
		case r.Last == 0:
			words = append(words, "packets without a VLAN")
		case r.First == r.Last:
			words = append(words, fmt.Sprintf("VLAN %d", r.First))
		default:
			words = append(words, fmt.Sprintf("VLANs %d to %d", r.First, r.Last))
		}
	}
	return cmp.Or(strings.Join(words, ", "), "no VLAN that is served")
}

// atRole: some roles decide by themselves.
func (e *explanation) atRole() bool {
	switch p := e.port; {
	case p.Role == "tunnel":
		return e.atNodes()
	case p.Role == "bridge":
		return e.end(false, "the bridge's own port gets no multicast from here")
	case p.Role == "gateway":
		return e.end(true, "the gateway gets a copy of everything that is sent to a group")
	}
	return false
}

// atAddress: what stays on its link goes to everybody.
func (e *explanation) atAddress() bool {
	if !netip.MustParsePrefix("224.0.0.0/24").Contains(e.q.Group) {
		return false
	}
	e.step(true, "%v is never pruned (RFC 4541 2.1.2)", e.q.Group)
	return e.end(true, "groups in 224.0.0.0/24 go to every port")
}

// name is the group as people write it.
func (e *explanation) name() string {
	if e.q.VLAN == 0 {
		return e.q.Group.String()
	}
	return fmt.Sprintf("%v in VLAN %d", e.q.Group, e.q.VLAN)
}
