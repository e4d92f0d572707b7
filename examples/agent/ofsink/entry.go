package ofsink

import (
	"cmp"
	"net/netip"
	"slices"

	"github.com/ofmcast/ofmcast/mcast"
	"github.com/ofmcast/ofmcast/ofgroup"
)

// entry is what the sink has on the switch for a multicast group, by source. The cache never runs two
// Syncs of one group at a time, so what one of them has found here stays until it is done.
type entry map[netip.Addr]*held

// held is an OpenFlow group and the flow that points at it. It is kept until the switch has confirmed
// that the group is deleted: until then its number must not go to another.
type held struct {
	id   ofgroup.ID
	flow string // the actions of the flow that the switch has confirmed; empty when that is in doubt
}

// Row is what the sink has on the switch for a source of a multicast group, or with the zero Addr for
// every source that has no row of its own. The table knows the OpenFlow group.
type Row struct {
	Group  mcast.Group
	Source netip.Addr
	ID     ofgroup.ID
}

// Rows are all that the sink has, or may have, on the switch, by groups and sources.
func (k *Sink[M]) Rows() []Row {
	k.mu.Lock()
	defer k.mu.Unlock()
	var all []Row
	for g, e := range k.entries {
		for source, h := range e {
			all = append(all, Row{g, source, h.id})
		}
	}
	slices.SortFunc(all, func(a, b Row) int { return cmp.Or(a.Group.Compare(b.Group), a.Source.Compare(b.Source)) })
	return all
}

// ID returns the OpenFlow group that stands for a source of g, or with the zero Addr for every source
// that has none of its own, if there is one.
func (k *Sink[M]) ID(g mcast.Group, source netip.Addr) (ofgroup.ID, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if h := k.entries[g][source]; h != nil {
		return h.id, true
	}
	return 0, false
}

// hold returns what there is for a source of g, taking a free ID if there is nothing.
func (k *Sink[M]) hold(g mcast.Group, source netip.Addr) (held, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if h := k.entries[g][source]; h != nil {
		return *h, nil
	}
	id, err := k.cfg.Table.Allocate()
	if err != nil {
		return held{}, err
	}
	if k.entries[g] == nil {
		k.entries[g] = entry{}
	}
	k.entries[g][source] = &held{id: id}
	return held{id: id}, nil
}

// setFlow notes what the flow of a source does, as far as is known.
func (k *Sink[M]) setFlow(g mcast.Group, source netip.Addr, id ofgroup.ID, flow string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if h := k.entries[g][source]; h != nil && h.id == id {
		h.flow = flow
	}
}

// drop forgets a source of g, whose group is no more.
func (k *Sink[M]) drop(g mcast.Group, source netip.Addr) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.entries[g], source)
	if len(k.entries[g]) == 0 {
		delete(k.entries, g)
	}
}

// unwanted are the sources of g that the sink has something for on the switch and that want has not.
func (k *Sink[M]) unwanted(g mcast.Group, want rows) []netip.Addr {
	k.mu.Lock()
	defer k.mu.Unlock()
	var gone []netip.Addr
	for source := range k.entries[g] {
		if _, ok := want[source]; !ok {
			gone = append(gone, source)
		}
	}
	return gone
}
