package ofgrouptest

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/ofmcast/ofmcast/internal/openflow"
	"github.com/ofmcast/ofmcast/ofgroup"
)

// Groups returns every group the switch holds, in ascending order of their numbers,
// as decoded from its own description of them. It costs no message. The error is
// ParseGroupDesc's, for a group grown too large to be described.
func (s *Switch) Groups() ([]ofgroup.Group, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []ofgroup.Group
	for _, id := range s.table.ids() {
		g, err := s.table.decode(id)
		if err != nil {
			return nil, err
		}
		all = append(all, g)
	}
	return all, nil
}

// Group returns one group as Groups does, and whether the switch holds it.
func (s *Switch) Group(id ofgroup.ID) (ofgroup.Group, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.table.groups[uint32(id)] == nil {
		return ofgroup.Group{}, false, nil
	}
	g, err := s.table.decode(uint32(id))
	return g, err == nil, err
}

func (t *groupTable) decode(id uint32) (ofgroup.Group, error) {
	gs, err := ofgroup.ParseGroupDesc(ofgroup.OpenFlow15, t.groups[id].describe(nil, id))
	if err != nil {
		return ofgroup.Group{}, fmt.Errorf("ofgrouptest: switch: %w", err)
	}
	return gs[0], nil
}

// Preload obeys messages as if somebody else had sent them: they are neither counted
// nor logged, and no fault strikes them. It stops at the first that is refused.
func (s *Switch) Preload(mods ...*ofgroup.Mod) error {
	for _, m := range mods {
		b, err := m.MarshalBinary()
		if err == nil {
			err = s.PreloadMessage(b)
		}
		if err != nil {
			return fmt.Errorf("ofgrouptest: preload %v: %w", m, err)
		}
	}
	return nil
}

// PreloadMessage is Preload for one message of any type, such as a FLOW_MOD, given whole.
// A reply is dropped. The error wraps an *ofgroup.SwitchError.
func (s *Switch) PreloadMessage(msg []byte) error {
	h, err := openflow.ParseHeader(msg)
	if err != nil || int(h.Length) != len(msg) {
		return fmt.Errorf("ofgrouptest: preload: %w", ofgroup.ErrMalformed)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	other := newSwitchConn(s, nil, 0)
	if _, v := other.execute(MessageType(h.Type), bytes.Clone(msg)); v != accepted {
		r := v.refusal()
		return fmt.Errorf("ofgrouptest: preload: %w", &ofgroup.SwitchError{Type: r.Type, Code: r.Code, Data: bytes.Clone(msg)})
	}
	return nil
}

// ErrNoGroup says that a flow was to point at a group that the switch does not hold.
var ErrNoGroup = errors.New("no such group")

// AddFlow adds a flow that points at a group, unlike every other, in the lowest priority of
// table 0; it is deleted with the group. The error is ErrNoGroup, as a real switch refuses
// such a flow (OFPBAC_BAD_OUT_GROUP).
func (s *Switch) AddFlow(to ofgroup.ID) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.table.groups[uint32(to)] == nil {
		return fmt.Errorf("ofgrouptest: flow to group %v: %w", to, ErrNoGroup)
	}
	s.made++
	f := &flow{match: match{{number: fieldMetadata, value: be.AppendUint64(nil, s.made), mask: setFields[fieldMetadata].fullMask()}}}
	apply := []byte{0, applyActions, 0, instructionHeader + 8, 0, 0, 0, 0, 0, openflow.ActionGroup, 0, 8}
	f.does[applyActions] = be.AppendUint32(apply, uint32(to))
	if v := s.flows.put(f); v != accepted {
		r := v.refusal()
		return fmt.Errorf("ofgrouptest: flow to group %v: %w", to, &ofgroup.SwitchError{Type: r.Type, Code: r.Code})
	}
	return nil
}

// FlowsTo is the number of flows that point at a group.
func (s *Switch) FlowsTo(to ofgroup.ID) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.flows.users[reference{openflow.ActionGroup, uint32(to)}]
}
