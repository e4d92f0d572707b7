package ofgroup

import (
	"slices"
	"sync/atomic"
)

// list is the buckets of a group: an immutable list that grows at its end without
// copying what it has. It is made of runs of consecutive buckets; the lists that are
// grown from one another share theirs. The zero list is empty.
//
// (A single array that doubles would do, too. But copying large arrays, and faulting in
// the memory of ever larger ones, makes the thousandth bucket cheaper than the
// hundred-thousandth.)
type list struct {
	earlier *[][]Bucket // never changed, only replaced; nil for the usual list of one run
	last    []Bucket    // never written at or below its length
	room    *room       // what lies behind last; nil if nothing does
	n       int         // buckets in all
}

// room is the array behind the last run of one or more lists, which all start at its
// start and differ in length. Elements below end belong to some list and are never
// written again. Whoever moves end from the length of his own last run owns what comes
// between; whoever loses starts a run of his own.
type room struct {
	end atomic.Int64
	all []Bucket
}

const (
	// copyBelow is the length below which a list that needs room is copied whole, so
	// that small groups are one run.
	copyBelow = 16

	// maxRuns bounds the runs of a list. Each has half of what came before it, so a list
	// that only grows has fewer; one that often loses its room is put together.
	maxRuns = 48

	// leastSpare is the room of a list that has proved to grow.
	leastSpare = 6

	// lostSpare is the room of a list that lost it to another: many may lose at once, and
	// few of them will go on to grow.
	lostSpare = 8
)

// listOf is a list of these buckets, which it keeps.
func listOf(bs []Bucket) list { return list{last: bs, n: len(bs)} }

// add puts these buckets, which are copied, behind those of l. Lists that l was copied to
// stay as they are.
func (l *list) add(bs []Bucket) {
	from := len(l.last)
	to := from + len(bs)
	spare := l.n / 2
	if r := l.room; r != nil && to <= len(r.all) {
		if r.end.CompareAndSwap(int64(from), int64(to)) {
			copy(r.all[from:to], bs)
			l.last, l.n = r.all[:to:to], l.n+len(bs)
			return
		}
		spare = lostSpare
	}
	switch {
	case len(bs) == 0:
	case l.n == 0:
		*l = listOf(slices.Clone(bs)) // no room: most groups are made in one go
	case l.n < copyBelow || len(l.earlierRuns()) == maxRuns:
		l.copyAnd(bs)
	default:
		l.newRun(bs, spare)
	}
}

// newRun is add into a run of its own, with this much room behind it.
func (l *list) newRun(bs []Bucket, spare int) {
	earlier := append(slices.Clone(l.earlierRuns()), l.last)
	run := newRoom(len(bs), spare)
	copy(run.all, bs)
	*l = list{earlier: &earlier, last: run.all[:len(bs):len(bs)], room: run, n: l.n + len(bs)}
}

// copyAnd is add into one run with room to double.
func (l *list) copyAnd(bs []Bucket) {
	n := l.n + len(bs)
	run := newRoom(n, max(n, leastSpare))
	copy(run.all[l.copyTo(run.all):], bs)
	*l = list{last: run.all[:n:n], room: run, n: n}
}

func (l list) earlierRuns() [][]Bucket {
	if l.earlier == nil {
		return nil
	}
	return *l.earlier
}

// newRoom has n buckets taken and spare ones behind them.
func newRoom(n, spare int) *room {
	r := &room{all: make([]Bucket, n+spare)}
	r.end.Store(int64(n))
	return r
}

// copyTo copies the buckets to the start of dst and returns their number.
func (l list) copyTo(dst []Bucket) int {
	n := 0
	for _, run := range l.earlierRuns() {
		n += copy(dst[n:], run)
	}
	return n + copy(dst[n:], l.last)
}

// runs yields the position of each run's first bucket and the run, in order. The buckets
// must not be changed.
func (l list) runs(yield func(int, []Bucket) bool) {
	first := 0
	for _, run := range l.earlierRuns() {
		if !yield(first, run) {
			return
		}
		first += len(run)
	}
	yield(first, l.last)
}

// each yields position and bucket, in order. The buckets must not be changed.
func (l list) each(yield func(int, *Bucket) bool) {
	for first, run := range l.runs {
		for k := range run {
			if !yield(first+k, &run[k]) {
				return
			}
		}
	}
}

// at is the bucket at position i, which must not be changed. It panics if there is none.
func (l list) at(i int) *Bucket {
	if i >= 0 {
		for _, run := range l.earlierRuns() {
			if i < len(run) {
				return &run[i]
			}
			i -= len(run)
		}
	}
	return &l.last[i]
}
