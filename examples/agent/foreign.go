package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
)

// errOthersUse says that flows of somebody else use a group or a meter that has a number of ours.
var errOthersUse = errors.New("is used by what is not the agent's; free the number, or delete the flows")

// checkOthers refuses a switch where somebody else uses the agent's numbers: a group that is taken over
// would lead their packets elsewhere, and a group or meter that is deleted takes their flows with it.
// Their flows are not read, there may be very many: the switch counts what refers to a number. One that
// our own flows use is an agent's, whoever else uses it: they are read last, so that none is missed.
func checkOthers(ctx context.Context, s *ofconn.Session) error {
	groups, err := s.GroupStats(ctx, ofgroup.AllGroups)
	if err != nil {
		return err
	}
	meters, err := s.MeterStats(ctx, ofconn.AllMeters)
	if err != nil && !refused(err) { // of a switch without meters
		return err
	}
	flows, err := s.FlowStats(ctx, ofconn.FlowFilter{Table: ofconn.AllTables, Cookie: cookie, CookieMask: cookieMask})
	if err != nil {
		return err
	}
	ours := make(map[reference]bool)
	for i := range flows {
		addReferences(ours, flows[i].Instructions)
	}
	for _, g := range groups {
		if isOwnGroup(g.ID) && counted(g.RefCount) && !ours[reference{actionGroup, uint32(g.ID)}] {
			return fmt.Errorf("group %d %w", g.ID, errOthersUse)
		}
	}
	for _, m := range meters {
		if !foreignMeter(m.ID) && counted(m.Flows) && !ours[reference{actionMeter, m.ID}] {
			return fmt.Errorf("meter %d %w", m.ID, errOthersUse)
		}
	}
	return nil
}

// counted says whether a switch has counted references. One that does not keep the number has all ones.
func counted(references uint32) bool { return references != 0 && references != math.MaxUint32 }

// reference is to a group or a meter.
type reference struct {
	kind uint16 // actionGroup or actionMeter
	id   uint32
}

// Kinds of instructions and actions (OpenFlow 1.5.1, 7.2.5 and 7.2.6; 1.3.5, 7.2.4 and 7.2.5): each has its
// length after the kind. A meter is an instruction in 1.3 and an action in 1.5.
const (
	instructionWrite = 3
	instructionApply = 4
	instructionMeter = 6
	actionGroup      = 22
	actionMeter      = 29
)

// addReferences notes what a flow refers to.
func addReferences(to map[reference]bool, instructions []byte) {
	eachPart(instructions, func(kind uint16, instruction []byte) {
		switch kind {
		case instructionMeter:
			to[reference{actionMeter, binary.BigEndian.Uint32(instruction[4:])}] = true
		case instructionWrite, instructionApply:
			eachPart(instruction[8:], func(kind uint16, action []byte) {
				if kind == actionGroup || kind == actionMeter {
					to[reference{kind, binary.BigEndian.Uint32(action[4:])}] = true
				}
			})
		}
	})
}

// eachPart calls f for each part of a list, up to the first one whose length cannot be.
func eachPart(list []byte, f func(kind uint16, part []byte)) {
	for len(list) >= 8 {
		n := int(binary.BigEndian.Uint16(list[2:]))
		if n < 8 || n > len(list) {
			return
		}
		f(binary.BigEndian.Uint16(list), list[:n])
		list = list[n:]
	}
}
