package mroute

import (
	"cmp"
	"errors"
	"iter"
	"maps"
	"net/netip"
	"os"
	"slices"
	"sync"
	"syscall"
)

// Membership names who wants a group where.
type Membership struct {
	// Interface is where the group is joined. It needs no address.
	Interface IfIndex
	// Group is a multicast address outside 224.0.0.0/24.
	Group netip.Addr
	// Holder tells apart those who want the same group at the same interface: the group is left when none is left who
	// wants it. A program with one holder leaves it empty.
	Holder string
}

// Joiner is a host's member of multicast groups on outer interfaces, for the traffic that this host then routes. It
// receives nothing itself. It spreads memberships over as many sockets as the kernel's limits for one socket ask for
// (net.ipv4.igmp_max_memberships and igmp_max_msf).
//
// A Joiner is safe for any number of goroutines. Its sockets belong to the network namespace of the thread that calls
// Set.
type Joiner struct {
	open func() (memberSocket, error)

	// mu orders the changes: books and kernel must see them in the same order.
	mu      sync.Mutex
	closed  bool
	spots   map[place]*spot
	sockets []*carrier
	widened uint64
}

// spot is what is wanted and held at one place.
type spot struct {
	wishes map[string]Filter
	parts  []*part
}

// JoinerStats says how much a Joiner holds.
type JoinerStats struct {
	// Places is the number of (interface, group) pairs that somebody wants.
	Places int
	// Sockets is the number of sockets that hold them.
	Sockets int
	// Widened counts the EXCLUDE lists that were too long for the kernel and became EXCLUDE{}: a socket more would
	// not help, because what one of them lets in the others cannot block.
	Widened uint64
}

// NewJoiner makes a Joiner without memberships. It opens no socket yet.
func NewJoiner() *Joiner {
	return &Joiner{open: openMemberSocket, spots: make(map[place]*spot)}
}

// Set says which sources of a group the holder wants from now on; Filter{} is a leave. It is idempotent, and a leave
// of what was never joined, or is gone with its interface, is done. What all holders want is merged as the kernel does
// for its sockets (RFC 9776 3.2), and joined before anything is left.
//
// Errors: ErrAddress, ErrLinkLocal and ErrFilter change nothing. After others (ErrMemberships, ErrNoInterface) the wish
// stands, and the next Set at the same place tries again; other places are not affected. os.ErrClosed after Close, and
// errors.ErrUnsupported on systems other than Linux.
func (j *Joiner) Set(m Membership, f Filter) error {
	p, f, err := m.plain(f)
	if err != nil {
		return fault("join", place{m.Interface, m.Group}, err)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return fault("join", p, os.ErrClosed)
	}
	return fault("join", p, joinMeaning.explain(j.set(p, m.Holder, f)))
}

var joinMeaning = meaning{
	syscall.ENODEV:  ErrNoInterface,
	syscall.ENOBUFS: ErrMemberships,
	syscall.ENOMEM:  ErrMemberships,
}

// Leave is Set with Filter{}.
func (j *Joiner) Leave(m Membership) error { return j.Set(m, Filter{}) }

// Rejoin makes the kernel agree again with what is wanted at an interface. It is for one that vanished and came back
// with the index it had (moved to another namespace and back, or made with that index): the kernel has forgotten its
// memberships then, and Set, which does nothing where nothing changed, would not notice. Receivers that had them still
// are without the group for a moment. Every place is tried; the error joins those of Set.
func (j *Joiner) Rejoin(i IfIndex) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return fault("rejoin", i, os.ErrClosed)
	}
	var errs []error
	for p, at := range j.spots {
		if p.index != i {
			continue
		}
		err := j.drop(p, at, func(*part) bool { return true })
		if err == nil {
			err = j.reconcile(p, at, merge(maps.Values(at.wishes)))
		}
		errs = append(errs, fault("rejoin", p, joinMeaning.explain(err)))
	}
	return errors.Join(errs...)
}

// Memberships yields what is wanted: in the order of interfaces, groups and holders. The filters are sorted copies.
func (j *Joiner) Memberships() iter.Seq2[Membership, Filter] {
	return func(yield func(Membership, Filter) bool) {
		all := j.wishes()
		slices.SortFunc(all, func(a, b wish) int {
			return cmp.Or(cmp.Compare(a.Interface, b.Interface), a.Group.Compare(b.Group), cmp.Compare(a.Holder, b.Holder))
		})
		for _, w := range all {
			if !yield(w.Membership, w.filter) {
				return
			}
		}
	}
}

type wish struct {
	Membership
	filter Filter
}

// wishes are all wishes, copied.
func (j *Joiner) wishes() []wish {
	j.mu.Lock()
	defer j.mu.Unlock()
	var all []wish
	for p, at := range j.spots {
		for holder, f := range at.wishes {
			f.Sources = slices.Clone(f.Sources)
			all = append(all, wish{Membership{p.index, p.group, holder}, f})
		}
	}
	return all
}

func (m Membership) plain(f Filter) (place, Filter, error) {
	if err := m.Interface.check(); err != nil {
		return place{}, f, err
	}
	group, err := plainGroup(m.Group)
	if err != nil {
		return place{}, f, err
	}
	f, err = f.plain()
	return place{m.Interface, group}, f, err
}

// set books the wish and makes the kernel agree.
func (j *Joiner) set(p place, holder string, f Filter) error {
	at := j.spots[p]
	if at == nil {
		if f.IsNone() {
			return nil
		}
		at = &spot{wishes: make(map[string]Filter)}
		j.spots[p] = at
	}
	if f.IsNone() {
		delete(at.wishes, holder)
	} else {
		at.wishes[holder] = f
	}
	err := j.reconcile(p, at, merge(maps.Values(at.wishes)))
	if len(at.wishes) == 0 && len(at.parts) == 0 {
		delete(j.spots, p)
	}
	return err
}

// Stats says how much is held at the moment.
func (j *Joiner) Stats() JoinerStats {
	j.mu.Lock()
	defer j.mu.Unlock()
	return JoinerStats{Places: len(j.spots), Sockets: len(j.sockets), Widened: j.widened}
}

// Close leaves everything. Closing again does nothing. It does not count on the end of the sockets: a child that was
// forked and has not executed its program yet keeps them open.
func (j *Joiner) Close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	var errs []error
	for p, at := range j.spots {
		errs = append(errs, j.drop(p, at, func(*part) bool { return true }))
	}
	for _, c := range j.sockets {
		errs = append(errs, c.close()) // those that could not be left
	}
	j.closed, j.sockets, j.spots = true, nil, nil
	return fault("close", "", errors.Join(errs...))
}
