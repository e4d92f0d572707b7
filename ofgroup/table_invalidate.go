package ofgroup

// Invalidate makes these IDs Unknown, or every ID if none is given: for hosts that learn in
// another way than by an error of the Sender that the switch was restarted, or that somebody
// else changed a group. The groups stay known, so the next Commit or Sync of one sends it
// whole, and Update goes on from it. What calls in progress are told about these IDs is
// void, too, as nobody knows which of the two messages came first.
func (t *Table) Invalidate(ids ...ID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(ids) == 0 {
		t.doubt()
	}
	for _, id := range ids {
		t.invalidate(id)
	}
}

// InvalidateBy is Invalidate for what somebody else's GROUP_MOD changed: its group, or all
// of them. It is for the messages that a switch forwards (REQUESTFORWARD, OpenFlow 1.5.1,
// 7.4.5) of other controllers, the refused and the harmless ones included. Groups of
// others are no matter. With ofconn:
//
//	Events{RequestForward: func(f ofgroup.RequestForward, _ time.Time) {
//		if f.Mod != nil {
//			table.InvalidateBy(f.Mod)
//		}
//	}}
func (t *Table) InvalidateBy(m *Mod) {
	if m.group.id == AllGroups {
		t.Invalidate()
		return
	}
	t.Invalidate(m.group.id)
}

// invalidate is Invalidate for one ID. Callers hold mu.
func (t *Table) invalidate(id ID) {
	e := t.entries[id]
	if e == nil {
		t.ids.doubtOne(id)
		return
	}
	e.state = Unknown
	e.voids++
}
