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

	// ErrProtocol says that the switch sent what OpenFlow does not allow. What
	// leaves no way to go on, a length below the header's own or something else
	// before its hello, ends the session; an answer to another question than
	// the one asked is only its call's error.
	ErrProtocol = errors.New("protocol violation by the switch")

	// ErrReplyTooLarge says that the switch's answer in several parts was longer
	// than Config.MaxReply allows; the session lives on.
	ErrReplyTooLarge = errors.New("answer too large")

	// ErrOverrun says that the handlers of events fell so far behind that news
	// of ports or flows had to be lost. The session ends, so that whoever makes
	// another one asks afresh.
	ErrOverrun = errors.New("handlers of events too slow")

	// ErrReconnect says that Conn.Reconnect ended the session.
	ErrReconnect = errors.New("asked to connect again")

	// ErrBusy says that too many packet-outs wait for the switch already.
	ErrBusy = errors.New("too many packet-outs under way")

	// ErrRunning says that another Run of the same Conn is at work.
	ErrRunning = errors.New("already running")

	// ErrIncompatible says that the switch and we have no OpenFlow version in
	// common; see IncompatibleError.
	ErrIncompatible = errors.New("no OpenFlow version in common")

	// ErrNoDial says that Config.Dial is nil.
	ErrNoDial = errors.New("Config.Dial is missing")

	// ErrNoMessage says that nil was to be sent.
	ErrNoMessage = errors.New("no message to send")
)

// IncompatibleError says why the version negotiation failed (OpenFlow 1.5.1,
// 6.3.1; OFPHFC_INCOMPATIBLE). It matches ErrIncompatible.
type IncompatibleError struct {
	Offered []ofgroup.Version // what we offered
	Peer    []ofgroup.Version // what the switch offered, which may be nothing; nil if it did not say
	Text    string            // what the switch said when it was the one to refuse
}

// Error says what each side speaks, as in "the switch speaks OpenFlow 1.0 only,
// we offered OpenFlow 1.5".
func (e *IncompatibleError) Error() string {
	offered := ", we offered " + versionList(e.Offered)
	s := ErrIncompatible.Error() + ": the switch "
	switch {
	case e.Peer == nil:
		s += "refused our hello" + offered
	case len(e.Peer) == 0:
		s += "named none that it speaks" + offered
	case len(e.Peer) == 1:
		s += "speaks " + versionList(e.Peer) + " only" + offered
	default:
		s += "speaks " + versionList(e.Peer) + offered
	}
	if e.Text != "" {
		s += fmt.Sprintf(" (the switch says %q)", e.Text)
	}
	return s
}

// Is reports whether target is ErrIncompatible.
func (e *IncompatibleError) Is(target error) bool { return target == ErrIncompatible }

// versionList lists versions as people call them: "OpenFlow 1.0, 1.1 and 1.3".
func versionList(vs []ofgroup.Version) string {
	names := make([]string, len(vs))
	for i, v := range vs {
		names[i] = versionNumber(v)
	}
	list := names[len(names)-1]
	if before := names[:len(names)-1]; len(before) > 0 {
		list = strings.Join(before, ", ") + " and " + list
	}
	return "OpenFlow " + list
}

// versionNumber is "1.0" for the 1 of the wire, and so on up to "1.5". Later ones
// have no name yet.
func versionNumber(v ofgroup.Version) string {
	if v < 1 || v > ofgroup.OpenFlow15 {
		return fmt.Sprintf("version 0x%02x", uint8(v))
	}
	return fmt.Sprintf("1.%d", v-1)
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
