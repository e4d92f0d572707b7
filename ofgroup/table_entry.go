package ofgroup

// entry is what the table knows of one ID. It is guarded by Table.mu.
type entry struct {
	busy bool            // a call is in progress
	line []chan struct{} // those that wait for its end, each to be told that it is their turn

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
	e := &entry{epoch: t.epoch}
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

func (t *Table) dropUnused(id ID, e *entry) {
	if e.users > 0 || e.owned && !e.forget {
		return
	}
	delete(t.entries, id)
	t.ids.release(id, !e.forget && t.now(e) == Absent)
}

// holding is what the switch has under the entry's ID, and when that was so.
func (t *Table) holding(e *entry) (holding, moment) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return holding{group: e.group, state: t.now(e), next: e.next}, t.moment(e)
}

// keep records the keys of buckets that the switch has already.
func (t *Table) keep(e *entry, c change) {
	t.mu.Lock()
	defer t.mu.Unlock()
	e.group, e.next = c.after, max(e.next, c.next)
}

// moment is when it was decided on a change. What is learnt of it after a disconnect, or
// after somebody else changed the group, is void.
type moment struct {
	epoch uint64
	voids int
}

// moment is now. Callers hold mu.
func (t *Table) moment(e *entry) moment { return moment{t.epoch, e.voids} }

// settle records how the delivery of a change ended.
func (t *Table) settle(e *entry, c change, o outcome) {
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
		if t.replays == 0 || c.decided.epoch >= t.replayed { // it can be of the connection before
			t.doubt()
		}
	}
	e.owned, e.epoch = true, c.decided.epoch
	e.next = max(e.next, c.next) // even if nobody knows whether the switch used them
	e.learn(c, o)
	if e.voids != c.decided.voids {
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
