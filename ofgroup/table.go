package ofgroup

import (
	"context"
	"sync"
	"time"
)

const defaultTableTimeout = 10 * time.Second

// TableConfig says how a Table works. Its zero value is ready.
type TableConfig struct {
	// IDs is shared by all Tables of one switch, so that none touches another's
	// groups. Default: an allocator of the Table's own, over 1 to MaxID.
	IDs *IDAllocator

	// Owns says which IDs are the Table's to use; all others are refused with
	// ErrIDOwned and never allocated. It is called without locks, by any goroutine.
	// Default: every ID that no other Table of IDs owns.
	Owns func(ID) bool

	// Timeout bounds every call whose context has no deadline, the wait for other
	// calls on the same ID included. Default 10 s.
	Timeout time.Duration

	// Readable is the OpenFlow version in which every group must stay small enough
	// to be described, whatever version it is sent in. The default is OpenFlow13,
	// where 2,047 output buckets fit: Open vSwitch aborts when somebody dumps a
	// larger group in 1.3, and ovs-ofctl may do so by default. OpenFlow15 lifts it to 2,729.
	Readable Version
}

// Table is what one owner has on one switch: it remembers, ID by ID, what the switch
// holds, and so knows which one message makes a change.
//
//	t := ofgroup.NewTable(session, ofgroup.TableConfig{IDs: ids})
//	id, err := t.Allocate()
//	_, err = t.Commit(ctx, ofgroup.New(id, ofgroup.All).AddBuckets(…))
//	…
//	err = t.Delete(ctx, id)
//
// # What it knows
//
// At first every ID is Unknown. What was confirmed is Held, what was sent without
// confirmation is Assumed. A refusal or a call that never got as far as writing leaves
// the state as it was, but for UNKNOWN_GROUP, which means Absent, and GROUP_EXISTS and
// the errors about a bucket, which show that the table was wrong: Unknown. So is the ID
// after any other error, such as a timeout, and every ID after an error that matches
// ErrDisconnected. From Unknown the next Commit is AddOrMod, which converges whatever
// the switch did, and after a disconnect Replay brings back all groups.
//
// # IDs
//
// A call for an ID that another Table of the same allocator owns fails with ErrIDOwned,
// and one for a number above MaxID with ErrReservedID; neither sends anything. An ID is
// owned from Allocate, or from the first message that was or may have been written, until
// a confirmed Delete or Forget.
//
// # Concurrency
//
// A Table is safe for any number of goroutines. Calls for one ID take effect one after
// the other, in the order they came; a call whose context ends while it waits for its
// turn fails with ErrNotSent. Calls for different IDs never wait for each other, and no
// lock is held while a message is under way.
//
// # Errors
//
// Errors are *Error values. See Sender for how they tell whether the switch may have
// changed.
type Table struct {
	sender   Sender
	ids      *IDAllocator
	owns     func(ID) bool
	timeout  time.Duration
	readable Version

	mu      sync.Mutex
	entries map[ID]*entry
	epoch   uint64 // counts disconnects; what was learnt in an earlier one is void

	replays  int    // that are in progress
	replayed uint64 // the epoch that the last one began
}

// NewTable is a Table that knows nothing yet and sends through s.
func NewTable(s Sender, cfg TableConfig) *Table {
	t := &Table{
		sender: s, ids: cfg.IDs, owns: cfg.Owns, timeout: cfg.Timeout, readable: cfg.Readable,
		entries: make(map[ID]*entry),
	}
	if t.ids == nil {
		t.ids = NewIDAllocator(1, MaxID)
	}
	if t.owns == nil {
		t.owns = func(ID) bool { return true }
	}
	if t.timeout <= 0 {
		t.timeout = defaultTableTimeout
	}
	if t.readable == 0 {
		t.readable = OpenFlow13
	}
	return t
}

// bounded is ctx with the default timeout, if it has no deadline of its own.
func (t *Table) bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	if _, ok := ctx.Deadline(); ok {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, t.timeout)
}

// Allocate gives the table an ID of its own from the shared allocator. It is never one
// that is in use, or whose fate on the switch is in doubt. The table owns it until a
// confirmed Delete or Forget. The error is ErrNoFreeID, in an *Error.
func (t *Table) Allocate() (ID, error) {
	var notOurs []ID
	defer func() {
		for _, id := range notOurs {
			t.ids.release(id, false)
		}
	}()
	for {
		id, absent, err := t.ids.allocate(t)
		if err != nil {
			return 0, &Error{Op: "allocate", Bucket: NoBucket, Err: err}
		}
		if t.owns(id) {
			t.mu.Lock()
			defer t.mu.Unlock()
			t.entries[id] = t.newEntry(absent)
			t.entries[id].owned = true
			return id, nil
		}
		notOurs = append(notOurs, id)
	}
}
