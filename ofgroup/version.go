package ofgroup

import "fmt"

// checkVersion reports what version v has no words for, and in which bucket. Open
// vSwitch's own tools drop such things silently.
func (g Group) checkVersion(v Version) (int, error) {
	if v != OpenFlow13 {
		return NoBucket, nil
	}
	if g.props != "" {
		return NoBucket, fault{ErrVersion, "selection method in " + v.String()}
	}
	for i, b := range g.buckets.each {
		switch {
		case b.has&hasID != 0 && b.id != BucketID(i):
			return i, fault{ErrVersion, fmt.Sprintf("bucket ID %d in %v, which has none", b.id, v)}
		case b.has&hasRawProps != 0:
			return i, fault{ErrVersion, "unknown bucket property in " + v.String()}
		case !checkActions13(b.actions):
			return i, fault{ErrVersion, "an action without a form in " + v.String()}
		}
	}
	return NoBucket, nil
}
