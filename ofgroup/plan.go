package ofgroup

import (
	"iter"
	"slices"
	"strings"
)

// Plan is the list of changes that take a switch from the groups that it holds to those
// that it shall hold, in the order in which they are made. It is an immutable value, made by
// PlanReconcile and carried out by Table.Apply; printed, it is a dry run.
type Plan struct{ steps []Step }

// Step is one change: one GROUP_MOD.
type Step struct {
	group Group
	mod   *Mod
	needs []int // the positions of steps that must have come first
}

// Steps yields the steps in their order.
func (p Plan) Steps() iter.Seq[Step] { return slices.Values(p.steps) }

// Len is the number of steps, 0 if the switch holds all as it shall be.
func (p Plan) Len() int { return len(p.steps) }

// String is the plan as a file for ovs-ofctl add-groups, one step a line.
func (p Plan) String() string {
	var sb strings.Builder
	for _, s := range p.steps {
		sb.WriteString(s.String() + "\n")
	}
	return sb.String()
}

// Command is what the step does: Add, Modify or Delete, or for groups whose buckets have
// keys InsertBucket or RemoveBucket.
func (s Step) Command() Command { return s.mod.cmd }

// ID is the group that is changed.
func (s Step) ID() ID { return s.group.id }

// Group is the whole group as it is after the step, or for Delete as it was before.
func (s Step) Group() Group { return s.group }

// Mod is the message that the step sends.
func (s Step) Mod() *Mod { return s.mod }

// String is the step as a line for ovs-ofctl add-groups.
func (s Step) String() string { return s.mod.String() }
