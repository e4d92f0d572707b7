package ofgroup

import (
	"errors"
	"strconv"
)

// State is what a Table knows of the switch under one group ID.
type State uint8

const (
	// Unknown: nobody knows what the switch holds. So it is for every ID at first.
	// The next Commit is AddOrMod.
	Unknown State = iota

	// Absent: the switch has no such group; it has confirmed a delete, or answered
	// UNKNOWN_GROUP, or a full listing did not have it. The next Commit is Add.
	Absent

	// Held: the switch has confirmed the group, or described it. The next Commit is
	// Modify, or a part of it where buckets have keys.
	Held

	// Assumed: the group was sent, and nobody confirms anything here (a SendFunc).
	// The next Commit is AddOrMod.
	Assumed
)

// String is the state's name in lower case.
func (s State) String() string {
	switch s {
	case Unknown:
		return "unknown"
	case Absent:
		return "absent"
	case Held:
		return "held"
	case Assumed:
		return "assumed"
	default:
		return "State(0x" + strconv.FormatUint(uint64(s), 16) + ")"
	}
}

// command is how a group is brought to a switch in this state.
func (s State) command() Command {
	switch s {
	case Absent:
		return Add
	case Held:
		return Modify
	default:
		return AddOrMod
	}
}

// deletion is whether a delete was written whose end nobody knows.
type deletion uint8

const (
	noDeletion  deletion = iota
	unanswered           // its caller was told that it failed
	unconfirmed          // its caller was told no more than that it was written
)

// outcome is what a delivery tells about the switch.
type outcome uint8

const (
	done      outcome = iota // carried out, and confirmed
	written                  // on its way, and nothing more will be heard
	untouched                // not carried out: not sent, or refused
	missing                  // refused, because the switch has no such group
	doubtful                 // nobody knows; or what we thought we knew is wrong
	cutOff                   // nobody knows, of any group: the connection was lost
	unlinked                 // not sent, and nobody knows of any group: there is no connection
)

func outcomeOf(r Receipt, err error) outcome {
	switch {
	case err == nil && r.Confirmed:
		return done
	case err == nil:
		return written
	default:
		return failed(err)
	}
}

// failed is outcomeOf for an error.
func failed(err error) outcome {
	var refused *SwitchError
	switch {
	case errors.Is(err, ErrDisconnected) && errors.Is(err, ErrNotSent):
		return unlinked
	case errors.Is(err, ErrDisconnected):
		return cutOff
	case errors.Is(err, ErrNotSent):
		return untouched
	case errors.Is(err, ErrUnknownGroup):
		return missing
	case errors.Is(err, ErrGroupExists), errors.Is(err, ErrBadBucket),
		errors.Is(err, ErrUnknownBucket), errors.Is(err, ErrBucketExists):
		return doubtful
	case errors.As(err, &refused):
		return untouched
	default:
		return doubtful
	}
}
