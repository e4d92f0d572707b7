// Package routesink has the kernel route what the members of multicast groups want: the sink that ties
// mcast to mroute, small enough to be copied into a host project.
package routesink

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"slices"
	"sync"

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
//
// The kernel knows no segments (VLANs), so it must be given the groups of one only: the last leave in one
// would be a leave for all.
type Sink[M comparable] struct {
	joiner  Joiner
	routes  Routes
	wants   func(mcast.State[M]) mcast.Filter
	uplinks []string
	index   func(uplink string) (mroute.IfIndex, error)

	mu     sync.Mutex
	joined map[place]mroute.IfIndex // what the uplink was when the group was joined there
}

// place is where a group is joined.
type place struct {
	uplink string
	group  netip.Addr
}

// New returns a Sink that joins on the named interfaces, which need not be there yet: a group that
// could not be joined on one is joined when the cache tries again.
func New[M comparable](j Joiner, r Routes, uplinks ...string) *Sink[M] {
	return NewFor(mcast.State[M].Filter, j, r, uplinks...)
}

// NewFor is New where not all members are to be served by this host, but those whose wants the function
// merges.
func NewFor[M comparable](wants func(mcast.State[M]) mcast.Filter, j Joiner, r Routes, uplinks ...string) *Sink[M] {
	return &Sink[M]{
		joiner: j, routes: r, wants: wants, uplinks: slices.Clone(uplinks), index: index,
		joined: make(map[place]mroute.IfIndex),
	}
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
	at, wanted := place{name, s.Group().Addr}, k.wants(s)
	now, err := k.index(name)
	if err != nil {
		return fmt.Errorf("uplink %s: %w", name, err)
	}
	if err := k.forget(at, now); err != nil {
		return fmt.Errorf("uplink %s as it was: %w", name, err)
	}
	switch {
	case now != 0:
		return k.set(at, now, filter(wanted))
	case wanted.IsNone():
		return nil
	default:
		return fmt.Errorf("uplink %s: %w", name, mroute.ErrNoInterface)
	}
}

// index is that of an interface, and 0 for one that is not there. The error says that this is not known,
// as when there are no more file descriptors to ask with: what was joined must stay then.
func index(name string) (mroute.IfIndex, error) {
	link, err := net.InterfaceByName(name)
	var unasked *os.SyscallError
	switch {
	case err == nil:
		return mroute.IfIndex(link.Index), nil
	case errors.As(err, &unasked):
		return 0, err
	default:
		return 0, nil
	}
}

// forget tells the joiner that a group is not wanted on the interface any more that the uplink was before.
// Else it would keep, and hold sockets for, every group of every interface that there ever was; and join
// none on one that comes back with its index, where it believes them joined.
func (k *Sink[M]) forget(at place, now mroute.IfIndex) error {
	k.mu.Lock()
	was := k.joined[at]
	k.mu.Unlock()
	if was == 0 || was == now {
		return nil
	}
	return k.set(at, was, mroute.Filter{})
}

// set joins a group, and remembers where. A join that failed may stand all the same; see mroute.Joiner.
func (k *Sink[M]) set(at place, index mroute.IfIndex, f mroute.Filter) error {
	err := k.joiner.Set(mroute.Membership{Interface: index, Group: at.group}, f)
	k.mu.Lock()
	defer k.mu.Unlock()
	if err == nil && f.IsNone() {
		delete(k.joined, at)
	} else {
		k.joined[at] = index
	}
	return err
}

// filter is the same filter in mroute's words.
func filter(f mcast.Filter) mroute.Filter {
	return mroute.Filter{Exclude: f.Mode() == mcast.Exclude, Sources: slices.Collect(f.Sources())}
}
