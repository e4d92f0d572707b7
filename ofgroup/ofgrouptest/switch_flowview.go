package ofgrouptest

import (
	"fmt"

	"github.com/ofmcast/ofmcast/internal/openflow"
	"github.com/ofmcast/ofmcast/ofgroup"
)

// Flow is a flow that the switch holds, in a form in which equal flows are equal: whatever
// order and class of fields they came in.
type Flow struct {
	Table        uint8
	Priority     uint16
	Cookie       uint64
	IdleTimeout  uint16 // in seconds; 0 is none
	HardTimeout  uint16
	Flags        uint16 // OFPFF_* bits
	Importance   uint16
	Match        string       // OXM fields in ascending order, with a mask only where one is needed
	Instructions string       // as on the wire, in the order they are carried out
	Groups       []ofgroup.ID // that its actions name
	Meters       []uint32
}

// String is the flow as ovs-ofctl add-flow takes it, without timeouts, flags and importance.
// What this package has no words for is in hex, which ovs-ofctl does not take.
func (f Flow) String() string {
	fields, _ := parseConditions([]byte(f.Match))
	does, _ := parseInstructions([]byte(f.Instructions))
	text := fmt.Sprintf("cookie=0x%x,table=%d,priority=%d", f.Cookie, f.Table, f.Priority)
	if len(fields) > 0 {
		text += "," + fields.String()
	}
	return text + ",actions=" + does.String()
}

// Flows returns every flow that the switch holds, by table, priority from the highest on,
// and match. It costs no message.
func (s *Switch) Flows() []Flow {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []Flow
	for _, f := range s.flows.inOrder() {
		all = append(all, f.view())
	}
	return all
}

func (f *flow) view() Flow {
	v := Flow{
		Table: f.table, Priority: f.priority, Cookie: f.cookie,
		IdleTimeout: f.idle, HardTimeout: f.hard, Flags: f.flags, Importance: f.importance,
		Match: f.match.key(), Instructions: string(f.does.bytes()),
	}
	for _, r := range f.references() {
		if r.action == openflow.ActionGroup {
			v.Groups = append(v.Groups, ofgroup.ID(r.number))
		} else {
			v.Meters = append(v.Meters, r.number)
		}
	}
	return v
}
