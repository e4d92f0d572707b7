package ofgroup

// holding is what a switch has under one ID, as far as anybody knows.
type holding struct {
	group Group // that it has or last had; without buckets if there is none
	state State
	next  BucketID // the lowest number that no bucket of the group has had
}

// live reports whether the group is there, or assumed to be.
func (h holding) live() bool { return h.state == Held || h.state == Assumed }

// change is one message, and what the switch holds once it has obeyed.
type change struct {
	cmd   Command
	at    BucketID // of RemoveBucket
	added []Bucket // of InsertBucket, behind the last
	after Group    // the whole group; for Delete its number alone
	next  BucketID // as in holding
	same  bool     // the switch has all of it already

	decided moment // for a Table: when
}

// removal is the change that ends a group.
func removal(id ID) change { return change{cmd: Delete, after: New(id, All)} }

// toward is the change from what is held to g in version v. It is pure: a Table makes its
// messages by it, and a plan foretells them.
func (h holding) toward(g Group, v Version) change {
	c := change{cmd: h.state.command()}
	if !g.keyed() || g.Len() == 0 && !h.group.keyed() {
		c.after, c.next = g, max(h.next, g.nextNumber())
		c.same = h.live() && sameIn(v, g, h.group)
		return c
	}
	numbered, next, again := h.number(g, v)
	c.after, c.next = numbered, next
	switch {
	case !h.live() || again:
	case g.typ == All && h.group.typ == All && g.props() == h.group.props():
		h.byDifference(&c, v)
	default:
		c.same = sameIn(v, numbered, h.group)
	}
	if v == OpenFlow13 {
		c.after = c.after.unnumbered()
	}
	return c
}

// byDifference looks at a group of type All as a set of buckets, in whose order there is
// no meaning, and changes that set by the smallest message there is for it.
func (h holding) byDifference(c *change, v Version) {
	d := differenceOf(h.group, c.after, v)
	delta := h.state == Held && v == OpenFlow15
	switch {
	case d.changed:
	case d.removed == 0 && len(d.added) == 0:
		c.same, c.after = true, c.after.WithBuckets(d.order...)
	case !delta:
	case d.removed == 0:
		c.cmd, c.added = InsertBucket, d.added
		c.after = c.after.WithBuckets(d.order...)
	case d.removed == 1 && len(d.added) == 0:
		c.cmd, c.at = RemoveBucket, d.gone
		c.after = c.after.WithBuckets(d.order...)
	}
}

// difference is how one set of numbered buckets differs from another.
type difference struct {
	changed bool     // a bucket that stays has other contents
	added   []Bucket // those that are new
	removed int      // how many are not there any more
	gone    BucketID // one of those
	order   []Bucket // those that stay, in their old order, and the new ones behind
}

func differenceOf(old, now Group, v Version) difference {
	left := make(map[BucketID]*Bucket, now.Len())
	for _, b := range now.buckets.each {
		left[b.id] = b
	}
	d := difference{order: make([]Bucket, 0, now.Len())}
	for i, was := range old.numbered().buckets.each {
		id := was.onWire(i, old.typ).id
		b, stays := left[id]
		if !stays {
			d.removed, d.gone = d.removed+1, id
			continue
		}
		delete(left, id)
		d.changed = d.changed || b.content(now.typ, v) != was.content(old.typ, v)
		d.order = append(d.order, *b)
	}
	for _, b := range now.buckets.each {
		if _, isNew := left[b.id]; isNew {
			d.added = append(d.added, *b)
		}
	}
	d.order = append(d.order, d.added...)
	return d
}

// mod is the message in version v. That the whole group is one that a switch takes, and
// can describe, is checked for every kind of message.
func (c change) mod(v Version) (*Mod, error) {
	switch c.cmd {
	case InsertBucket:
		if _, err := c.after.Mod(Modify, v); err != nil {
			return nil, err
		}
		return c.after.WithBuckets(c.added...).ModInsert(LastBucket, v)
	case RemoveBucket:
		return c.after.ModRemove(c.at, v)
	default:
		return c.after.Mod(c.cmd, v)
	}
}
