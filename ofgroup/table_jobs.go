package ofgroup

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// ErrSkipped says that a change was not tried because another one, which had to come
// before it, failed.
var ErrSkipped = errors.New("skipped")

// job is one of several changes, of which some must come before others.
type job struct {
	id    ID
	needs []int // positions of earlier jobs, without whose success it is skipped
	do    func(ctx context.Context) error
	err   error
}

// runJobs does the jobs, many at a time, each after those that it needs, and leaves in each
// how it ended. A job that fails keeps none from being done but those that need it; only
// the end of ctx, or of the connection, ends them all. The error joins, in the order of the
// jobs, those of jobs that were tried; a lost connection, and the end of ctx, stand in it
// once.
func runJobs(ctx context.Context, op string, jobs []job) error {
	r := &jobRun{op: op, jobs: jobs}
	for _, level := range levels(jobs) {
		inParallel(level, func(i int) {
			j := &jobs[i]
			if j.err = r.ready(ctx, j); j.err == nil {
				j.err = j.do(ctx)
				r.note(j.err)
			}
		})
	}
	return r.result(ctx)
}

// levels are the jobs' positions, each on a later level than those that it needs.
func levels(jobs []job) [][]int {
	var all [][]int
	of := make([]int, len(jobs))
	for i, j := range jobs {
		for _, n := range j.needs {
			of[i] = max(of[i], of[n]+1)
		}
		for len(all) <= of[i] {
			all = append(all, nil)
		}
		all[of[i]] = append(all[of[i]], i)
	}
	return all
}

// atOnce is how many groups of a replay, a plan or a pruning are under way at a time: enough
// that they share their barriers, and few enough that a switch which is slow to read them is
// not left with a pile of old messages.
const atOnce = 256

// inParallel calls f for every item, for atOnce at a time, and returns when all are done.
func inParallel[T any](items []T, f func(T)) {
	next := make(chan T)
	var workers sync.WaitGroup
	for range min(atOnce, len(items)) {
		workers.Go(func() {
			for item := range next {
				f(item)
			}
		})
	}
	for _, item := range items {
		next <- item
	}
	close(next)
	workers.Wait()
}

type jobRun struct {
	op   string
	jobs []job

	mu   sync.Mutex
	lost error // the connection is, and so says the first that found out
}

// ready reports why a job is not to be tried.
func (r *jobRun) ready(ctx context.Context, j *job) error {
	if err := ctx.Err(); err != nil {
		return unsent(r.op, j.id, err)
	}
	r.mu.Lock()
	lost := r.lost
	r.mu.Unlock()
	if lost != nil {
		return unsent(r.op, j.id, ErrDisconnected)
	}
	for _, n := range j.needs {
		if r.jobs[n].err != nil {
			return unsent(r.op, j.id, fault{ErrSkipped, fmt.Sprintf("group %v must come before", r.jobs[n].id)})
		}
	}
	return nil
}

func (r *jobRun) note(err error) {
	if !errors.Is(err, ErrDisconnected) {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.lost == nil {
		r.lost = err
	}
}

func (r *jobRun) result(ctx context.Context) error {
	var all []error
	for _, j := range r.jobs {
		switch {
		case j.err == nil, errors.Is(j.err, ErrSkipped):
		case errors.Is(j.err, ErrDisconnected) && j.err != r.lost:
		case ctx.Err() != nil && errors.Is(j.err, ctx.Err()):
		default:
			all = append(all, j.err)
		}
	}
	if ctx.Err() != nil {
		all = append(all, ctx.Err())
	}
	return errors.Join(all...)
}
