// Package routesink has the kernel route what the members of multicast groups want: the sink that ties
// mcast to mroute, small enough to be copied into a host project.
package routesink

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"

	"github.com/ofmcast/ofmcast/mcast"
	"github.com/ofmcast/ofmcast/mroute"
)

// Joiner joins and leaves groups; mroute.Joiner does.
type Joiner interface {
	Set(m mroute.Membership, f mroute.Filter) error
}

// Routes recomputes the routes of a group; mroute.Router does.
type Routes interface {
	Refresh(ctx context.Context, group netip.Addr) error
}

// Sink joins each group that has members on every uplink, for the sources that the members together
// want, and leaves it with the last one. Then it has the group's routes recomputed: what is routed
// where is up to the Routes' policy. It is an mcast.Sink and safe for concurrent use.
type Sink[M comparable] struct {
	joiner  Joiner
	routes  Routes
	wants   func(mcast.State[M]) mcast.Filter
	uplinks []string
}

// New returns a Sink that joins on the named interfaces, which need not be there yet: a group that
// could not be joined on one is joined when the cache tries again.
func New[M comparable](j Joiner, r Routes, uplinks ...string) *Sink[M] {
	return NewFor(mcast.State[M].Filter, j, r, uplinks...)
}

// NewFor is New where not all members are to be served by this host, but those whose wants the function
// merges.
func NewFor[M comparable](wants func(mcast.State[M]) mcast.Filter, j Joiner, r Routes, uplinks ...string) *Sink[M] {
	return &Sink[M]{joiner: j, routes: r, wants: wants, uplinks: slices.Clone(uplinks)}
}

// Sync makes joins and routes agree with s. Every step is tried whatever became of the others, so that
// one uplink's failure neither keeps traffic from the others nor a group from being given up.
func (k *Sink[M]) Sync(ctx context.Context, s mcast.State[M]) error {
	var errs []error
	for _, name := range k.uplinks {
		errs = append(errs, k.join(name, s))
	}
	errs = append(errs, k.routes.Refresh(ctx, s.Group().Addr))
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("routesink: multicast group %v: %w", s.Group(), err)
	}
	return nil
}

// join says on an uplink what the members together want; with no member that is a leave. An interface
// that is gone took its memberships along, so leaving there is done.
func (k *Sink[M]) join(name string, s mcast.State[M]) error {
	wanted := k.wants(s)
	uplink, err := net.InterfaceByName(name)
	if err != nil && wanted.IsNone() {
		return nil
	}
	if err != nil {
		return fmt.Errorf("uplink %s: %w", name, err)
	}
	m := mroute.Membership{Interface: mroute.IfIndex(uplink.Index), Group: s.Group().Addr}
	return k.joiner.Set(m, filter(wanted))
}

// filter is the same filter in mroute's words.
func filter(f mcast.Filter) mroute.Filter {
	return mroute.Filter{Exclude: f.Mode() == mcast.Exclude, Sources: slices.Collect(f.Sources())}
}
