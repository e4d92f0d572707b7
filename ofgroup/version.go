package ofgroup

import (
	"fmt"
	"strconv"
)

// Version is an OpenFlow version by its number on the wire.
type Version uint8

const (
	OpenFlow13 Version = 4 // OpenFlow 1.3: no bucket numbers, no selection methods
	OpenFlow15 Version = 6 // OpenFlow 1.5
)

// String is the version's name, as in "OpenFlow 1.5".
func (v Version) String() string {
	switch v {
	case OpenFlow13:
		return "OpenFlow 1.3"
	case OpenFlow15:
		return "OpenFlow 1.5"
	default:
		return "Version(0x" + strconv.FormatUint(uint64(v), 16) + ")"
	}
}

// check reports whether the version is one that this package speaks.
func (v Version) check() error {
	if v != OpenFlow13 && v != OpenFlow15 {
		return fault{ErrVersion, v.String()}
	}
	return nil
}

// inVersion is g as it can be said in version v, or what v has no words for, and in which
// bucket. Open vSwitch's own tools drop such things silently.
func (g Group) inVersion(v Version) (Group, int, error) {
	if v == OpenFlow13 {
		i, err := g.checkVersion13()
		return g, i, err
	}
	g, i := g.groupIn15()
	if i != NoBucket {
		return g, i, fault{ErrVersion, "a load or a move of OpenFlow 1.3 in " + v.String()}
	}
	return g, NoBucket, nil
}

func (g Group) checkVersion13() (int, error) {
	const v = OpenFlow13
	if g.props() != "" {
		return NoBucket, fault{ErrVersion, "selection method in " + v.String()}
	}
	for i, b := range g.buckets.each {
		switch {
		case b.has&hasID != 0 && b.id != BucketID(i):
			return i, fault{ErrVersion, fmt.Sprintf("bucket ID %d in %v, which has none", b.id, v)}
		case b.has&hasRawProps != 0:
			return i, fault{ErrVersion, "unknown bucket property in " + v.String()}
		case !checkActions13(b.actions, 0):
			return i, fault{ErrVersion, "an action without a form in " + v.String()}
		}
	}
	return NoBucket, nil
}
