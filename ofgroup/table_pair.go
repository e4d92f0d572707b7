package ofgroup

// pairing tells which buckets of a group that shall be are those of the group that is. Usually
// both lists are in the same order but for a few buckets, and then one look at each finds out.
type pairing struct {
	old, now []Bucket // old is numbered; now is a copy that is to be
	oldType  Type
	nowType  Type
	version  Version

	partner  []int // of each old bucket, its place in now, or -1
	newOnes  []int // the places in now of buckets without partner, ascending
	gone     int   // old buckets without partner
	shuffled bool  // a partner stands before one of an earlier bucket
	changed  bool  // a bucket has other contents than its partner
}

// ahead is how many old buckets may have gone in a row before it takes a map to find the next.
const ahead = 4

// pair finds for every bucket of a group with keys the one of the same key in what is held, or,
// if the switch has buckets without keys, such a one with equal contents.
func (h holding) pair(g Group, v Version) *pairing {
	p := &pairing{
		old: h.group.numbered().buckets.flat(), now: g.buckets.copied(),
		oldType: h.group.typ, nowType: g.typ, version: v, gone: h.group.Len(),
	}
	p.partner = make([]int, len(p.old))
	for j := range p.partner {
		p.partner[j] = -1
	}
	next := 0
	for i := range p.now {
		j := p.partnerOf(&p.now[i], next)
		if j < 0 {
			p.newOnes = append(p.newOnes, i)
			continue
		}
		p.match(i, j)
		next = j + 1
	}
	if p.gone > 0 && len(p.newOnes) > 0 {
		p.searchAll()
	}
	return p
}

// partnerOf is the place of the old bucket with the same key if it is one of the next few,
// else -1.
func (p *pairing) partnerOf(b *Bucket, next int) int {
	for j := next; j < len(p.old) && j <= next+ahead; j++ {
		if p.old[j].hasKeyOf(b) {
			return j
		}
	}
	return -1
}

// match makes partners of two buckets: the new one gets the number of the old one.
func (p *pairing) match(i, j int) {
	b, was := &p.now[i], &p.old[j]
	p.partner[j] = i
	p.gone--
	b.id, b.has = was.numberAt(j), b.has|hasID
	p.changed = p.changed || !p.alike(b, was)
}

// alike reports whether two partners have the same contents.
func (p *pairing) alike(b, was *Bucket) bool {
	rest := *was
	rest.id, rest.has = b.id, rest.has|hasID
	return p.nowType == p.oldType && *b == rest || b.content(p.nowType, p.version) == was.content(p.oldType, p.version)
}

// searchAll finds the partners of those that are left, wherever they are.
func (p *pairing) searchAll() {
	left := p.unpaired()
	alone := p.newOnes[:0]
	for _, i := range p.newOnes {
		j, found := left.take(&p.now[i], p.nowType, p.version)
		if !found {
			alone = append(alone, i)
			continue
		}
		p.match(i, j)
		p.shuffled = true
	}
	p.newOnes = alone
}

// leftOver are places of old buckets without partner, each to be taken once.
type leftOver struct {
	byKey     map[string]int
	byContent map[Bucket][]int // of buckets without keys, the first one last
}

func (p *pairing) unpaired() leftOver {
	left := leftOver{make(map[string]int, p.gone), make(map[Bucket][]int)}
	for j := len(p.old) - 1; j >= 0; j-- {
		b := &p.old[j]
		key, has := b.Key()
		switch {
		case p.partner[j] >= 0:
		case has:
			left.byKey[key] = j
		default:
			c := b.content(p.oldType, p.version)
			left.byContent[c] = append(left.byContent[c], j)
		}
	}
	return left
}

func (l leftOver) take(b *Bucket, t Type, v Version) (int, bool) {
	key, _ := b.Key()
	if j, has := l.byKey[key]; has {
		delete(l.byKey, key)
		return j, true
	}
	if len(l.byContent) == 0 {
		return 0, false
	}
	c := b.content(t, v)
	places := l.byContent[c]
	if len(places) == 0 {
		return 0, false
	}
	l.byContent[c] = places[:len(places)-1]
	return places[len(places)-1], true
}

// added are the new buckets.
func (p *pairing) added() []Bucket {
	bs := make([]Bucket, len(p.newOnes))
	for k, i := range p.newOnes {
		bs[k] = p.now[i]
	}
	return bs
}

// removed is the number of the first old bucket that has no partner, of which there is one.
func (p *pairing) removed() BucketID {
	for j, i := range p.partner {
		if i < 0 {
			return p.old[j].numberAt(j)
		}
	}
	return 0
}

// asHeld are the buckets in the order in which a switch has them that was told of the
// difference: those that stay in their old order, and the new ones behind.
func (p *pairing) asHeld() list {
	if first := len(p.now) - len(p.newOnes); !p.shuffled && (len(p.newOnes) == 0 || p.newOnes[0] == first) {
		return listOf(p.now)
	}
	bs := make([]Bucket, 0, len(p.now))
	for _, i := range p.partner {
		if i >= 0 {
			bs = append(bs, p.now[i])
		}
	}
	return listOf(append(bs, p.added()...))
}
