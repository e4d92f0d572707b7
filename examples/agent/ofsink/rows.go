package ofsink

import (
	"iter"
	"net/netip"

	"github.com/ofmcast/ofmcast/mcast"
	"github.com/ofmcast/ofmcast/ofgroup"
)

// anySource is the key of the row for every source that has none of its own.
var anySource netip.Addr

// rows is who shall get the packets of a multicast group, by source.
type rows map[netip.Addr]buckets

// buckets are those of one OpenFlow group, each of them once.
type buckets []ofgroup.Bucket

// rows is what s asks for.
//
// A source has a row only if its packets go elsewhere than those of a source that nobody names, which
// go to the row for any source or, where there is none because no member wants any source, to the
// common buckets. Without a row that is where they go, so nothing is lost. Such rows come up where
// members share buckets or have none.
func (k *Sink[M]) rows(s mcast.State[M]) rows {
	g, common := s.Group(), k.common(s.Group())
	if k.cfg.MaxSources < 0 {
		return k.oneRow(s, common)
	}
	want, all := k.rowsOf(g, s.Forwarding(), common)
	k.note(g, !all)
	if !all {
		want, _ = k.rowsOf(g, forwarding(fit(s, k.maxSources())), common)
	}
	return want
}

// rowsOf are the rows of who wants what, and whether that is all: there may be very many.
func (k *Sink[M]) rowsOf(g mcast.Group, wanted iter.Seq2[netip.Addr, iter.Seq[M]], common buckets) (want rows, all bool) {
	want, rest, named := rows{}, common, 0
	for source, members := range wanted {
		row := k.buckets(g, members, common)
		switch {
		case source == anySource:
			want[anySource], rest = row, row
		case row.sameSet(rest):
		case named == k.maxSources():
			return want, false
		default:
			want[source] = row
			named++
		}
	}
	return want, true
}

// note remembers whether g has too many sources, and logs when that changes.
func (k *Sink[M]) note(g mcast.Group, tooMany bool) {
	k.mu.Lock()
	before := k.crowded[g]
	if tooMany {
		k.crowded[g] = true
	} else {
		delete(k.crowded, g)
	}
	k.mu.Unlock()
	switch {
	case tooMany && !before:
		k.log.Error("too many sources with flows of their own: the members that name the most get the packets of all",
			"group", g, "limit", k.maxSources())
	case before && !tooMany:
		k.log.Info("sources have flows of their own again", "group", g)
	}
}

// maxSources is Config.MaxSources with its default.
func (k *Sink[M]) maxSources() int {
	if k.cfg.MaxSources == 0 {
		return defaultMaxSources
	}
	return k.cfg.MaxSources
}

// defaultMaxSources is more than the sockets of a few hosts ask for, who are held to 10 by Linux.
const defaultMaxSources = 64

// oneRow is what s asks for when filters do not count.
func (k *Sink[M]) oneRow(s mcast.State[M], common []ofgroup.Bucket) rows {
	if s.Len() == 0 {
		return nil
	}
	return rows{anySource: k.buckets(s.Group(), s.Members(), common)}
}

// common are the buckets that g has whoever its members are.
func (k *Sink[M]) common(g mcast.Group) buckets {
	if k.cfg.Common == nil {
		return nil
	}
	return k.cfg.Common(g)
}

// buckets are those of the members, in their order, and then the common ones.
func (k *Sink[M]) buckets(g mcast.Group, members iter.Seq[M], common []ofgroup.Bucket) buckets {
	var row buckets
	seen := make(map[ofgroup.Bucket]struct{})
	add := func(b ofgroup.Bucket) {
		if _, twice := seen[b]; !twice {
			seen[b] = struct{}{}
			row = append(row, b)
		}
	}
	for m := range members {
		if b, ok := k.cfg.Bucket(g, m); ok {
			add(b)
		}
	}
	for _, b := range common {
		add(b)
	}
	return row
}

// sameSet says whether an ALL group of these buckets does what one of the others does.
func (bs buckets) sameSet(others buckets) bool {
	if len(bs) != len(others) {
		return false
	}
	there := make(map[ofgroup.Bucket]struct{}, len(others))
	for _, b := range others {
		there[b] = struct{}{}
	}
	for _, b := range bs {
		if _, ok := there[b]; !ok {
			return false
		}
	}
	return true
}

// group is the OpenFlow group of the buckets.
func (bs buckets) group(id ofgroup.ID) ofgroup.Group {
	return ofgroup.New(id, ofgroup.All).AddBuckets(bs...)
}
