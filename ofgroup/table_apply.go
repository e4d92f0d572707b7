package ofgroup

import (
	"context"

	"github.com/ofmcast/ofmcast/ofgroup/internal/deadline"
)

// Outcome is what became of one step of a plan.
type Outcome struct {
	Step    Step
	Sent    bool    // a GROUP_MOD may have been written
	Receipt Receipt // of that
	Err     error   // an *Error, or nil
}

// Apply carries out a plan and returns when every step has been confirmed or has failed:
// the outcomes are those of the plan's steps, in its order, also with an error. Steps
// that need not wait for each other are under way at the same time.
//
// Each step is a Sync or Delete of its group, so the table's rules hold: what it knows
// already is not sent again, nor is a group of others changed (ErrIDOwned), and if it knows
// less than the plan did the message is a whole group. After an Adopt of what the plan calls
// observed the messages are exactly those that the plan prints.
//
// It goes on after a failure, as half of the changes made is better than none: only steps
// that need the one that failed are skipped (ErrSkipped), such as the delete of a group to
// which another one still refers; and the end of ctx, or of the connection, ends all. The
// error joins, in the plan's order, those of the steps that were tried; a lost connection,
// and the end of ctx, stand in it once. The table's Timeout bounds each step.
func (t *Table) Apply(ctx context.Context, p Plan) ([]Outcome, error) {
	all := make([]Outcome, len(p.steps))
	jobs := make([]job, len(p.steps))
	for i, s := range p.steps {
		all[i].Step = s
		defer t.reserve(s.group.id)()
		jobs[i] = job{id: s.group.id, needs: s.needs, do: func(ctx context.Context) (err error) {
			all[i].Sent, all[i].Receipt, err = t.do(ctx, s)
			return err
		}}
	}
	err := runJobs(ctx, "apply", jobs)
	for i := range jobs {
		all[i].Err = jobs[i].err
	}
	return all, err
}

// reserve keeps an ID from going to somebody else between its delete and its add. An ID
// that is another's already is refused by the step.
func (t *Table) reserve(id ID) (release func()) {
	if id > MaxID || !t.owns(id) {
		return func() {}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	e, err := t.use(id)
	if err != nil {
		return func() {}
	}
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.unuse(id, e)
	}
}

func (t *Table) do(ctx context.Context, s Step) (sent bool, r Receipt, err error) {
	limited := deadline.Within(ctx, t.timeout)
	defer limited.End()
	id := s.group.id
	e, err := t.enter(limited, id)
	if err != nil {
		return false, Receipt{}, unsent("apply", id, err)
	}
	defer t.leave(id, e)
	if s.mod.cmd == Delete {
		return t.remove(limited, id, e, "apply")
	}
	return t.sync(limited, e, s.group, "apply")
}
