// Package why explains why a port gets a multicast stream, or does not.
package why

import (
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"github.com/ofmcast/ofmcast/examples/agent/view"
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
		if err != nil {
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
	for _, look := range []func() bool{e.atPort, e.atAddress, e.atMembership, e.atFilter, e.atSwitch} {
		if look() {
			break
		}
	}
	e.atRoutes()
}

// atPort finds the port. Some roles decide by themselves.
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
	e.step(!p.Down && !p.Drained, "port %s has number %d and the role %s", p.Name, p.Number, p.Role)
	switch {
	case p.Down:
		return e.end(false, "the port's link is down")
	case p.Drained:
		return e.end(false, "the port is drained")
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
