package mcast

import (
	"errors"
	"fmt"
	"strings"
)

// Errors of the cache. What Apply returns wraps one of the first three.
var (
	// ErrInvalid says that a report or an argument makes no sense.
	ErrInvalid = errors.New("invalid")
	// ErrLimit says that a report would pass one of [Limits].
	ErrLimit = errors.New("over the limit")
	// ErrRemoved says that a report is not newer than the removal of its member.
	ErrRemoved = errors.New("member removed")
	// ErrSnapshot says that a snapshot, or its encoding, is damaged, makes no
	// sense, or is of another version.
	ErrSnapshot = errors.New("unusable snapshot")
	// ErrRunning says that another Run or Flush is at work.
	ErrRunning = errors.New("another Run or Flush is at work")
	// ErrSinkExists says that a sink of that name is there already.
	ErrSinkExists = errors.New("sink exists")
	// ErrClosed is what Next returns when a watcher was closed and all that
	// happened before has been read.
	ErrClosed = errors.New("watcher closed")
	// ErrPanic is what the error of a call wraps when the sink panicked.
	ErrPanic = errors.New("panic")
)

// Error says what of a report or a call was refused. It wraps its cause, one
// of the sentinels of this package.
type Error struct {
	// Op is what was being done: "apply", "add sink".
	Op string
	// Detail says which part was at fault, for people.
	Detail string
	// Err is the cause.
	Err error
}

// Error is one line without a trailing period.
func (e *Error) Error() string { return fmt.Sprintf("mcast: %s: %s: %v", e.Op, e.Detail, e.Err) }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// SyncError is a call of a sink, or of Config.Query, that failed. The work
// goes on: a sink is called again, see [SinkConfig].
type SyncError struct {
	// Sink is the sink's name, empty for Config.Query.
	Sink string
	// Group is the group of the call, zero for a Prune.
	Group Group
	// Err is what the call returned.
	Err error
}

// Error is one line without a trailing period.
func (e *SyncError) Error() string {
	switch {
	case e.Sink == "":
		return fmt.Sprintf("mcast: query %v: %v", e.Group, e.Err)
	case e.Group == Group{}:
		return fmt.Sprintf("mcast: sink %s: prune: %v", e.Sink, e.Err)
	default:
		return fmt.Sprintf("mcast: sink %s: %v: %v", e.Sink, e.Group, e.Err)
	}
}

// Unwrap returns the error of the call.
func (e *SyncError) Unwrap() error { return e.Err }

// StuckError says which calls had not ended when the time to wait for them
// was over. Their goroutines are still there.
type StuckError struct {
	// Sinks are the names of the sinks, in the order in which they were added.
	Sinks []string
	// Query says that Config.Query had not returned.
	Query bool
}

// Error names the sinks.
func (e *StuckError) Error() string {
	names := e.Sinks
	if e.Query {
		names = append([]string{"Config.Query"}, names...)
	}
	return "mcast: still running: " + strings.Join(names, ", ")
}
