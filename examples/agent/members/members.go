// Package members says who gets the packets of multicast groups: the members of the agent's cache.
package members

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"

	"github.com/ofmcast/ofmcast/mcast"
	"github.com/ofmcast/ofmcast/ofgroup"
)

// Member is a port of the bridge with hosts behind it, or another node, which is reached through a
// tunnel. Only one of the two is set: Node is the zero Addr for a port.
type Member struct {
	Port ofgroup.Port
	Node netip.Addr
}

// Port is the member behind a port.
func Port(p ofgroup.Port) Member { return Member{Port: p} }

// Node is the member that stands for another node, by its address.
func Node(addr netip.Addr) Member { return Member{Node: addr} }

// IsNode says whether the member is another node.
func (m Member) IsNode() bool { return m.Node.IsValid() }

// String is for people: "port 3", or "node 192.0.2.7".
func (m Member) String() string {
	if m.IsNode() {
		return "node " + m.Node.String()
	}
	return fmt.Sprintf("port %d", m.Port)
}

// Compare puts ports before nodes, by their numbers and addresses.
func Compare(a, b Member) int {
	return cmp.Or(a.Node.Compare(b.Node), cmp.Compare(a.Port, b.Port))
}

// MarshalJSON writes a port as its number and a node as its address.
func (m Member) MarshalJSON() ([]byte, error) {
	if m.IsNode() {
		return json.Marshal(m.Node)
	}
	return json.Marshal(m.Port)
}

// errMember says that something is written where a member should be.
var errMember = errors.New("neither the number of a port nor the address of a node")

// UnmarshalJSON reads what MarshalJSON has written.
func (m *Member) UnmarshalJSON(text []byte) error {
	var is Member
	if len(text) > 0 && text[0] == '"' {
		if err := json.Unmarshal(text, &is.Node); err != nil || !is.IsNode() {
			return fmt.Errorf("%w: %s", errMember, text)
		}
	} else if err := json.Unmarshal(text, &is.Port); err != nil {
		return fmt.Errorf("%w: %w", errMember, err)
	}
	*m = is
	return nil
}

// Local is what the members behind ports want together: what this node has to get from elsewhere, as the
// other nodes see to themselves.
func Local(s mcast.State[Member]) mcast.Filter { return Except(s, Member{}) }

// Except is Local without what is wanted behind one of the ports.
func Except(s mcast.State[Member], port Member) mcast.Filter {
	return mcast.Merge(func(yield func(mcast.Filter) bool) {
		for m, f := range s.All() {
			if m != port && !m.IsNode() && !yield(f) {
				return
			}
		}
	})
}
