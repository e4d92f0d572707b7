package ofgroup

import (
	"errors"
	"maps"
	"slices"
)

// ErrRepeatedID says that a list of groups has an ID twice.
var ErrRepeatedID = errors.New("group ID is in the list twice")

// PlanReconcile says, in OpenFlow version v, how to get from the groups that a switch holds
// to the desired ones: groups that are not desired are deleted, so observed must have the
// caller's own groups only. It is pure and sends nothing.
//
// Groups come after those that they send packets to or watch; deletes come last, and in
// the opposite order. A group of another type than desired is deleted and added again, which
// also deletes the flows that use it. Groups that are as desired need no step, which is
// decided, like the message for those that are not, as a Table does it after Adopt.
//
// The errors, joined if there are several, are an *Error for each desired group that a
// switch would refuse (see Group.Mod), ErrRepeatedID, and a *CycleError where desired
// groups refer to each other in a circle. A reference to a group that is not desired is
// none: it may be somebody else's.
func PlanReconcile(v Version, desired, observed []Group) (Plan, error) {
	p := planning{version: v, step: make(map[ID]int)}
	var errs []error
	p.desired = byID(desired, &errs)
	p.observed = byID(observed, &errs)
	if err := cycleIn(p.desired); err != nil {
		errs = append(errs, err)
	}
	if len(errs) > 0 {
		return Plan{}, errors.Join(errs...)
	}
	for _, wave := range waves(p.desired) {
		for _, id := range wave {
			p.put(p.desired[id])
		}
	}
	p.remove()
	if len(p.errs) > 0 {
		return Plan{}, errors.Join(p.errs...)
	}
	return Plan{steps: p.steps}, nil
}

func byID(groups []Group, errs *[]error) map[ID]Group {
	all := make(map[ID]Group, len(groups))
	for _, g := range groups {
		if _, again := all[g.id]; again {
			*errs = append(*errs, &Error{Op: "plan", ID: g.id, Bucket: NoBucket, Err: ErrRepeatedID})
		}
		all[g.id] = g
	}
	return all
}

// planning is a Plan in the making.
type planning struct {
	version           Version
	desired, observed map[ID]Group
	steps             []Step
	step              map[ID]int // the last one of each group
	errs              []error
}

// put plans for one desired group what is needed.
func (p *planning) put(g Group) {
	old, there := p.observed[g.id]
	h := holding{group: New(g.id, g.typ), state: Absent}
	switch {
	case there && old.typ != g.typ:
		p.add(removal(g.id), old, nil)
	case there:
		h = holding{group: old, state: Held, next: old.nextNumber()}
	}
	c := h.toward(g, p.version)
	if c.same {
		return
	}
	var needs []int
	if i, replaced := p.step[g.id]; replaced {
		needs = append(needs, i)
	}
	for to := range c.after.references {
		if i, changed := p.step[to]; changed {
			needs = append(needs, i)
		}
	}
	p.add(c, c.after, needs)
}

// remove plans the deletes.
func (p *planning) remove() {
	unwanted := make(map[ID]Group)
	for id, g := range p.observed {
		if _, wanted := p.desired[id]; !wanted {
			unwanted[id] = g
		}
	}
	order, needs := deletions(unwanted)
	users := p.changedUsers(unwanted)
	first := len(p.steps)
	for i, id := range order {
		all := users[id]
		for _, n := range needs[i] {
			all = append(all, first+n)
		}
		p.add(removal(id), unwanted[id], all)
	}
}

// changedUsers are, for each unwanted group, the steps of groups that referred to it.
func (p *planning) changedUsers(unwanted map[ID]Group) map[ID][]int {
	users := make(map[ID][]int)
	for _, id := range slices.Sorted(maps.Keys(p.step)) {
		for to := range p.observed[id].references {
			if _, gone := unwanted[to]; gone {
				users[to] = append(users[to], p.step[id])
			}
		}
	}
	return users
}

func (p *planning) add(c change, g Group, needs []int) {
	m, err := c.mod(p.version)
	if err != nil {
		p.errs = append(p.errs, err)
		return
	}
	p.step[g.id] = len(p.steps)
	p.steps = append(p.steps, Step{group: g, mod: m, needs: needs})
}
