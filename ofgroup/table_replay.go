package ofgroup

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/ofmcast/ofmcast/ofgroup/internal/deadline"
)

// Replay brings a switch up to date after a disconnect: every group of the table is sent
// through s once, as AddOrMod, whatever the switch still has. Groups that others send
// packets to or watch come before these; where groups form a loop one of them comes first.
// Many are under way at the same time. It is meant for ofconn.Config.OnConnect, with the
// Session as s, while nobody else can send yet:
//
//	OnConnect: func(ctx context.Context, s *ofconn.Session) error { return table.Replay(ctx, s) }
//
// Before it sends anything, all that the table knew of the switch is void, as after
// Invalidate. Afterwards a group that was sent is Held, or Assumed if s confirms nothing.
// A group whose delete was written but never answered or confirmed is not sent: it is
// deleted (again), last of all, those that refer to others first. If its Delete failed, the
// ID stays the table's until it is called again. A delete that was cut off together with its
// connection counts as not done.
//
// Other calls go on meanwhile, each ID in turn: what was confirmed since the replay began
// is not sent a second time, and what comes later comes after it. IDs that were forgotten,
// or never sent, are left alone, and so are those of other tables.
//
// A group that fails does not keep the others from being sent; only the end of ctx, or of
// the connection, ends the replay early. The error joins, in the order of their IDs, an
// *Error for each group that failed; a lost connection, and the end of ctx, stand in it once.
// The table's Timeout bounds each group, not the whole.
func (t *Table) Replay(ctx context.Context, s Sender) error {
	r := t.beginReplay(s)
	defer t.endReplay()
	for _, wave := range r.waves {
		r.run(ctx, wave)
	}
	return r.result(ctx)
}

// replay is one call of Replay.
type replay struct {
	table  *Table
	sender Sender
	found  map[ID]*entry
	waves  [][]ID // one after the other; those within one at the same time

	mu     sync.Mutex
	failed []failure
	lost   bool // the connection is
	cut    bool // short, by the end of the context
}

// failure is why one group was not brought back.
type failure struct {
	id  ID
	err error
}

// beginReplay voids what is known and decides on the order.
func (t *Table) beginReplay(s Sender) *replay {
	r := &replay{table: t, sender: s, found: make(map[ID]*entry)}
	groups, gone := make(map[ID]Group), make(map[ID]Group)
	t.mu.Lock()
	t.doubt()
	t.replays++
	t.replayed = t.epoch
	for id, e := range t.entries {
		switch {
		case e.deletion != noDeletion:
			gone[id] = e.group // if it is still known
		case e.has:
			groups[id] = e.group
		default:
			continue
		}
		r.found[id] = e
	}
	t.mu.Unlock()
	r.waves = waves(groups)
	for _, wave := range slices.Backward(waves(gone)) {
		r.waves = append(r.waves, wave)
	}
	return r
}

func (t *Table) endReplay() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.replays--
}

// run restores the groups of one wave and returns when all are done.
func (r *replay) run(ctx context.Context, wave []ID) {
	inParallel(wave, func(id ID) {
		if !r.over(ctx) {
			r.note(ctx, id, r.restore(ctx, id))
		}
	})
}

// restore sends what one ID is owed.
func (r *replay) restore(ctx context.Context, id ID) error {
	t, e := r.table, r.found[id]
	limited := deadline.Within(ctx, t.timeout)
	defer limited.End()
	there, err := t.rejoin(limited, id, e)
	if err != nil {
		return unsent("replay", id, err)
	}
	if !there {
		return nil
	}
	defer t.leave(id, e)
	c, deleting, owed := t.owed(id, e, r.sender.Version())
	if !owed {
		return nil
	}
	_, err = t.deliver(limited, r.sender, e, c, "replay")
	if errors.Is(err, ErrUnknownGroup) && c.cmd == Delete {
		err = nil
	}
	if err == nil && deleting == unanswered {
		t.mu.Lock()
		e.owned = true
		t.mu.Unlock()
	}
	return err
}

// owed is what the switch is still to be sent for an ID whose turn the caller has.
func (t *Table) owed(id ID, e *entry, v Version) (c change, d deletion, owed bool) {
	t.mu.Lock()
	state, group, has, next, d, at := t.now(e), e.group, e.has, e.next, e.deletion, t.moment(e)
	t.mu.Unlock()
	switch {
	case state == Held || state == Absent:
		return change{}, noDeletion, false
	case d != noDeletion:
		c = removal(id)
	case !has:
		return change{}, noDeletion, false
	default:
		c = holding{group: group, state: Unknown, next: next}.toward(group, v)
	}
	c.decided = at
	return c, d, true
}

// note keeps the error of one group. What ends all of them is kept once.
func (r *replay) note(ctx context.Context, id ID, err error) {
	if err == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	lost := errors.Is(err, ErrDisconnected)
	cut := ctx.Err() != nil && errors.Is(err, ctx.Err())
	if !(lost && r.lost) && !cut {
		r.failed = append(r.failed, failure{id, err})
	}
	r.lost, r.cut = r.lost || lost, r.cut || cut
}

// over reports whether it makes no sense to go on.
func (r *replay) over(ctx context.Context) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cut = r.cut || ctx.Err() != nil
	return r.lost || r.cut
}

// result is the error of the whole replay.
func (r *replay) result(ctx context.Context) error {
	if r.lost {
		r.table.Invalidate() // what was confirmed before the connection was lost, too
	}
	slices.SortFunc(r.failed, func(a, b failure) int { return cmp.Compare(a.id, b.id) })
	var all []error
	for _, f := range r.failed {
		all = append(all, f.err)
	}
	if r.cut {
		all = append(all, ctx.Err())
	}
	return errors.Join(all...)
}
