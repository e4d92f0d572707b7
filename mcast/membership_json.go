package mcast

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"time"
)

// membershipJSON is a membership on the wire. Durations are as time.Duration
// writes them, which is exact; what is absent is 0.
type membershipJSON[M comparable] struct {
	Group       netip.Addr   `json:"group"`
	Segment     uint32       `json:"segment,omitempty"`
	Member      M            `json:"member"`
	Owner       OwnerKind    `json:"owner,omitempty"`
	OwnerID     string       `json:"owner_id,omitempty"`
	Mode        Mode         `json:"mode"`
	Left        left         `json:"left,omitempty"`
	Sources     []sourceJSON `json:"sources,omitempty"`
	V1          left         `json:"v1,omitempty"`
	V2          left         `json:"v2,omitempty"`
	Age         left         `json:"age,omitempty"`
	Leaving     bool         `json:"leaving,omitempty"`
	Unconfirmed bool         `json:"unconfirmed,omitempty"`
}

type sourceJSON struct {
	Addr netip.Addr `json:"addr"`
	Left left       `json:"left,omitempty"`
}

// MarshalJSON encodes the membership as an object with the fields of
// Membership in lower case: group and segment, member, owner ("static" or
// "remote") and owner_id, mode ("INCLUDE" or "EXCLUDE"), left, sources with
// addr and left, v1, v2, age, leaving, unconfirmed. Times are as
// [time.Duration.String] writes them, or "forever". What is 0, and the owner
// of what is learned, is left out.
func (m Membership[M]) MarshalJSON() ([]byte, error) {
	out := membershipJSON[M]{
		Group: m.Group.Addr, Segment: m.Group.Segment, Member: m.Member, Owner: m.Owner.Kind, OwnerID: m.Owner.ID,
		Mode: m.Mode, Left: left(m.Left), V1: left(m.V1), V2: left(m.V2), Age: left(m.Age),
		Leaving: m.Leaving, Unconfirmed: m.Unconfirmed,
	}
	for _, s := range m.Sources {
		out.Sources = append(out.Sources, sourceJSON{s.Addr, left(s.Left)})
	}
	return json.Marshal(out)
}

// UnmarshalJSON decodes what MarshalJSON has encoded.
func (m *Membership[M]) UnmarshalJSON(data []byte) error {
	var in membershipJSON[M]
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	out := Membership[M]{
		Group: Group{Addr: in.Group, Segment: in.Segment}, Member: in.Member, Owner: Owner{Kind: in.Owner, ID: in.OwnerID},
		Mode: in.Mode, Left: time.Duration(in.Left), V1: time.Duration(in.V1), V2: time.Duration(in.V2), Age: time.Duration(in.Age),
		Leaving: in.Leaving, Unconfirmed: in.Unconfirmed,
	}
	for _, s := range in.Sources {
		out.Sources = append(out.Sources, SourceTimer{s.Addr, time.Duration(s.Left)})
	}
	*m = out
	return nil
}

// left is a time in its encoding.
type left time.Duration

func (l left) MarshalText() ([]byte, error) {
	if l == left(Forever) {
		return []byte("forever"), nil
	}
	return []byte(time.Duration(l).String()), nil
}

func (l *left) UnmarshalText(text []byte) error {
	if string(text) == "forever" {
		*l = left(Forever)
		return nil
	}
	d, err := time.ParseDuration(string(text))
	*l = left(d)
	return err
}

// MarshalText encodes the mode as String does.
func (m Mode) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// UnmarshalText decodes what MarshalText has encoded of Include and Exclude.
func (m *Mode) UnmarshalText(text []byte) error { return decodeName(m, text, Include, Exclude) }

// MarshalText encodes the kind as String does.
func (k OwnerKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText decodes what MarshalText has encoded of a known kind.
func (k *OwnerKind) UnmarshalText(text []byte) error {
	return decodeName(k, text, Learned, Static, Remote)
}

func decodeName[T fmt.Stringer](to *T, text []byte, known ...T) error {
	for _, x := range known {
		if x.String() == string(text) {
			*to = x
			return nil
		}
	}
	return fmt.Errorf("unknown %T %q", *to, text)
}
