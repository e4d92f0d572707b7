package ofgroup

import (
	"errors"
	"slices"
	"sync"
)

// ErrNoFreeID says that an IDAllocator has given out all it has.
var ErrNoFreeID = errors.New("no free group ID")

// IDAllocator keeps the group IDs of one switch apart: every ID has at most one owner
// among the Tables that share the allocator. Tables claim what they use; nobody has to
// tell the allocator about it.
//
// An ID is free again when a Table knows that the switch has no such group (its delete
// was confirmed) or was told to Forget it. Until then it is not handed out, whatever
// became of it. The IDs whose delete was confirmed are handed out first.
//
// It is safe for any number of goroutines. Its memory grows with the IDs that are or
// were in use, not with how often they were.
type IDAllocator struct {
	first, last ID

	mu     sync.Mutex
	next   ID            // where the search for an ID never used goes on
	owners map[ID]*Table // nil for an ID that Reserve set aside
	absent []ID          // free, and known not to be on the switch; ascending

	// A full listing of the switch vouches for the IDs that nobody used, until somebody
	// does. clock orders the two.
	clock      uint64
	givenUp    map[ID]uint64 // when an ID became free that may be on the switch
	allGivenUp uint64        // when that was so of all
}

// NewIDAllocator is an allocator that hands out the IDs from first to last, both
// included. IDs above MaxID are never handed out; a range with none left gives
// ErrNoFreeID. Explicitly, Tables may use IDs outside the range as well: they are kept
// apart just the same.
func NewIDAllocator(first, last ID) *IDAllocator {
	return &IDAllocator{
		first: first, last: min(last, MaxID), next: first,
		owners: make(map[ID]*Table), givenUp: make(map[ID]uint64),
	}
}

// Reserve sets an ID aside for something other than a Table: no Table gets it, or may
// use it, until Release. The error is an *Error: ErrReservedID, or ErrIDOwned for an ID
// that is in use or reserved already.
func (a *IDAllocator) Reserve(id ID) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if id > MaxID {
		return &Error{Op: "reserve", ID: id, Bucket: NoBucket, Err: reservedID(id)}
	}
	if _, owned := a.owners[id]; owned {
		return &Error{Op: "reserve", ID: id, Bucket: NoBucket, Err: ErrIDOwned}
	}
	a.take(id, nil)
	return nil
}

// Release ends a Reserve. What the switch holds under the ID is then unknown. It does
// nothing to an ID that a Table owns, or nobody.
func (a *IDAllocator) Release(id ID) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if owner, owned := a.owners[id]; owned && owner == nil {
		delete(a.owners, id)
		a.giveUp(id)
	}
}

// allocate gives t an ID that nobody has, and says whether the switch is known to have
// no such group.
func (a *IDAllocator) allocate(t *Table) (id ID, absent bool, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if i, _ := slices.BinarySearch(a.absent, a.first); i < len(a.absent) && a.absent[i] <= a.last {
		id := a.absent[i]
		return id, a.take(id, t), nil
	}
	if a.first > a.last {
		return 0, false, ErrNoFreeID
	}
	for tried := uint64(0); tried <= uint64(a.last-a.first); tried++ {
		id := a.next
		if a.next++; id == a.last {
			a.next = a.first
		}
		if _, owned := a.owners[id]; !owned {
			return id, a.take(id, t), nil
		}
	}
	return 0, false, ErrNoFreeID
}

// claim gives t the ID it asks for, unless somebody else has it, and says whether the
// switch is known to have no such group.
func (a *IDAllocator) claim(id ID, t *Table) (absent bool, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, owned := a.owners[id]; owned {
		return false, ErrIDOwned
	}
	return a.take(id, t), nil
}

// release takes the ID from the Table that owned it.
func (a *IDAllocator) release(id ID, absent bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.owners, id)
	if !absent {
		a.giveUp(id)
		return
	}
	i, _ := slices.BinarySearch(a.absent, id) // an ID with an owner is not listed
	a.absent = slices.Insert(a.absent, i, id)
}

// putBack undoes an allocate.
func (a *IDAllocator) putBack(id ID, absent bool) {
	if absent {
		a.release(id, true)
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.owners, id)
}

// doubt forgets which IDs are known to be absent: there was a disconnect. They stay free.
func (a *IDAllocator) doubt() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.absent = nil
	clear(a.givenUp)
	a.clock++
	a.allGivenUp = a.clock
}

// doubtOne is doubt for one ID: somebody else changed the group.
func (a *IDAllocator) doubtOne(id ID) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if i, listed := slices.BinarySearch(a.absent, id); listed {
		a.absent = slices.Delete(a.absent, i, i+1)
	}
	a.giveUp(id)
}

func (a *IDAllocator) giveUp(id ID) {
	a.clock++
	a.givenUp[id] = a.clock
}

// now is the moment of a listing.
func (a *IDAllocator) now() uint64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.clock
}

// unused reports whether nobody but t has used the ID since a listing.
func (a *IDAllocator) unused(id ID, since uint64, t *Table) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	owner, owned := a.owners[id]
	return (!owned || owner == t) && a.givenUp[id] <= since && a.allGivenUp <= since
}

func (a *IDAllocator) knownAbsent(id ID) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	_, listed := slices.BinarySearch(a.absent, id)
	return listed
}

// take makes t the owner of a free ID.
func (a *IDAllocator) take(id ID, t *Table) (absent bool) {
	i, absent := slices.BinarySearch(a.absent, id)
	if absent {
		a.absent = slices.Delete(a.absent, i, i+1)
	}
	a.owners[id] = t
	return absent
}
