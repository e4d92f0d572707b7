package ofgroup

import "strconv"

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
	p := h.pair(g, v)
	next, again := p.number(h.next)
	c.after, c.next = g, next
	c.after.setBuckets(p.now)
	switch {
	case !h.live() || again:
	case g.typ == All && h.group.typ == All && g.props() == h.group.props():
		c.byDifference(p, h.state == Held && v == OpenFlow15)
	default:
		c.same = sameIn(v, c.after, h.group)
	}
	if v == OpenFlow13 {
		c.after = c.after.unnumbered()
	}
	return c
}

// byDifference looks at a group of type All as a set of buckets, in whose order there is
// no meaning, and changes that set by the smallest message there is for it.
func (c *change) byDifference(p *pairing, delta bool) {
	switch {
	case p.changed:
		return
	case p.gone == 0 && len(p.newOnes) == 0:
		c.same = true
	case !delta:
		return
	case p.gone == 0:
		c.cmd, c.added = InsertBucket, p.added()
	case p.gone == 1 && len(p.newOnes) == 0:
		c.cmd, c.at = RemoveBucket, p.removed()
	default:
		return
	}
	c.after.buckets = p.asHeld()
}

// mod is the message in version v.
func (c change) mod(v Version) (*Mod, error) {
	switch c.cmd {
	case InsertBucket:
		if err := c.insertable(v); err != nil {
			return nil, err
		}
		return c.after.WithBuckets(c.added...).ModInsert(LastBucket, v)
	case RemoveBucket:
		return c.after.ModRemove(c.at, v)
	default:
		return c.after.Mod(c.cmd, v)
	}
}

// fewKeys is how many keys are sooner looked for one by one than by a map of all.
const fewKeys = 4

// insertable reports why a switch could not have the whole group. What stays it has already,
// and the new buckets are checked by themselves; but together they can be too much, or have
// one key twice.
func (c change) insertable(v Version) error {
	fail := func(bucket int, err error) error {
		return &Error{Op: c.cmd.String(), ID: c.after.id, Bucket: bucket, Err: err}
	}
	if _, err := c.after.measure(v); err != nil {
		return fail(NoBucket, err)
	}
	if i := c.repeatedKey(); i >= 0 {
		key, _ := c.after.buckets.at(i).Key()
		return fail(i, fault{ErrBucketKey, strconv.Quote(key)})
	}
	return nil
}

// repeatedKey is the place of a new bucket that has the key of one that stays, or -1.
func (c change) repeatedKey() int {
	if len(c.added) > fewKeys {
		return c.after.repeatedKey(c.after.Len())
	}
	staying := c.after.Len() - len(c.added)
	for i, b := range c.after.buckets.each {
		for k := range c.added {
			if i < staying && b.hasKeyOf(&c.added[k]) {
				return staying + k
			}
		}
	}
	return -1
}
