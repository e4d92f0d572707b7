// Package ofsink turns the members of multicast groups into OpenFlow groups and the flows that point
// at them: the sink that ties mcast to ofgroup, small enough to be copied into a host project.
package ofsink

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"

	"github.com/ofmcast/ofmcast/mcast"
	"github.com/ofmcast/ofmcast/ofgroup"
)

// ErrSegment is returned for a group in a VLAN when the sink sends flows: Layout's flows do not tell
// VLANs apart, and would let traffic cross from one to another.
var ErrSegment = errors.New("flows do not tell VLANs apart")

// Config says where the sink's groups and flows go.
type Config struct {
	// Table keeps the groups; their IDs come from its allocator. Its Sender must confirm (ofconn does):
	// behind an unconfirming one, deleted IDs stay taken until the caller's Forget.
	Table *ofgroup.Table

	// Flows sends the flows that point at the groups; an ofconn.Conn does. nil: groups only, for a
	// host whose own flows point at them.
	Flows Flows

	// Layout says what the flows look like.
	Layout Layout

	// Gateway, if not 0, is a port that gets a copy of every group's packets: the one that the kernel
	// routes from, so that local senders reach receivers elsewhere.
	Gateway ofgroup.Port
}

// Sink keeps one ALL group on the switch for each multicast group that has members: a bucket a
// member port, whatever that member's filter is, and one for the gateway; and one flow that sends
// the group's packets there. A change of the members is one GROUP_MOD; what does not change the set
// of ports sends none. The last member takes the group with it, and the switch then takes the flow.
//
// Sink is an mcast.Sink and safe for concurrent use.
type Sink struct {
	cfg Config

	mu      sync.Mutex
	gateway ofgroup.Port
	entries map[mcast.Group]*entry
}

// entry is what the sink has on the switch for a multicast group.
type entry struct {
	id   ofgroup.ID
	flow bool // the switch has confirmed the flow, and nothing made that doubtful since
}

var _ mcast.Sink[ofgroup.Port] = (*Sink)(nil)

// New returns a Sink that has nothing on the switch yet.
func New(cfg Config) *Sink {
	return &Sink{cfg: cfg, gateway: cfg.Gateway, entries: make(map[mcast.Group]*entry)}
}

// SetGateway replaces Config.Gateway. Groups follow with their next Sync: have the cache resync.
func (k *Sink) SetGateway(p ofgroup.Port) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.gateway = p
}

// Sync makes the switch agree with s: it creates, changes or deletes the group of s.Group(), and
// creates its flow after the group. It is idempotent; after an error the next Sync makes up for what
// this one left.
func (k *Sink) Sync(ctx context.Context, s mcast.State[ofgroup.Port]) error {
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
func (k *Sink) ID(g mcast.Group) (ofgroup.ID, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if e := k.entries[g]; e != nil {
		return e.id, true
	}
	return 0, false
}

// put programs a group that has members: first the group, then the flow that needs it.
func (k *Sink) put(ctx context.Context, s mcast.State[ofgroup.Port]) error {
	if k.cfg.Flows != nil && s.Group().Segment != 0 {
		return ErrSegment
	}
	id, flow, err := k.entry(s.Group())
	if err != nil {
		return err
	}
	if _, err := k.cfg.Table.Sync(ctx, Describe(id, k.ports(s.Members()))); err != nil {
		return err
	}
	if flow || k.cfg.Flows == nil {
		return nil
	}
	return k.sendFlow(ctx, k.cfg.Flows, s.Group(), id)
}

// remove takes the group away. The switch deletes the flows that use a group together with it.
func (k *Sink) remove(ctx context.Context, g mcast.Group) error {
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
func (k *Sink) entry(g mcast.Group) (id ofgroup.ID, flow bool, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if e := k.entries[g]; e != nil {
		return e.id, e.flow, nil
	}
	if id, err = k.cfg.Table.Allocate(); err != nil {
		return 0, false, err
	}
	k.entries[g] = &entry{id: id}
	return id, false, nil
}

// ports adds the gateway to the member ports, unless it is one of them.
func (k *Sink) ports(members iter.Seq[ofgroup.Port]) iter.Seq[ofgroup.Port] {
	k.mu.Lock()
	gateway := k.gateway
	k.mu.Unlock()
	return func(yield func(ofgroup.Port) bool) {
		for p := range members {
			if p != gateway && !yield(p) {
				return
			}
		}
		if gateway != 0 {
			yield(gateway)
		}
	}
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
