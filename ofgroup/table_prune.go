package ofgroup

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"slices"

	"github.com/ofmcast/ofmcast/ofgroup/internal/deadline"
)

// ErrNoOwns says that a table without TableConfig.Owns was told to Prune: it would delete
// the groups of everybody else.
var ErrNoOwns = errors.New("table does not know which groups it owns")

// Prune deletes every group of the table whose ID is not in keep (nil keeps none), and so
// brings a switch down to what its owner wants after Adopt and the first Syncs. It touches
// nothing but the IDs that TableConfig.Owns says are the table's; without Owns it fails
// with ErrNoOwns. Deletes that failed or were never answered are made again.
//
// Groups that send packets to others or watch them are deleted before these. keep must name
// all that is in use: IDs with calls in progress are left alone, but others may be deleted
// right after their last call. An ID that was allocated and never sent is no group.
//
// It returns the groups that it deleted, as the table knew them, in ascending order of their
// IDs, also with an error. A group that could not be deleted keeps those that it refers to as
// well (ErrSkipped) and no others; the error joins, in the order of deletion, an *Error for
// each that failed, where a lost connection, and the end of ctx, stand once. The table's
// Timeout bounds each delete.
func (t *Table) Prune(ctx context.Context, keep iter.Seq[ID]) ([]Group, error) {
	if t.ownsAll {
		return nil, &Error{Op: "prune", Bucket: NoBucket, Err: NotSent(ErrNoOwns)}
	}
	entries, groups := t.strays(keep)
	order, needs := deletions(groups)
	jobs, sent := make([]job, len(order)), make([]bool, len(order))
	for i, id := range order {
		jobs[i] = job{id: id, needs: needs[i], do: func(ctx context.Context) (err error) {
			sent[i], err = t.removeStray(ctx, id, entries[id])
			return err
		}}
	}
	err := runJobs(ctx, "prune", jobs)
	var gone []Group
	for i, id := range order {
		if sent[i] && jobs[i].err == nil {
			gone = append(gone, groups[id])
		}
	}
	slices.SortFunc(gone, func(a, b Group) int { return cmp.Compare(a.id, b.id) })
	return gone, err
}

// strays are what the switch may have and nobody wants.
func (t *Table) strays(keep iter.Seq[ID]) (map[ID]*entry, map[ID]Group) {
	kept := make(map[ID]struct{})
	if keep != nil {
		for id := range keep {
			kept[id] = struct{}{}
		}
	}
	entries, groups := make(map[ID]*entry), make(map[ID]Group)
	t.mu.Lock()
	defer t.mu.Unlock()
	for id, e := range t.entries {
		if _, wanted := kept[id]; wanted || e.users > 0 || !e.has && e.deletion == noDeletion {
			continue
		}
		entries[id], groups[id] = e, New(id, All)
		if e.has {
			groups[id] = e.group
		}
	}
	return entries, groups
}

// removeStray deletes what is still what it was when the pruning began.
func (t *Table) removeStray(ctx context.Context, id ID, e *entry) (sent bool, err error) {
	limited := deadline.Within(ctx, t.timeout)
	defer limited.End()
	there, err := t.rejoin(limited, id, e)
	switch {
	case err != nil:
		return false, unsent("prune", id, err)
	case !there:
		return false, nil
	}
	defer t.leave(id, e)
	sent, _, err = t.remove(limited, id, e, "prune")
	return sent, err
}
