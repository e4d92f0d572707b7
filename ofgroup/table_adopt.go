package ofgroup

// Coverage says how much of a switch a listing of groups tells.
type Coverage uint8

const (
	// Partial listings tell of the groups in them, and nothing of others.
	Partial Coverage = iota
	// Full listings have every group that the switch has of the IDs that the table
	// owns: what is not in it is not there.
	Full
)

// listing is the last full one.
type listing struct {
	full  bool
	epoch uint64 // of the table
	at    uint64 // in the allocator's time
}

// Adopt takes over what the switch holds, as its group descriptions tell, without sending
// anything: what an agent does after a restart, instead of deleting everything.
//
// A group that the table knows nothing of becomes Held as it is described, and its ID is
// the table's, in the allocator too. One that it knows, be it Unknown since a disconnect,
// becomes Held if the switch has just that, compared in the version of the Sender; if not
// it becomes Unknown, and the table goes on knowing its own. In a Full listing, every ID
// that the table owns and that is not listed becomes Absent; a group that it knows under
// such an ID stays known, and the next Sync adds it.
//
// Descriptions have no keys. Where a group with keys is brought to a switch that holds it
// without, its buckets take over the numbers of those with equal contents, which then keep
// their counters; nothing is sent for a group that differs in nothing but keys.
//
// Groups that the table does not own (TableConfig.Owns, or another Table has them) are left
// out. A table without Owns takes all that it is given. IDs with calls in progress stay as
// they are.
//
// The listing must have been read after the last message that the table sent for any of
// these IDs was answered. What it says of a group that is Held or Absent and should not be
// so makes the ID Unknown, for which the next Commit is right in any case.
func (t *Table) Adopt(held []Group, c Coverage) {
	listed := make(map[ID]Group, len(held))
	for _, g := range held {
		if g.id <= MaxID && t.owns(g.id) {
			listed[g.id] = g
		}
	}
	v := t.sender.Version()
	t.mu.Lock()
	defer t.mu.Unlock()
	for id, g := range listed {
		t.adopt(id, g, v)
	}
	if c != Full {
		return
	}
	t.listing = listing{full: true, epoch: t.epoch, at: t.ids.now()}
	for id, e := range t.entries {
		if _, there := listed[id]; !there && e.users == 0 {
			e.vanish(t.epoch)
		}
	}
}

// unlisted reports whether an ID for which there was no entry is known to be absent,
// because the last full listing did not have it. Callers hold mu, and own the ID.
func (t *Table) unlisted(id ID) bool {
	l := t.listing
	return l.full && l.epoch == t.epoch && t.ids.unused(id, l.at, t)
}

// adopt takes over one group. Callers hold mu.
func (t *Table) adopt(id ID, g Group, v Version) {
	e := t.entries[id]
	if e == nil {
		var err error
		if e, err = t.claim(id); err != nil {
			return
		}
	}
	if e.users > 0 {
		return
	}
	state := t.now(e)
	e.owned, e.epoch = true, t.epoch
	switch {
	case e.deletion != noDeletion:
		e.state = Unknown // and still to be deleted
	case e.has:
		e.recognise(g, v)
	case state == Absent: // or is it not?
		e.group, e.has, e.state = g, true, Unknown
	default:
		e.group, e.has, e.state = g, true, Held
	}
	e.next = max(e.next, g.nextNumber())
}

// recognise compares what is known with what the switch describes.
func (e *entry) recognise(g Group, v Version) {
	c := holding{group: g, state: Held, next: e.next}.toward(e.group, v)
	if e.state = Unknown; c.same {
		e.state, e.group = Held, c.after
	}
}

// vanish is what a full listing says of an entry that is not in it.
func (e *entry) vanish(epoch uint64) {
	e.state, e.epoch = Absent, epoch
	if e.deletion != noDeletion || !e.has {
		e.deletion, e.group, e.has, e.next = noDeletion, Group{}, false, 0
	}
}
