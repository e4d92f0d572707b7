package ofgroup

import (
	"fmt"
	"strconv"
)

// watchRule says whether the buckets of a group type watch a port or a group.
type watchRule uint8

const (
	watchNever watchRule = iota
	watchMay
	watchMust
)

// typeRules is what Open vSwitch holds each group type to when a group is added or
// modified; the answers of other switches differ only in being laxer. It refuses a
// weight outside select and a fast-failover bucket without a watch with INVALID_GROUP, a
// watch in all or indirect with WATCH_UNSUPPORTED, a selection method outside select with
// BAD_VALUE (of properties).
//
// A test sends each type with each kind of bucket to a real switch. This package is
// stricter in three things that the switch takes and that do nothing of what was asked: a
// weight of 0 outside select, which it takes for none; the watch of a reserved group, which
// is never live; the watch of ports 0xffffff00 to 0xfffffff7, which no port can have. The
// rules of actions are those of their constructors, held against the switch in the same way.
var typeRules = [...]struct {
	weight    bool
	watch     watchRule
	oneBucket bool
	selection bool
}{
	All:          {weight: false, watch: watchNever, oneBucket: false, selection: false},
	Select:       {weight: true, watch: watchMay, oneBucket: false, selection: true},
	Indirect:     {weight: false, watch: watchNever, oneBucket: true, selection: false},
	FastFailover: {weight: false, watch: watchMust, oneBucket: false, selection: false},
}

// Validate reports the first thing for which a switch would refuse the group, as an
// *Error that names bucket and rule, or nil. What depends on the OpenFlow version (the
// size, and what 1.3 has no words for) is reported by Mod.
func (g Group) Validate() error { return g.validate("validate") }

func (g Group) validate(op string) error {
	if err := g.checkGroup(); err != nil {
		return &Error{Op: op, ID: g.id, Bucket: NoBucket, Err: err}
	}
	if !g.maybeWrong() {
		return nil
	}
	keys := 0
	for first, run := range g.buckets.runs {
		for k := range run {
			b := &run[k]
			if err := checkBucket(b, g.typ); err != nil {
				return &Error{Op: op, ID: g.id, Bucket: first + k, Err: err}
			}
			if b.has&hasKey != 0 {
				keys++
			}
		}
	}
	if i := g.repeatedKey(keys); i >= 0 {
		key, _ := g.buckets.at(i).Key()
		err := fault{ErrBucketKey, strconv.Quote(key)}
		return &Error{Op: op, ID: g.id, Bucket: i, Err: err}
	}
	if i := g.repeatedID(); i >= 0 {
		err := fault{ErrBucketID, fmt.Sprintf("%d is in the group twice", g.buckets.at(i).id)}
		return &Error{Op: op, ID: g.id, Bucket: i, Err: err}
	}
	return nil
}

// checkGroup checks everything but the buckets themselves.
func (g Group) checkGroup() error {
	switch {
	case g.id > MaxID:
		return fault{ErrReservedID, fmt.Sprintf("0x%x is above 0x%x", uint32(g.id), uint32(MaxID))}
	case int(g.typ) >= len(typeRules):
		return fault{ErrType, g.typ.String()}
	case g.sel != nil && g.sel.fault != nil:
		return g.sel.fault
	case g.props() != "" && !typeRules[g.typ].selection:
		return fault{ErrSelection, "type " + g.typ.String()}
	case typeRules[g.typ].oneBucket && g.Len() != 1:
		return fault{ErrBucketCount, fmt.Sprintf("it has %d", g.Len())}
	}
	return nil
}

// maybeWrong reports whether a bucket may break a rule. Those that have nothing of what the
// rules are about, as in most groups, need not be looked at one by one.
func (g Group) maybeWrong() bool {
	const ruled = hasFault | hasKey | hasID | hasWatchPort | hasWatchGroup
	rules := &typeRules[g.typ]
	return g.has&ruled != 0 || g.has&hasWeight != 0 && !rules.weight || rules.watch == watchMust
}

func checkBucket(b *Bucket, t Type) error {
	rules := &typeRules[t]
	if b.has&hasFault != 0 {
		return b.oddity().fault
	}
	watches := b.has&(hasWatchPort|hasWatchGroup) != 0
	switch {
	case b.has&hasWeight != 0 && !rules.weight:
		return fault{ErrWeight, fmt.Sprintf("weight %d in type %v", b.number, t)}
	case watches && rules.watch == watchNever:
		return fault{ErrWatch, fmt.Sprintf("type %v takes none", t)}
	case !watches && rules.watch == watchMust:
		return fault{ErrWatch, fmt.Sprintf("type %v needs a port or group to watch", t)}
	case b.has&hasWatchPort != 0 && !b.oddity().watchPort.usable():
		return fault{ErrWatch, fmt.Sprintf("no switch has port 0x%x", uint32(b.oddity().watchPort))}
	case b.has&hasWatchGroup != 0 && b.oddity().watchGroup > MaxID:
		return fault{ErrWatch, fmt.Sprintf("group 0x%x is reserved", uint32(b.oddity().watchGroup))}
	case b.has&hasID != 0 && b.id > MaxBucketID:
		return fault{ErrBucketID, fmt.Sprintf("0x%x is above 0x%x", uint32(b.id), uint32(MaxBucketID))}
	}
	return nil
}

// repeatedID is the position of the first bucket whose explicit number an earlier one
// has, or -1.
func (g Group) repeatedID() int {
	if g.has&hasID == 0 || g.idsAscend() {
		return -1
	}
	seen := make(map[BucketID]struct{}, g.Len())
	for i, b := range g.buckets.each {
		if b.has&hasID == 0 {
			continue
		}
		if _, again := seen[b.id]; again {
			return i
		}
		seen[b.id] = struct{}{}
	}
	return -1
}

// idsAscend reports whether the explicit numbers grow from bucket to bucket, as they
// usually do, which needs no memory to find out.
func (g Group) idsAscend() bool {
	next := BucketID(0)
	for _, b := range g.buckets.each {
		if b.has&hasID == 0 {
			continue
		}
		if b.id < next {
			return false
		}
		next = b.id + 1
	}
	return true
}
