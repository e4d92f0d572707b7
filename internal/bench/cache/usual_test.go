package cachebench

import (
	"maps"
	"slices"
	"time"

	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

// status is what agents in the field keep of a group: who has it seen when. Readers hold on to it, so that each event
// makes a new one.
type status struct {
	group   string
	members map[string]time.Time
}

// usual is the usual way: an Indexer, and a work queue of the groups that have changed.
type usual struct {
	store cache.Indexer
	queue workqueue.TypedInterface[string]
}

// newUsual has no index: to find the groups of a member it must look at all.
func newUsual() *usual { return newStore(cache.Indexers{}) }

const byMember = "member"

// newIndexed has one by member.
func newIndexed() *usual {
	return newStore(cache.Indexers{byMember: func(o any) ([]string, error) {
		return slices.Collect(maps.Keys(o.(*status).members)), nil
	}})
}

func newStore(by cache.Indexers) *usual {
	key := func(o any) (string, error) { return o.(*status).group, nil }
	return &usual{store: cache.NewIndexer(key, by), queue: workqueue.NewTyped[string]()}
}

// seen is a report of a member, whether it joins or is there. A refresh wakes no consumer.
func (u *usual) seen(group, member string, at time.Time) error {
	old, ok, err := u.store.GetByKey(group)
	if err != nil {
		return err
	}
	next := &status{group: group, members: map[string]time.Time{}}
	known := false
	if ok {
		next.members = maps.Clone(old.(*status).members)
		_, known = next.members[member]
	}
	next.members[member] = at
	if err := u.store.Update(next); err != nil {
		return err
	}
	if !known {
		u.queue.Add(group)
	}
	return nil
}

// join puts members into a group at once, of which nobody is told.
func (u *usual) join(group string, members []string) error {
	next := &status{group: group, members: map[string]time.Time{}}
	if old, ok, _ := u.store.GetByKey(group); ok {
		next.members = maps.Clone(old.(*status).members)
	}
	for _, m := range members {
		next.members[m] = epoch
	}
	return u.store.Update(next)
}

// gone takes a member out of all its groups.
func (u *usual) gone(member string) error {
	all, err := u.store.ByIndex(byMember, member)
	if err != nil {
		return err
	}
	for _, o := range all {
		next := &status{group: o.(*status).group, members: maps.Clone(o.(*status).members)}
		delete(next.members, member)
		if err := u.put(next); err != nil {
			return err
		}
	}
	return nil
}

func (u *usual) put(s *status) error {
	u.queue.Add(s.group)
	if len(s.members) == 0 {
		return u.store.Delete(s)
	}
	return u.store.Update(s)
}

// expire looks at every member for those that have not been seen since.
func (u *usual) expire(since time.Time) error {
	for _, o := range u.store.List() {
		old := o.(*status)
		var next *status
		for m, at := range old.members {
			if !at.Before(since) {
				continue
			}
			if next == nil {
				next = &status{group: old.group, members: maps.Clone(old.members)}
			}
			delete(next.members, m)
		}
		if next == nil {
			continue
		}
		if err := u.put(next); err != nil {
			return err
		}
	}
	return nil
}

// deliver hands the groups that have changed to the consumer.
func (u *usual) deliver(to func(*status)) error {
	for u.queue.Len() > 0 {
		group, _ := u.queue.Get()
		o, ok, err := u.store.GetByKey(group)
		if err != nil {
			return err
		}
		if ok {
			to(o.(*status))
		}
		u.queue.Done(group)
	}
	return nil
}
