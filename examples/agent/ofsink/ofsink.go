// Package ofsink turns the members of multicast groups into OpenFlow groups and the flows that point
// at them: the sink that ties mcast to ofgroup, small enough to be copied into a host project.
package ofsink

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/ofmcast/ofmcast/mcast"
	"github.com/ofmcast/ofmcast/ofgroup"
)

// ErrSegment is returned for a group in a segment (a VLAN) when the sink sends flows and Layout.Segment
// says no field to tell segments by: traffic would cross from one to another.
var ErrSegment = errors.New("flows do not tell segments apart")

// Config says where the sink's groups and flows go. For members that are ports of one bridge
//
//	ofsink.New(ofsink.Config[ofgroup.Port]{Table: table, Flows: conn, Layout: layout, Bucket: ofsink.ToPort})
//
// is enough. The functions are called during Sync, without locks and by any goroutine. When one of
// them would answer otherwise than before, groups follow with their next Sync: have the cache resync.
type Config[M comparable] struct {
	// Table keeps the groups; their IDs come from its allocator. Its Sender must confirm (ofconn does):
	// behind an unconfirming one, deleted IDs stay taken until the caller's Forget.
	Table *ofgroup.Table

	// Flows sends the flows that point at the groups; an ofconn.Conn does. nil: groups only, for a
	// host whose own flows point at them.
	Flows Flows

	// Layout says what the flows look like.
	Layout Layout

	// Bucket is what the packets of g go through to reach m, false for a member that gets none by a
	// bucket of its own. It must be there. Members with equal buckets share one.
	Bucket func(g mcast.Group, m M) (ofgroup.Bucket, bool)

	// Common, if not nil, are buckets that g has besides, whoever its members are: the gateway's port,
	// that the kernel routes from, so that local senders reach receivers elsewhere.
	Common func(g mcast.Group) []ofgroup.Bucket

	// Also, if not nil, are groups of the host's own that get the packets of g as well, behind the
	// sink's: that of the router ports. They must be on the switch before Sync names them.
	Also func(g mcast.Group) []ofgroup.ID
}

// Sink keeps one ALL group on the switch for each multicast group that has members: a bucket a
// member, whatever its filter is, and the common ones; and one flow that sends the group's packets
// there. A change of the members is one GROUP_MOD; what does not change the buckets sends none. The
// last member takes the group with it, and the switch then takes the flow.
//
// Sink is an mcast.Sink and safe for concurrent use.
type Sink[M comparable] struct {
	cfg Config[M]

	mu      sync.Mutex
	entries map[mcast.Group]*entry
}

// entry is what the sink has on the switch for a multicast group.
type entry struct {
	id   ofgroup.ID
	flow string // the actions of the flow that the switch has confirmed; empty when that is in doubt
}

var _ mcast.Sink[ofgroup.Port] = (*Sink[ofgroup.Port])(nil)

// New returns a Sink that has nothing on the switch yet.
func New[M comparable](cfg Config[M]) *Sink[M] {
	return &Sink[M]{cfg: cfg, entries: make(map[mcast.Group]*entry)}
}

// Sync makes the switch agree with s: it creates, changes or deletes the group of s.Group(), and
// creates its flow after the group. It is idempotent; after an error the next Sync makes up for what
// this one left.
func (k *Sink[M]) Sync(ctx context.Context, s mcast.State[M]) error {
	var err error
	if s.Len() == 0 {
		err = k.remove(ctx, s.Group())
	} else {
		err = k.put(ctx, s)
	}
	if err != nil {
		return fmt.Errorf("ofsink: multicast group %v: %w", s.Group(), err)
	}
	return nil
}

// ID returns the OpenFlow group that stands for g, if g has one.
func (k *Sink[M]) ID(g mcast.Group) (ofgroup.ID, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if e := k.entries[g]; e != nil {
		return e.id, true
	}
	return 0, false
}

// put programs a group that has members: first the group, then the flow that needs it.
func (k *Sink[M]) put(ctx context.Context, s mcast.State[M]) error {
	g := s.Group()
	if k.cfg.Flows != nil && !k.cfg.Layout.tells(g) {
		return ErrSegment
	}
	id, flow, err := k.entry(g)
	if err != nil {
		return err
	}
	if _, err := k.cfg.Table.Sync(ctx, describe(id, k.buckets(g, s.Members()))); err != nil {
		return err
	}
	if k.cfg.Flows == nil || flow == k.actions(g, id) {
		return nil
	}
	return k.sendFlow(ctx, k.cfg.Flows, g, id)
}

// remove takes the group away. The switch deletes the flows that use a group together with it.
func (k *Sink[M]) remove(ctx context.Context, g mcast.Group) error {
	id, ok := k.ID(g)
	if !ok {
		return nil
	}
	if err := k.cfg.Table.Delete(ctx, id); err != nil {
		return err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.entries, g)
	return nil
}

// entry returns what there is for g, taking a free ID if there is nothing. The cache never runs two
// Syncs of one group at once, so nobody else allocates for g in between.
func (k *Sink[M]) entry(g mcast.Group) (id ofgroup.ID, flow string, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if e := k.entries[g]; e != nil {
		return e.id, e.flow, nil
	}
	if id, err = k.cfg.Table.Allocate(); err != nil {
		return 0, "", err
	}
	k.entries[g] = &entry{id: id}
	return id, "", nil
}
