package ofconn

import (
	"errors"
	"fmt"
	"strings"

	"github.com/ofmcast/ofmcast/ofgroup"
)

var (
	// ErrClosed says that Close ended the session.
	ErrClosed = errors.New("session closed")

	// ErrDeadPeer says that the switch was not heard for Config.DeadAfter, or
	// did not take our bytes for as long.
	ErrDeadPeer = errors.New("switch does not answer")

	// ErrProtocol says that the switch sent what OpenFlow does not allow and
	// what leaves no way to go on: a length below the header's own, or something
	// else before its hello.
	ErrProtocol = errors.New("protocol violation by the switch")

	// ErrReplyTooLarge says that the switch's answer in several parts was longer
	// than anything it can have to say; the session lives on.
	ErrReplyTooLarge = errors.New("answer too large")

	// ErrOverrun says that the handlers of events fell so far behind that news
	// of ports or flows had to be lost. The session ends, so that whoever makes
	// another one asks afresh.
	ErrOverrun = errors.New("handlers of events too slow")

	// ErrBusy says that too many packet-outs wait for the switch already.
	ErrBusy = errors.New("too many packet-outs under way")

	// ErrRunning says that another Run of the same Conn is at work.
	ErrRunning = errors.New("already running")

	// ErrIncompatible says that the switch and we have no OpenFlow version in
	// common; see IncompatibleError.
	ErrIncompatible = errors.New("no OpenFlow version in common")
)

// IncompatibleError says why the version negotiation failed (OpenFlow 1.5.1,
// 6.3.1; OFPHFC_INCOMPATIBLE). It matches ErrIncompatible.
type IncompatibleError struct {
	Offered []ofgroup.Version // what we offered
	Peer    []ofgroup.Version // what the switch offered; empty if it did not say
	Text    string            // what the switch said when it was the one to refuse
}

// Error lists both offers.
func (e *IncompatibleError) Error() string {
	s := fmt.Sprintf("%v: offered %s", ErrIncompatible, versionList(e.Offered))
	if len(e.Peer) > 0 {
		s += ", the switch " + versionList(e.Peer)
	}
	if e.Text != "" {
		s += fmt.Sprintf(" (the switch says %q)", e.Text)
	}
	return s
}

// Is reports whether target is ErrIncompatible.
func (e *IncompatibleError) Is(target error) bool { return target == ErrIncompatible }

func versionList(vs []ofgroup.Version) string {
	names := make([]string, len(vs))
	for i, v := range vs {
		names[i] = v.String()
	}
	return strings.Join(names, ", ")
}

// disconnected is why a session ended, in words that match both
// ofgroup.ErrDisconnected and the cause.
func disconnected(cause error) error {
	if errors.Is(cause, ofgroup.ErrDisconnected) {
		return cause
	}
	return fmt.Errorf("ofconn: %w: %w", ofgroup.ErrDisconnected, cause)
}

// unconfirmed is the error of a call whose message may have reached the switch.
func unconfirmed(cause error) error {
	return fmt.Errorf("ofconn: written but not confirmed: %w", cause)
}

// unwritten is the error of a call that gave up before its message was written.
func unwritten(cause error) error {
	return ofgroup.NotSent(fmt.Errorf("ofconn: %w", cause))
}
