package ofgroup

import (
	"fmt"

	"github.com/ofmcast/ofmcast/internal/openflow"
)

// maxEntry is the largest entry of a multipart reply: what a message holds after the
// multipart header. Open vSwitch does not check it. A group whose description or
// statistics are larger can be installed, and then a dump of it comes back broken or
// aborts the switch.
const maxEntry = openflow.MaxLen - openflow.MultipartHeaderLen

// An entry of the group statistics has this much for the group and for each bucket,
// in both versions (OpenFlow 1.5.1, 7.3.5.9).
const (
	statsEntryLen  = 40
	statsBucketLen = 16
)

// TooLargeError says that a group does not fit into one message, or could not be read
// back from the switch. It matches ErrTooLarge.
type TooLargeError struct {
	Version Version // the version in which it would not fit
	Buckets int     // how many buckets the group has
	Fit     int     // how many of them, from the first on, would fit
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("%v: %d buckets where %d would fit in %v", ErrTooLarge, e.Buckets, e.Fit, e.Version)
}

// Is reports whether target is ErrTooLarge.
func (e *TooLargeError) Is(target error) bool { return target == ErrTooLarge }

// Readable reports whether a switch that holds the group can describe it, and its
// statistics, in version v: nil, or an *Error with a *TooLargeError. A group sent in
// OpenFlow 1.5 may be too large for a description in 1.3, and whoever then dumps it in 1.3
// brings Open vSwitch down. Mod has checked its own version already.
func (g Group) Readable(v Version) error {
	err := v.check()
	if err == nil {
		_, err = g.measure(v)
	}
	if err != nil {
		return &Error{Op: "describe", ID: g.id, Bucket: NoBucket, Err: err}
	}
	return nil
}

// measure is the length of the buckets of g in v, or a *TooLargeError if its description
// or statistics would be too large. That covers the message too, which in both versions
// has 8 bytes more around the buckets than a description has, and 16 more to have them in.
func (g Group) measure(v Version) (int, error) {
	room := maxEntry - descHeaderLen(v) - len(g.props())
	const most = (maxEntry - statsEntryLen) / statsBucketLen
	n, fit := 0, 0
	for _, run := range g.buckets.runs {
		for i := range run {
			k := run[i].encodedLen(g.typ, v)
			if fit == most || n+k > room {
				return 0, &TooLargeError{Version: v, Buckets: g.Len(), Fit: fit}
			}
			n, fit = n+k, fit+1
		}
	}
	return n, nil
}

// encodedLen is the length of the bucket in a group of type t.
func (b *Bucket) encodedLen(t Type, v Version) int {
	if v == OpenFlow13 {
		return bucketHeaderLen13 + b.listLen13()
	}
	return bucketHeaderLen15 + b.listLen() + propsLen15(b, t)
}

func bucketHeaderLen(v Version) int {
	if v == OpenFlow13 {
		return bucketHeaderLen13
	}
	return bucketHeaderLen15
}

func modHeaderLen(v Version) int {
	if v == OpenFlow13 {
		return modHeaderLen13
	}
	return modHeaderLen15
}

func descHeaderLen(v Version) int {
	if v == OpenFlow13 {
		return descHeaderLen13
	}
	return descHeaderLen15
}
