package ofgroup

import "sync/atomic"

// list is the buckets of a group: an immutable list that grows at its end without
// copying what it has. It is made of runs of consecutive buckets; the lists that are
// grown from one another share theirs. The zero list is empty.
//
// (A single array that doubles would do, too. But copying large arrays, and faulting in
// the memory of ever larger ones, makes the thousandth bucket cheaper than the
// hundred-thousandth.)
type list struct {
	last *run // nil if there are no buckets
	n    int  // buckets in all
}

// run is an array of consecutive buckets, of which one or more lists have the first ones.
// Those below end belong to some list and are never written again. Whoever moves end from
// the number that he has himself owns what comes between; whoever loses starts a run of
// his own.
type run struct {
	all    []Bucket
	end    atomic.Int64
	before list // what those lists have before this run
	depth  int  // the number of runs before it
}

// smallRun is a run with room for the buckets of a small group, in one piece of memory.
type smallRun struct {
	run
	own [smallGroup]Bucket
}

const (
	smallGroup = 4

	// copyBelow is the length below which a list that needs room is copied whole, so
	// that small groups are one run.
	copyBelow = 16

	// maxRuns bounds the runs of a list. Each has half of what came before it, so a list
	// that only grows has fewer; one that often loses its room is put together.
	maxRuns = 48

	// lostSpare is the room of a list that lost it to another: many may lose at once, and
	// few of them will go on to grow.
	lostSpare = 8
)

// listOf is a list of these buckets, which it keeps.
func listOf(bs []Bucket) list {
	if len(bs) == 0 {
		return list{}
	}
	return (&run{all: bs}).first(len(bs))
}

// and is l and these buckets, which are copied, behind its own. l stays as it is.
func (l list) and(bs []Bucket) list {
	r := l.last
	if r == nil {
		return newList(bs)
	}
	from := l.n - r.before.n
	to := from + len(bs)
	switch {
	case to > len(r.all):
		return l.grown(bs, l.n/2)
	case !r.end.CompareAndSwap(int64(from), int64(to)):
		return l.grown(bs, lostSpare)
	}
	copy(r.all[from:to], bs)
	return list{r, l.n + len(bs)}
}

// newList is a list of these buckets, which are copied. Only a small one has room to grow:
// most groups are made in one go.
func newList(bs []Bucket) list {
	if len(bs) > smallGroup {
		return listOf(append([]Bucket(nil), bs...))
	}
	if len(bs) == 0 {
		return list{}
	}
	small := &smallRun{}
	small.all = small.own[:]
	copy(small.all, bs)
	return small.first(len(bs))
}

// grown is and with memory that is not shared yet, and with this much room for more if l is
// a long list.
func (l list) grown(bs []Bucket, spare int) list {
	n := l.n + len(bs)
	switch {
	case len(bs) == 0:
		return l
	case l.n < copyBelow || l.last.depth == maxRuns:
		r := &run{all: make([]Bucket, 2*n)}
		copy(r.all[l.copyTo(r.all):], bs)
		return r.first(n)
	}
	r := &run{all: make([]Bucket, len(bs)+spare), before: l, depth: l.last.depth + 1}
	copy(r.all, bs)
	return r.first(len(bs))
}

// first is the list that ends with the first n buckets of a run that nobody else has yet.
func (r *run) first(n int) list {
	r.end.Store(int64(n))
	return list{r, r.before.n + n}
}

// copyTo copies the buckets to the start of dst and returns their number.
func (l list) copyTo(dst []Bucket) int {
	for first, bs := range l.runs {
		copy(dst[first:], bs)
	}
	return l.n
}

// flat is the buckets in one slice, which must not be changed.
func (l list) flat() []Bucket {
	if l.last == nil || l.last.depth > 0 {
		return l.copied()
	}
	return l.last.all[:l.n]
}

// copied is the buckets in a slice of the caller's own.
func (l list) copied() []Bucket {
	bs := make([]Bucket, l.n)
	l.copyTo(bs)
	return bs
}

// runs yields the position of each run's first bucket and the run, in order. The buckets
// must not be changed.
func (l list) runs(yield func(int, []Bucket) bool) { l.yieldRuns(yield) }

func (l list) yieldRuns(yield func(int, []Bucket) bool) bool {
	if l.last == nil {
		return true
	}
	before := l.last.before
	return before.yieldRuns(yield) && yield(before.n, l.last.all[:l.n-before.n])
}

// each yields position and bucket, in order. The buckets must not be changed.
func (l list) each(yield func(int, *Bucket) bool) {
	for first, bs := range l.runs {
		for k := range bs {
			if !yield(first+k, &bs[k]) {
				return
			}
		}
	}
}

// at is the bucket at position i, which must not be changed. It panics if there is none.
func (l list) at(i int) *Bucket {
	if uint(i) >= uint(l.n) {
		panic("ofgroup: no bucket at this position")
	}
	for i < l.last.before.n {
		l = l.last.before
	}
	return &l.last.all[i-l.last.before.n]
}
