// Package ofsink turns the members of multicast groups into OpenFlow groups and the flows that point
// at them: the sink that ties mcast to ofgroup, small enough to be copied into a host project.
package ofsink

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/netip"
	"slices"
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
	// bucket of its own. It must be there. Members with equal buckets share one. Buckets come in the
	// order of the members: give the cache one (mcast.Config.Order), so that after a restart the same
	// members make the same group.
	Bucket func(g mcast.Group, m M) (ofgroup.Bucket, bool)

	// Common, if not nil, are buckets that g has besides, whoever its members are: the gateway's port,
	// that the kernel routes from, so that local senders reach receivers elsewhere. A group that the
	// sink has no flow for must be sent there too, by a flow of the host's own in lower priority.
	Common func(g mcast.Group) []ofgroup.Bucket

	// Also, if not nil, are groups of the host's own that get the packets of g as well, behind the
	// sink's: that of the router ports. They must be on the switch before Sync names them.
	Also func(g mcast.Group) []ofgroup.ID

	// MaxSources is how many sources of one group may have OpenFlow groups and flows of their own, as
	// strangers choose what they name; default 64. With more, the members that name the most get the
	// packets of all sources, and those that name few get what they want as long as their sources are
	// no more than these: somebody gets what he does not want, but nobody misses what he does. That is
	// no error of Sync, which would delay the next change, but is logged as one. Negative: all members
	// get all packets, and nothing is logged.
	MaxSources int

	// Logger hears when a group has too many sources; nil is silent.
	Logger *slog.Logger
}

// Sink keeps one ALL group on the switch for each row of State.Forwarding: for the sources that a
// multicast group's members name in their filters, and for any other source. A group has a bucket for
// each member that wants these packets, and the common ones; a flow sends them there. One that nobody
// wants still has the common buckets. A change of the members is one GROUP_MOD a row; what does not
// change the buckets sends none. The last member takes the groups with it, and the switch then takes
// the flows.
//
// Whoever gets a source's packets before a change and after it gets every packet once meanwhile; see
// Sync. This is not so for one who is moved between Bucket, Common and Also: there two groups change,
// one after the other.
//
// After a restart of the agent Adopt and Prune take over what is there; after a lost connection
// ReplayFlows brings the flows back.
//
// Sink is an mcast.Sink and an mcast.Pruner, and safe for concurrent use.
type Sink[M comparable] struct {
	cfg Config[M]
	log *slog.Logger

	mu      sync.Mutex
	entries map[mcast.Group]entry
	crowded map[mcast.Group]bool // of which there are too many sources
	strays  strays
}

var (
	_ mcast.Sink[ofgroup.Port] = (*Sink[ofgroup.Port])(nil)
	_ mcast.Pruner             = (*Sink[ofgroup.Port])(nil)
)

// New returns a Sink that has nothing on the switch yet.
func New[M comparable](cfg Config[M]) *Sink[M] {
	log := cfg.Logger
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &Sink[M]{cfg: cfg, log: log, entries: make(map[mcast.Group]entry), crowded: make(map[mcast.Group]bool)}
}

// Sync makes the switch agree with s, and sends what is needed for that in an order in which every
// packet meets either what was or what shall be. It is idempotent. After a failure it goes no further in
// that order, and the next Sync makes up for what this one left.
func (k *Sink[M]) Sync(ctx context.Context, s mcast.State[M]) error {
	if err := k.apply(ctx, s.Group(), k.rows(s)); err != nil {
		return fmt.Errorf("ofsink: multicast group %v: %w", s.Group(), err)
	}
	return nil
}

// apply makes the switch have these rows of g and no others.
//
// As long as a source has no flow of its own the row for any source decides about it. So a source that
// shall have one gets it before that row changes, which may be shrunk because of it, and a source that
// shall have none loses it afterwards.
func (k *Sink[M]) apply(ctx context.Context, g mcast.Group, want rows) error {
	if len(want) > 0 && k.cfg.Flows != nil && !k.cfg.Layout.tells(g) {
		return ErrSegment
	}
	var errs []error
	for _, source := range slices.SortedFunc(maps.Keys(want), netip.Addr.Compare) {
		if source != anySource {
			errs = append(errs, k.put(ctx, g, source, want[source]))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	if err := k.applyRest(ctx, g, want); err != nil {
		return err
	}
	for _, source := range k.unwanted(g, want) {
		errs = append(errs, k.remove(ctx, g, source))
	}
	return errors.Join(errs...)
}

// applyRest puts the row for any source, or takes it away.
func (k *Sink[M]) applyRest(ctx context.Context, g mcast.Group, want rows) error {
	if row, ok := want[anySource]; ok {
		return k.put(ctx, g, anySource, row)
	}
	return k.remove(ctx, g, anySource)
}

// put programs a row: first the group, then the flow that needs it.
func (k *Sink[M]) put(ctx context.Context, g mcast.Group, source netip.Addr, row buckets) error {
	h, err := k.hold(g, source)
	if err != nil {
		return forSource(source, err)
	}
	// A group that was deleted, or may have been, took its flow with it.
	if _, state := k.cfg.Table.Lookup(h.id); state != ofgroup.Held {
		h.flow = ""
	}
	if _, err := k.cfg.Table.Sync(ctx, row.group(h.id)); err != nil {
		return forSource(source, err)
	}
	if k.cfg.Flows == nil || h.flow == k.actions(g, h.id) {
		return nil
	}
	err = k.sendFlow(ctx, k.cfg.Flows, g, source, h.id)
	k.regroup(err, h.id)
	return forSource(source, err)
}

// remove takes a row away. The switch deletes the flows that use a group together with it.
func (k *Sink[M]) remove(ctx context.Context, g mcast.Group, source netip.Addr) error {
	id, ok := k.ID(g, source)
	if !ok {
		return nil
	}
	if err := k.cfg.Table.Delete(ctx, id); err != nil {
		return forSource(source, err)
	}
	k.drop(g, source)
	return nil
}

// forSource says what source an error is about, if it is about one.
func forSource(source netip.Addr, err error) error {
	if err == nil || source == anySource {
		return err
	}
	return fmt.Errorf("source %v: %w", source, err)
}
