package mcast

// allow says whether a record may become what a report makes of it: one with
// that many sources, which are grown more than before.
func (c *Cache[M]) allow(rec *record[M], r *Report[M], grown, sources int) error {
	l, why := &c.cfg.Limits, ""
	switch {
	case grown > 0 && sources > l.SourcesPerMember:
		why = "sources of the member"
	case grown > 0 && c.sourcesOf(r.Member)+grown > l.TotalSourcesPerMember:
		why = "sources of the member over all groups"
	case grown > 0 && c.count.Sources+grown > l.Sources:
		why = "sources"
	case rec != nil:
	case c.count.Memberships >= l.Memberships:
		why = "memberships"
	case c.groups[r.Group] == nil && len(c.groups) >= l.Groups:
		why = "groups"
	case c.peers[r.Member] != nil && len(c.peers[r.Member].records) >= l.GroupsPerMember:
		why = "groups of the member"
	}
	if why == "" {
		return nil
	}
	c.count.RefusedLimit++
	return &Error{Op: "apply", Detail: why, Err: ErrLimit}
}

// sourcesOf is how many sources a member names over all groups and owners.
func (c *Cache[M]) sourcesOf(m M) int {
	if p := c.peers[m]; p != nil {
		return p.sources
	}
	return 0
}

// newRecord makes the record of a membership that is about to be adopted.
func (c *Cache[M]) newRecord(r *Report[M], joined instant) *record[M] {
	g := c.groups[r.Group]
	if g == nil {
		g = &group[M]{key: r.Group, edit: 1}
		c.groups[r.Group] = g
	}
	p := c.peers[r.Member]
	if p == nil {
		p = &peer[M]{}
		c.peers[r.Member] = p
	}
	rec := &record[M]{group: g, timer: stopped, wake: never, inPeer: int32(len(p.records))}
	rec.entry.member, rec.entry.joined = r.Member, seconds(joined)
	p.records = append(p.records, rec)
	c.own(r.Owner, rec)
	if first := g.tree.get(c.env.hash, r.Member); first != nil {
		g.share(first.live, rec)
	}
	c.count.Memberships++
	return rec
}

// own notes who holds a record.
func (c *Cache[M]) own(key Owner, rec *record[M]) {
	if key == (Owner{}) {
		return
	}
	o := c.owners[key]
	if o == nil {
		o = &owner[M]{key: key}
		c.owners[key] = o
	}
	x := rec.more()
	x.owner, x.inOwner = o, int32(len(o.records))
	o.records = append(o.records, rec)
}

// share notes one more holder of a member that has others.
func (g *group[M]) share(first, rec *record[M]) {
	if g.shared == nil {
		g.shared = make(map[M][]*record[M])
	}
	m := rec.member()
	if g.shared[m] == nil {
		g.shared[m] = []*record[M]{first}
	}
	g.shared[m] = append(g.shared[m], rec)
}
