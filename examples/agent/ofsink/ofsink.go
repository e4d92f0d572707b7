// Package ofsink turns the members of multicast groups into OpenFlow groups: the sink that ties
// mcast to ofgroup, small enough to be copied into a host project.
package ofsink

import (
	"context"
	"fmt"
	"iter"
	"sync"

	"github.com/ofmcast/ofmcast/mcast"
	"github.com/ofmcast/ofmcast/ofgroup"
)

// Sink keeps one ALL group on the switch for each multicast group that has members: a bucket a
// member port, whatever that member's filter is. A change of the members is one GROUP_MOD; what
// does not change the set of ports sends none.
//
// Group IDs come from the table's allocator and are kept while the multicast group has members. The
// table's Sender must confirm (ofconn does): behind an unconfirming one, deleted IDs stay taken
// until the caller's Forget.
//
// Sink is an mcast.Sink and safe for concurrent use.
type Sink struct {
	table *ofgroup.Table

	mu  sync.Mutex
	ids map[mcast.Group]ofgroup.ID
}

var _ mcast.Sink[ofgroup.Port] = (*Sink)(nil)

// New returns a Sink that programs the switch behind t.
func New(t *ofgroup.Table) *Sink {
	return &Sink{table: t, ids: make(map[mcast.Group]ofgroup.ID)}
}

// Sync makes the switch agree with s: it creates, changes or deletes the group of s.Group(). It is
// idempotent; after an error the next Sync makes up for what this one left.
func (k *Sink) Sync(ctx context.Context, s mcast.State[ofgroup.Port]) error {
	if s.Len() == 0 {
		return k.remove(ctx, s.Group())
	}
	id, err := k.allocate(s.Group())
	if err != nil {
		return err
	}
	if _, err := k.table.Sync(ctx, Describe(id, s.Members())); err != nil {
		return fmt.Errorf("ofsink: multicast group %v: %w", s.Group().Addr, err)
	}
	return nil
}

// ID returns the OpenFlow group that stands for g, if g has one.
func (k *Sink) ID(g mcast.Group) (ofgroup.ID, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	id, ok := k.ids[g]
	return id, ok
}

// Describe returns the OpenFlow group that copies a packet to each of the ports. A bucket's ID is
// its port's number, so that ovs-ofctl dump-groups and dump-group-stats can be read by port.
func Describe(id ofgroup.ID, ports iter.Seq[ofgroup.Port]) ofgroup.Group {
	g := ofgroup.New(id, ofgroup.All)
	for p := range ports {
		g = g.AddBuckets(bucket(p))
	}
	return g
}

// bucket leaves the ID of a reserved port (LOCAL) to ofgroup: its number is no legal bucket ID.
func bucket(p ofgroup.Port) ofgroup.Bucket {
	b := ofgroup.NewBucket(ofgroup.Output(p))
	if id := ofgroup.BucketID(p); id <= ofgroup.MaxBucketID {
		b = b.WithID(id)
	}
	return b
}

func (k *Sink) remove(ctx context.Context, g mcast.Group) error {
	id, ok := k.ID(g)
	if !ok {
		return nil
	}
	if err := k.table.Delete(ctx, id); err != nil {
		return fmt.Errorf("ofsink: multicast group %v: %w", g.Addr, err)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.ids, g)
	return nil
}

// allocate returns g's ID, taking a free one if g has none. The cache never runs two Syncs of one
// group at once, so nobody else allocates for g in between.
func (k *Sink) allocate(g mcast.Group) (ofgroup.ID, error) {
	if id, ok := k.ID(g); ok {
		return id, nil
	}
	id, err := k.table.Allocate()
	if err != nil {
		return 0, fmt.Errorf("ofsink: multicast group %v: %w", g.Addr, err)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.ids[g] = id
	return id, nil
}
