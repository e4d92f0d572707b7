package ofgroup

import "fmt"

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
