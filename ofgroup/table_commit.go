package ofgroup

import (
	"context"
	"errors"

	"github.com/ofmcast/ofmcast/ofgroup/internal/deadline"
)

// ErrIDChange says that the function given to Update returned a group with another ID.
var ErrIDChange = errors.New("update of one group returned another")

// Commit makes the switch hold g: exactly one GROUP_MOD, even if it holds g already. It is
// Add, Modify or AddOrMod by what the table knows (see State), or InsertBucket or
// RemoveBucket for buckets with keys (see Table). A group of another type
// than the one the switch holds is refused with ErrTypeChange, as the switch would take it
// without a word: Delete it first.
//
// What cannot be sent fails with an error that matches ErrNotSent and names the bucket and
// the rule; a refusal of the switch is a *SwitchError, where the Sender hears of it.
func (t *Table) Commit(ctx context.Context, g Group) (Receipt, error) {
	limited := deadline.Within(ctx, t.timeout)
	defer limited.End()
	e, err := t.enter(limited, g.id)
	if err != nil {
		return Receipt{}, unsent("commit", g.id, err)
	}
	defer t.leave(g.id, e)
	c, err := t.plan(e, g, "commit")
	if err != nil {
		return Receipt{}, err
	}
	return t.deliver(limited, t.sender, e, c, "commit")
}

// Sync makes the switch hold g, like Commit, but sends nothing if the switch holds, or is
// assumed to hold, exactly g already. It reports whether a GROUP_MOD was sent: also with
// an error, if the message may have been written.
func (t *Table) Sync(ctx context.Context, g Group) (sent bool, err error) {
	limited := deadline.Within(ctx, t.timeout)
	defer limited.End()
	e, err := t.enter(limited, g.id)
	if err != nil {
		return false, unsent("sync", g.id, err)
	}
	defer t.leave(g.id, e)
	sent, _, err = t.sync(limited, e, g, "sync")
	return sent, err
}

// Update changes a group by what it is: f gets the group that the switch holds, or held
// when the table last knew, and returns what it shall hold. Nobody else changes the group
// in between, so of two writers that each add a bucket neither loses his. If there is no
// group, ok is false and old is an empty one of type All. Then it goes on as Sync does, so
// a change that changes nothing sends nothing.
//
// f is called once, without locks, and must not call the table for the same ID. An error
// of f comes back, in an *Error that matches ErrNotSent, and so does ErrIDChange for a
// group with another ID.
func (t *Table) Update(ctx context.Context, id ID, f func(old Group, ok bool) (Group, error)) error {
	limited := deadline.Within(ctx, t.timeout)
	defer limited.End()
	e, err := t.enter(limited, id)
	if err != nil {
		return unsent("update", id, err)
	}
	defer t.leave(id, e)
	old, has := t.last(id, e)
	g, err := f(old, has)
	if err == nil && g.id != id {
		err = ErrIDChange
	}
	if err != nil {
		return unsent("update", id, err)
	}
	_, _, err = t.sync(limited, e, g, "update")
	return err
}

// Delete removes the group, and with it every flow of the switch that uses it, by one
// GROUP_MOD without buckets. An ID that is known to be Absent needs none, and a group that
// the switch does not have is no error. Once the switch has confirmed, the ID is free for
// others, and the table keeps nothing of it. Behind a Sender that never confirms the ID
// stays the table's, Unknown, until Forget, or a Replay through one that does. After an
// error the table still knows the group.
func (t *Table) Delete(ctx context.Context, id ID) error {
	limited := deadline.Within(ctx, t.timeout)
	defer limited.End()
	e, err := t.enter(limited, id)
	if err != nil {
		return unsent("delete", id, err)
	}
	defer t.leave(id, e)
	_, _, err = t.remove(limited, id, e, "delete")
	return err
}

// remove is Delete for who has the turn.
func (t *Table) remove(ctx context.Context, id ID, e *entry, op string) (sent bool, r Receipt, err error) {
	c := removal(id)
	var gone bool
	if gone, c.decided = t.alreadyGone(e); gone {
		return false, Receipt{}, nil
	}
	r, err = t.deliver(ctx, t.sender, e, c, op)
	if errors.Is(err, ErrUnknownGroup) {
		err = nil
	}
	return !errors.Is(err, ErrNotSent), r, err
}

// alreadyGone reports whether the group is known to be absent, and then lets its ID go.
func (t *Table) alreadyGone(e *entry) (bool, moment) {
	t.mu.Lock()
	defer t.mu.Unlock()
	gone := t.now(e) == Absent
	if gone {
		e.owned = false
	}
	return gone, t.moment(e)
}

// last is the group that the switch has or last had, or an empty one.
func (t *Table) last(id ID, e *entry) (Group, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !e.has {
		return New(id, All), false
	}
	return e.group, true
}

func (t *Table) sync(ctx context.Context, e *entry, g Group, op string) (sent bool, r Receipt, err error) {
	c, err := t.plan(e, g, op)
	if err != nil {
		return false, Receipt{}, err
	}
	if c.same {
		t.keep(e, c)
		return false, Receipt{}, nil
	}
	r, err = t.deliver(ctx, t.sender, e, c, op)
	return !errors.Is(err, ErrNotSent), r, err
}

// plan decides on the one message that makes the switch hold g.
func (t *Table) plan(e *entry, g Group, op string) (change, error) {
	h, at := t.holding(e)
	if h.live() && h.group.typ != g.typ {
		return change{}, unsent(op, g.id, fault{ErrTypeChange, h.group.typ.String() + ", not " + g.typ.String()})
	}
	c := h.toward(g, t.sender.Version())
	c.decided = at
	if err := g.Readable(t.readable); !c.same && err != nil {
		return change{}, NotSent(err)
	}
	return c, nil
}

// deliver sends one message and learns from how it ended. Its caller has the ID's turn.
func (t *Table) deliver(ctx context.Context, s Sender, e *entry, c change, op string) (Receipt, error) {
	m, err := c.mod(s.Version())
	if err != nil {
		return Receipt{}, NotSent(err)
	}
	o := doubtful // so it stays if Send panics
	defer func() { t.settle(e, c, o) }()
	r, err := s.Send(ctx, m)
	o = outcomeOf(r, err)
	if err != nil {
		return r, &Error{Op: op, ID: c.after.id, Bucket: NoBucket, Err: err}
	}
	return r, nil
}

// unsent is the error of a call that sent nothing.
func unsent(op string, id ID, err error) error {
	return &Error{Op: op, ID: id, Bucket: NoBucket, Err: NotSent(err)}
}
