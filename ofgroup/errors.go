package ofgroup

import (
	"errors"
	"fmt"
	"strconv"
)

// Error is the one error struct of this package: what was being done, to which group
// and bucket, and why it failed. Err is, or wraps, one of the sentinels below, a
// *SwitchError, a *TooLargeError, or what the Sender returned.
type Error struct {
	Op     string // such as "add", "commit", "decode"
	ID     ID     // the group; 0 where a message could not be read that far
	Bucket int    // position of the bucket in the group, from 0, or NoBucket
	Err    error
}

// NoBucket stands in Error.Bucket when the fault is the whole group's.
const NoBucket = -1

func (e *Error) Error() string {
	s := "ofgroup: " + e.Op + " group " + e.ID.String()
	if e.Bucket != NoBucket {
		s += ": bucket " + strconv.Itoa(e.Bucket)
	}
	return s + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// What is refused before anything is sent, because the switch would refuse it or do
// harm with it.
var (
	ErrTooLarge    = errors.New("group too large")               // see TooLargeError
	ErrReservedID  = errors.New("group ID is reserved")          // above MaxID
	ErrType        = errors.New("unknown group type")            // not one of the four
	ErrWeight      = errors.New("weight outside a select group") // all, indirect, ff
	ErrWatch       = errors.New("watch rule of the group type")  // needed, not allowed, or no such port
	ErrSelection   = errors.New("selection method outside a select group")
	ErrBucketCount = errors.New("indirect group needs one bucket")     // not zero, not two
	ErrBucketID    = errors.New("bucket ID taken or out of range")     // twice, above MaxBucketID, or missing in an insert
	ErrBucketKey   = errors.New("two buckets have one key")            // see Bucket.WithKey
	ErrAction      = errors.New("bad action")                          // a port that cannot be, misaligned bytes
	ErrField       = errors.New("no such field")                       // wrong register number, bits outside it
	ErrValue       = errors.New("value does not fit the field")        // too big, or of another kind
	ErrCommand     = errors.New("command not for a whole group")       // insert and remove: see ModInsert, ModRemove
	ErrVersion     = errors.New("not in this OpenFlow version")        // what 1.3 cannot say, or a version unknown here
	ErrEmptyInsert = errors.New("insert of no buckets hangs switches") // never sent, also not when decoded
)

// ErrMalformed says that bytes could not be decoded.
var ErrMalformed = errors.New("malformed")

// What a Table refuses before anything is sent.
var (
	ErrTypeChange = errors.New("group has another type on the switch")
	ErrIDOwned    = errors.New("group ID belongs to another table")
)

// How a delivery ended.
var (
	// ErrNotSent says that not one byte was written, so the switch is as it was.
	// Errors that do not match it, other than a *SwitchError, leave it unknown
	// whether the switch carried out the message.
	ErrNotSent = errors.New("not sent")

	// ErrDisconnected says that there is no connection to the switch (then the error
	// matches ErrNotSent too), or that it was lost before the switch confirmed.
	ErrDisconnected = errors.New("not connected to the switch")
)

// NotSent is err marked with ErrNotSent: it matches both, and says "(not sent)". It is nil
// for nil. Senders use it; see Sender.
func NotSent(err error) error {
	if err == nil || errors.Is(err, ErrNotSent) {
		return err
	}
	return &notSent{err}
}

type notSent struct{ err error }

func (e *notSent) Error() string        { return e.err.Error() + " (not sent)" }
func (e *notSent) Unwrap() error        { return e.err }
func (e *notSent) Is(target error) bool { return target == ErrNotSent }

// fault is why a value cannot be sent. It is comparable, so that a Bucket that
// carries one still is.
type fault struct {
	rule   error
	detail string
}

func (f fault) Error() string { return f.rule.Error() + ": " + f.detail }
func (f fault) Unwrap() error { return f.rule }

func reservedID(id ID) error {
	return fault{ErrReservedID, fmt.Sprintf("0x%x is above 0x%x", uint32(id), uint32(MaxID))}
}
