package mcasttest

import (
	"context"
	"iter"
	"slices"
	"sync"

	"github.com/ofmcast/ofmcast/mcast"
)

// Recorder is a sink that notes what it is told. OnSync and OnPrune can do what
// a test wants it to. The zero Recorder succeeds always.
// It is safe for concurrent use once the fields are set.
type Recorder[M comparable] struct {
	// OnSync, if set, decides what a Sync returns. It is called with no lock
	// held; the call is noted before.
	OnSync func(context.Context, mcast.State[M]) error
	// OnPrune, if set, decides what a Prune returns.
	OnPrune func(context.Context, []mcast.Group) error

	mu       sync.Mutex
	calls    []mcast.State[M]
	prunes   [][]mcast.Group
	held     map[mcast.Group]mcast.State[M]
	running  map[mcast.Group]int
	pruning  bool
	overlaps int
}

// Sync notes the state; on success it is what the sink holds of the group.
func (r *Recorder[M]) Sync(ctx context.Context, s mcast.State[M]) error {
	return r.sync(ctx, s, nil)
}

// sync is Sync that does something first, which may fail.
func (r *Recorder[M]) sync(ctx context.Context, s mcast.State[M], first func() error) error {
	r.begin(s)
	defer r.end(s.Group())
	if first != nil {
		if err := first(); err != nil {
			return err
		}
	}
	if r.OnSync != nil {
		if err := r.OnSync(ctx, s); err != nil {
			return err
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if s.Len() == 0 {
		delete(r.held, s.Group())
	} else {
		r.held[s.Group()] = s
	}
	return nil
}

func (r *Recorder[M]) begin(s mcast.State[M]) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.held == nil {
		r.held = make(map[mcast.Group]mcast.State[M])
		r.running = make(map[mcast.Group]int)
	}
	r.calls = append(r.calls, s)
	if r.running[s.Group()] > 0 || r.pruning {
		r.overlaps++
	}
	r.running[s.Group()]++
}

func (r *Recorder[M]) end(g mcast.Group) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.running[g]--; r.running[g] == 0 {
		delete(r.running, g)
	}
}

// Prune notes the groups; on success the sink holds no others.
func (r *Recorder[M]) Prune(ctx context.Context, keep iter.Seq[mcast.Group]) error {
	return r.prune(ctx, keep, nil)
}

// prune is Prune that does something first, which may fail.
func (r *Recorder[M]) prune(ctx context.Context, keep iter.Seq[mcast.Group], first func() error) error {
	groups := slices.Collect(keep)
	r.mu.Lock()
	r.prunes = append(r.prunes, groups)
	if len(r.running) > 0 || r.pruning {
		r.overlaps++
	}
	r.pruning = true
	r.mu.Unlock()
	var err error
	if first != nil {
		err = first()
	}
	if err == nil && r.OnPrune != nil {
		err = r.OnPrune(ctx, groups)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.pruning = false
	for g := range r.held {
		if err == nil && !slices.Contains(groups, g) {
			delete(r.held, g)
		}
	}
	return err
}

// Calls are the states of all calls of Sync so far, failed ones included.
func (r *Recorder[M]) Calls() []mcast.State[M] {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.calls)
}

// Len is the number of calls of Sync so far.
func (r *Recorder[M]) Len() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.calls)
}

// Prunes are the groups to keep of all calls of Prune so far.
func (r *Recorder[M]) Prunes() [][]mcast.Group {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.prunes)
}

// Holds is what the sink was last told with success, by group; groups that
// were taken away are not in it.
func (r *Recorder[M]) Holds() map[mcast.Group]mcast.State[M] {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := make(map[mcast.Group]mcast.State[M], len(r.held))
	for g, s := range r.held {
		out[g] = s
	}
	return out
}

// Overlaps counts calls that ran while another one did for the same group, or
// beside a Prune. It must be 0.
func (r *Recorder[M]) Overlaps() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.overlaps
}
