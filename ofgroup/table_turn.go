package ofgroup

import (
	"context"
	"slices"

	"github.com/ofmcast/ofmcast/ofgroup/internal/deadline"
)

// enter waits for the ID's turn, and claims the ID if it is new. A nil error asks for
// leave. ctx has just been made.
func (t *Table) enter(ctx *deadline.Context, id ID) (*entry, error) {
	if id > MaxID {
		return nil, reservedID(id)
	}
	if !t.owns(id) {
		return nil, ErrIDOwned
	}
	if err := ctx.Context.Err(); err != nil {
		return nil, err
	}
	t.mu.Lock()
	e, err := t.use(id)
	if err != nil {
		t.mu.Unlock()
		return nil, err
	}
	turn := e.takeTurn()
	t.mu.Unlock()
	return e, t.await(ctx, id, e, turn)
}

// rejoin is enter for an entry that was there before, as when a replay began. It is not, if
// the owner has given the ID up since; then there is nothing to leave.
func (t *Table) rejoin(ctx context.Context, id ID, e *entry) (there bool, err error) {
	t.mu.Lock()
	if t.entries[id] != e || e.forget {
		t.mu.Unlock()
		return false, nil
	}
	e.users++
	turn := e.takeTurn()
	t.mu.Unlock()
	return true, t.await(ctx, id, e, turn)
}

// use finds or makes the entry of an ID for one more call. Callers hold mu.
func (t *Table) use(id ID) (*entry, error) {
	e := t.entries[id]
	if e == nil {
		var err error
		if e, err = t.claim(id); err != nil {
			return nil, err
		}
	}
	e.users++
	e.forget = false
	return e, nil
}

// unuse drops the entry after its last call when there is nothing to keep: the group was
// deleted, or nothing was ever sent, or the owner said so. Callers hold mu.
func (t *Table) unuse(id ID, e *entry) {
	e.users--
	t.dropUnused(id, e)
}

// takeTurn gives the caller his turn, and returns nil; or what he has to wait for.
// Callers hold mu.
func (e *entry) takeTurn() chan struct{} {
	if !e.busy {
		e.busy = true
		return nil
	}
	turn := make(chan struct{})
	e.line = append(e.line, turn)
	return turn
}

// passTurn lets the next one in. Callers hold mu.
func (e *entry) passTurn() {
	if len(e.line) == 0 {
		e.busy = false
		return
	}
	close(e.line[0])
	e.line = slices.Delete(e.line, 0, 1)
}

// await waits for what takeTurn returned.
func (t *Table) await(ctx context.Context, id ID, e *entry, turn chan struct{}) error {
	if turn == nil {
		return nil
	}
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if i := slices.Index(e.line, turn); i >= 0 {
		e.line = slices.Delete(e.line, i, i+1)
	} else {
		e.passTurn() // it came too late
	}
	t.unuse(id, e)
	return ctx.Err()
}

func (t *Table) leave(id ID, e *entry) {
	t.mu.Lock()
	defer t.mu.Unlock()
	e.passTurn()
	t.unuse(id, e)
}
