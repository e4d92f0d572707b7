package mcast

import (
	"net/netip"
)

// record is what the cache keeps of one member of one group for one owner.
// Nearly all of them are the only one of their member, by hosts of IGMPv3, in
// EXCLUDE{}: what more there can be is in extra.
type record[M comparable] struct {
	entry  entry[M]  // as it was published first: saves an allocation
	group  *group[M] // nil when the record has ended
	timer  instant   // filterState.timer
	wake   instant   // when to look at the record again, never later than needed
	inHeap int32
	inPeer int32 // index in peer.records
	x      *extra[M]
}

// extra is what few records need.
type extra[M comparable] struct {
	owner   *owner[M] // nil for the zero Owner
	inOwner int32     // index in owner.records
	leaving bool      // filterState.leaving
	sources []source

	v1, v2 instant // until when there is a host of that version

	query *series[M] // nil while nothing is to be asked
}

// group is what the cache keeps of a group.
type group[M comparable] struct {
	key     Group
	tree    tree[M]
	seq     uint32             // of the last member that joined
	edit    uint32             // of the tree
	frozen  bool               // the tree was handed out: the next change is a new edit
	version uint64             // counts what sinks can see
	shared  map[M][]*record[M] // by members that have more than one owner
	sinks   *delivery[M]       // what the sinks know of it, a chain
}

// snapshot is the tree, which will never be changed again.
func (g *group[M]) snapshot() tree[M] {
	g.frozen = true
	return g.tree
}

// nextEdit is the number under which the tree is changed now. When there are no
// more numbers it is 0, and stays so.
func (g *group[M]) nextEdit() uint32 {
	if g.frozen && g.edit != 0 {
		g.edit++
		g.frozen = false
	}
	return g.edit
}

// peer is what the cache keeps of a member: its records, in no order, and how
// many sources they have together.
type peer[M comparable] struct {
	records []*record[M]
	sources int
}

// owner is the same of an owner, but for the zero Owner: nearly everything is his.
type owner[M comparable] struct {
	key     Owner
	records []*record[M]
}

func (r *record[M]) due() instant  { return r.wake }
func (r *record[M]) place() *int32 { return &r.inHeap }

func (r *record[M]) member() M { return r.entry.member }

func (r *record[M]) owner() Owner {
	if r.x == nil || r.x.owner == nil {
		return Owner{}
	}
	return r.x.owner.key
}

func (r *record[M]) more() *extra[M] {
	if r.x == nil {
		r.x = &extra[M]{v1: stopped, v2: stopped}
	}
	return r.x
}

// load is the record's state with its sources copied to buf.
func (r *record[M]) load(buf []source) filterState {
	f := filterState{timer: r.timer, sources: buf[:0]}
	if r.x != nil {
		f.leaving = r.x.leaving
		f.sources = append(f.sources, r.x.sources...)
	}
	return f
}

// view is the record's state with its own sources, to be read only.
func (r *record[M]) view() filterState {
	f := filterState{timer: r.timer}
	if r.x != nil {
		f.leaving, f.sources = r.x.leaving, r.x.sources
	}
	return f
}

// extend writes into the record what a hold has made of its timers.
func (r *record[M]) extend(a asOf) {
	f := r.view() // its sources are the record's own
	a.extend(&f)
	r.timer = f.timer
	if r.x != nil {
		r.x.leaving = f.leaving
	}
}

// store takes over f, whose sources it copies, and says whether anything but
// timers has changed. When nothing has, it allocates nothing.
func (r *record[M]) store(f filterState) (changed bool) {
	cur := r.view()
	changed = cur.exclude() != f.exclude() || !sameSources(cur.sources, f.sources)
	r.timer = f.timer
	if r.x == nil && !f.leaving && len(f.sources) == 0 {
		return changed
	}
	x := r.more()
	x.leaving = f.leaving
	x.sources = fit(x.sources, len(f.sources))
	copy(x.sources, f.sources)
	return changed
}

// fit returns a slice of length n, the old one if it is of a size for that.
func fit(old []source, n int) []source {
	switch {
	case n == 0:
		return nil
	case n <= cap(old) && cap(old) <= 2*n:
		return old[:n]
	default:
		return make([]source, n)
	}
}

// sameSources says whether the addresses are the same and stand on the same
// side, X or Y.
func sameSources(a, b []source) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].addr != b[i].addr || (a[i].deadline == stopped) != (b[i].deadline == stopped) {
			return false
		}
	}
	return true
}

// filter is what a sink sees of the state: the sources in INCLUDE mode, Y in
// EXCLUDE mode.
func (f filterState) filter() Filter {
	exclude := f.exclude()
	n := 0
	for _, s := range f.sources {
		if (s.deadline == stopped) == exclude {
			n++
		}
	}
	if n == 0 {
		return Filter{exclude: exclude}
	}
	list := make([]netip.Addr, 0, n)
	for _, s := range f.sources {
		if (s.deadline == stopped) == exclude {
			list = append(list, s.addr)
		}
	}
	return Filter{exclude: exclude, sources: list}
}

// version is the compatibility mode of RFC 9776 section 7.3.2.
func (r *record[M]) version(now instant) uint8 {
	switch {
	case r.x == nil || now >= r.x.v1 && now >= r.x.v2:
		return 3
	case now < r.x.v1:
		return 1
	default:
		return 2
	}
}
