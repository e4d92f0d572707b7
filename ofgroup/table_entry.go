package ofgroup

import "context"

// entry is what the table knows of one ID. All but turn is guarded by Table.mu.
type entry struct {
	turn chan struct{} // holds a token while a call is in progress

	users  int  // calls that are in progress or wait for their turn
	owned  bool // keep the ID when the last call ends
	forget bool // drop it then, nevertheless

	state State
	epoch uint64 // of state
	group Group  // what the switch last had as far as we know, if has
	has   bool
	next  BucketID // the lowest number that no bucket of the group had
	voids int      // how often somebody else changed the group

	deletion deletion
}

func (t *Table) newEntry(absent bool) *entry {
	e := &entry{turn: make(chan struct{}, 1), epoch: t.epoch}
	if absent {
		e.state = Absent
	}
	return e
}

// now is the entry's state, which a disconnect has voided. Callers hold mu.
func (t *Table) now(e *entry) State {
	if e.epoch != t.epoch {
		return Unknown
	}
	return e.state
}

// doubt voids all that was learnt: there was a disconnect. Callers hold mu.
func (t *Table) doubt() {
	t.epoch++
	t.ids.doubt()
}

// enter waits for the ID's turn, and claims the ID if it is new. A nil error asks for
// leave.
func (t *Table) enter(ctx context.Context, id ID) (*entry, error) {
	if id > MaxID {
		return nil, reservedID(id)
	}
	if !t.owns(id) {
		return nil, ErrIDOwned
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	e, err := t.use(id)
	if err != nil {
		return nil, err
	}
	if err := t.await(ctx, id, e); err != nil {
		return nil, err
	}
	return e, nil
}

// await waits for the turn of an entry that its caller uses already.
func (t *Table) await(ctx context.Context, id ID, e *entry) error {
	select {
	case e.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		t.unuse(id, e)
		return ctx.Err()
	}
}

func (t *Table) leave(id ID, e *entry) {
	<-e.turn
	t.unuse(id, e)
}

func (t *Table) use(id ID) (*entry, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	e := t.entries[id]
	if e == nil {
		var err error
		if e, err = t.claim(id); err != nil {
			return nil, err
		}
	}
	e.users++
	e.forget = false
	return e, nil
}

// claim makes an entry for an ID that has none. Callers hold mu.
func (t *Table) claim(id ID) (*entry, error) {
	unlisted := t.unlisted(id)
	absent, err := t.ids.claim(id, t)
	if err != nil {
		return nil, err
	}
	e := t.newEntry(absent || unlisted)
	t.entries[id] = e
	return e, nil
}

// unuse drops the entry after its last call when there is nothing to keep: the group was
// deleted, or nothing was ever sent, or the owner said so.
func (t *Table) unuse(id ID, e *entry) {
	t.mu.Lock()
	defer t.mu.Unlock()
	e.users--
	t.dropUnused(id, e)
}

func (t *Table) dropUnused(id ID, e *entry) {
	if e.users > 0 || e.owned && !e.forget {
		return
	}
	delete(t.entries, id)
	t.ids.release(id, !e.forget && t.now(e) == Absent)
}

// holding is what the switch has under the entry's ID.
func (t *Table) holding(e *entry) holding {
	t.mu.Lock()
	defer t.mu.Unlock()
	return holding{group: e.group, state: t.now(e), next: e.next}
}

// keep records the keys of buckets that the switch has already.
func (t *Table) keep(e *entry, c change) {
	t.mu.Lock()
	defer t.mu.Unlock()
	e.group, e.next = c.after, max(e.next, c.next)
}

// beginning is when a delivery began. What was learnt before a disconnect, or before
// somebody else changed the group, is void.
type beginning struct {
	epoch uint64
	voids int
}

func (t *Table) begin(e *entry) beginning {
	t.mu.Lock()
	defer t.mu.Unlock()
	return beginning{t.epoch, e.voids}
}

// settle records how the delivery of a change ended.
func (t *Table) settle(e *entry, c change, began beginning, o outcome) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch o {
	case untouched:
		return
	case unlinked:
		if t.replays == 0 { // a replay knows of the connection that others still miss
			t.doubt()
		}
		return
	case cutOff:
		if t.replays == 0 || began.epoch >= t.replayed { // it can be of the connection before
			t.doubt()
		}
	}
	e.owned, e.epoch = true, began.epoch
	e.next = max(e.next, c.next) // even if nobody knows whether the switch used them
	e.learn(c, o)
	if e.voids != began.voids {
		e.state = Unknown
	}
}

// learn is settle for the entry alone.
func (e *entry) learn(c change, o outcome) {
	if o != cutOff {
		e.deletion = noDeletion
	}
	cmd := c.cmd
	switch {
	case o == cutOff:
		e.state = Unknown
	case o == doubtful:
		e.state = Unknown
		if cmd == Delete {
			e.deletion = unanswered
		}
	case o == missing || o == done && cmd == Delete:
		e.state, e.group, e.has, e.next = Absent, Group{}, false, 0
		e.owned = o == missing && cmd != Delete // a group that is gone as asked frees its ID
	case o == written && cmd == Delete:
		e.state, e.group, e.has = Unknown, Group{}, false
		e.deletion = unconfirmed
	case o == written:
		e.state, e.group, e.has, e.next = Assumed, c.after, true, c.next
	default:
		e.state, e.group, e.has, e.next = Held, c.after, true, c.next
	}
}
