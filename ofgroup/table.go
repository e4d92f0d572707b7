package ofgroup

import (
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
	// ErrIDOwned, never allocated, not adopted and never pruned. It is called without
	// locks, by any goroutine. Default: every ID that no other Table of IDs owns; Prune
	// then refuses.
	Owns func(ID) bool

	// Timeout bounds every call whose context has no deadline, the wait for other
	// calls on the same ID included. Default 10 s.
	Timeout time.Duration

	// Readable is the OpenFlow version in which every group must stay small enough
	// to be described, whatever version it is sent in. The default is OpenFlow13,
	// where 2,047 output buckets fit: Open vSwitch aborts when somebody dumps a
	// larger group in 1.3, and ovs-ofctl may do so by default. OpenFlow15 lifts it to 2,729.
	// It holds for the group that a change results in, however small the message.
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
// At first every ID is Unknown. From there on, a call moves the state of its ID by how it
// ended, and the state decides on the command of the next:
//
//	state    means                               Commit sends   Sync sends
//	Unknown  nobody knows what the switch has    AddOrMod       AddOrMod
//	Absent   the switch has no such group        Add            Add
//	Held     the switch has confirmed it         Modify, delta  the same, or nothing
//	Assumed  it was sent, and nobody confirms    AddOrMod       AddOrMod, or nothing
//
//	a call that ended so                          leaves the ID
//	confirmed                                     Held; after a delete Absent, and free
//	sent, and nobody confirms (SendFunc)          Assumed; after a delete Unknown
//	refused, or not written (ErrNotSent)          as it was
//	refused with UNKNOWN_GROUP                    Absent
//	refused with GROUP_EXISTS or for a bucket ID  Unknown: the table was wrong
//	disconnected (ErrDisconnected)                Unknown, and all others as well
//	any other way, such as a timeout              Unknown
//
// Nothing is ever taken for granted that nobody confirmed: AddOrMod is right whatever the
// switch did. After a disconnect Replay brings back all groups; after a restart of the
// agent Adopt takes over what the switch has; Invalidate is for changes by others.
//
// # Deltas
//
// A change of a group is sent whole, as a Modify, and then all of its buckets count their
// packets from 0 again. In OpenFlow 1.5 a Held group of type All in which all buckets have
// keys (Bucket.WithKey) is compared as a set, since the order of its buckets means nothing,
// and a change of it is the smallest message that there is:
//
//	buckets are new, and the others as they were  one InsertBucket, behind the last
//	one bucket is gone, the others as they were   one RemoveBucket
//	anything else, such as other actions          one Modify
//
// The counters of the buckets that are not named go on. (Open vSwitch sets those of the
// group as a whole to 0.) A bucket keeps its number, by which its counters are found, as
// long as its key is in the group, through disconnects as well, and its number goes to no
// other bucket while the switch has the group; if ever all numbers were used, one Modify
// counts all buckets from 0 again. Groups of other types, and all groups in OpenFlow 1.3, are
// sent whole; so is everything that is not Held.
//
// # IDs
//
// A call for an ID that another Table of the same allocator owns fails with ErrIDOwned,
// and one for a number above MaxID with ErrReservedID; neither sends anything. An ID is
// owned from Allocate or Adopt, or from the first message that was or may have been written,
// until a confirmed Delete or Forget.
//
// # Order
//
// Replay, Apply and Prune handle many groups: there a group comes after those that its
// buckets send packets to or watch, and is deleted before them. Single calls are sent when
// they are made; a group may refer to one that does not exist yet.
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
	ownsAll  bool // by default
	timeout  time.Duration
	readable Version

	mu      sync.Mutex
	entries map[ID]*entry
	epoch   uint64 // counts disconnects; what was learnt in an earlier one is void

	listing listing

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
		t.owns, t.ownsAll = func(ID) bool { return true }, true
	}
	if t.timeout <= 0 {
		t.timeout = defaultTableTimeout
	}
	if t.readable == 0 {
		t.readable = OpenFlow13
	}
	return t
}

// Allocate gives the table an ID of its own from the shared allocator. It is never one
// that is in use, or whose fate on the switch is in doubt. The table owns it until a
// confirmed Delete or Forget. The error is ErrNoFreeID, in an *Error.
func (t *Table) Allocate() (ID, error) {
	notOurs := make(map[ID]bool)
	defer func() {
		for id, absent := range notOurs {
			t.ids.putBack(id, absent)
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
			t.entries[id] = t.newEntry(absent || t.unlisted(id))
			t.entries[id].owned = true
			return id, nil
		}
		notOurs[id] = absent
	}
}
