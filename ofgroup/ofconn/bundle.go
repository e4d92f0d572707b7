package ofconn

import (
	"context"
	"errors"
	"fmt"

	"github.com/ofmcast/ofmcast/internal/openflow"
	"github.com/ofmcast/ofmcast/ofgroup"
)

// Bundler carries out several messages as one. Both *Session and *Conn do; whoever
// has an ofgroup.Sender can ask whether it is one:
//
//	if b, ok := sender.(ofconn.Bundler); ok {
//		err = b.Bundle(ctx, ofconn.GroupMod{Mod: mod}, flow)
//	}
type Bundler interface {
	// Bundle is Session.Bundle.
	Bundle(ctx context.Context, messages ...Message) error
}

var (
	_ Bundler = (*Session)(nil)
	_ Bundler = (*Conn)(nil)
)

// BundleError names the message because of which nothing of a bundle was done.
type BundleError struct {
	Index   int     // its place among the arguments of Bundle, from 0
	Message Message // itself
	Err     error   // an *ofgroup.SwitchError, or why it could not be encoded
}

// Error says which message it was, and why it could not be.
func (e *BundleError) Error() string {
	what := fmt.Sprintf("%T", e.Message)
	if s, ok := e.Message.(fmt.Stringer); ok {
		what = s.String()
	}
	const readable = 200
	if len(what) > readable {
		what = what[:readable] + "…"
	}
	return fmt.Sprintf("ofconn: bundle: message %d (%s): %v", e.Index, what, e.Err)
}

// Unwrap returns Err.
func (e *BundleError) Unwrap() error { return e.Err }

// maxBundles is how many bundles of a session may be under way at a time, for the
// switch keeps what is in them. It is the bound of a NoFence connection, too.
const maxBundles = unfencedWindow

// Bundle has the switch carry out all of the messages in their order, or none of
// them, and returns when it has (OpenFlow 1.5.1, 6.9; the extension EXT-230 in 1.3).
// No packet sees a part of them done. Open vSwitch takes FlowMods, GroupMods and
// PacketOuts in a bundle; a group must come before the flows that use it. Without
// messages nothing is sent.
//
// If one of the messages is at fault the error is a *BundleError that tells which.
// Nothing is done then. Neither is it after an error that matches ofgroup.ErrNotSent,
// here that the bundle was not committed, or that wraps an *ofgroup.SwitchError. After
// any other error nobody knows whether all or nothing was done.
//
// All is encoded before anything is sent, so that a switch does not wait with a bundle
// half full; one that threw it away as too old nevertheless gets it once more. More
// than eight bundles at a time wait their turn.
func (s *Session) Bundle(ctx context.Context, messages ...Message) error {
	if len(messages) == 0 {
		return nil
	}
	encoded, err := encodeAll(messages, s.version)
	if err != nil {
		return ofgroup.NotSent(err)
	}
	ctx, cancel := s.cfg.bound(ctx)
	defer cancel()
	select {
	case s.bundles <- struct{}{}:
		defer func() { <-s.bundles }()
	case <-ctx.Done():
		return notCommitted(unwritten(ctx.Err()))
	}
	for try := 1; ; try++ {
		err := s.tryBundle(ctx, messages, encoded)
		if err == nil || try > bundleRetries || !expired(err) {
			return err
		}
		s.stats.bundleRetries.Add(1)
	}
}

// bundleRetries is how often a bundle is sent again that the switch threw away.
const bundleRetries = 1

// encodeAll encodes every message, or tells which cannot be.
func encodeAll(messages []Message, v ofgroup.Version) ([][]byte, error) {
	encoded := make([][]byte, len(messages))
	for i, m := range messages {
		if m == nil {
			return nil, &BundleError{i, m, ErrNoMessage}
		}
		b, err := m.AppendMessage(nil, v)
		if err == nil && len(b) > openflow.MaxLen-openflow.BundleHeaderLen(uint8(v)) {
			err = ErrTooLarge
		}
		if err != nil {
			return nil, &BundleError{i, m, err}
		}
		encoded[i] = b
	}
	return encoded, nil
}

// expired reports whether the switch does not know the bundle, or knows that it was
// idle for too long. Open vSwitch allows ten seconds between two messages about it.
func expired(err error) bool {
	code, ok := bundleFailure(err)
	return ok && (code == openflow.BundleBadID || code == openflow.BundleTimeout)
}

// bundleFailure is the code of a refusal that is about a bundle as such, of either
// version.
func bundleFailure(err error) (code uint16, ok bool) {
	var e *ofgroup.SwitchError
	switch {
	case !errors.As(err, &e):
		return 0, false
	case e.Type == openflow.ErrorBundleFailed:
		return e.Code, true
	case e.Type == openflow.ErrorExperimenter && e.Experimenter == openflow.ONFVendor && e.Code >= openflow.ONFBundleFailed:
		return e.Code - openflow.ONFBundleFailed, true
	default:
		return 0, false
	}
}

// Bundle is Session.Bundle.
func (c *Conn) Bundle(ctx context.Context, messages ...Message) error {
	s, err := c.Session()
	if err != nil {
		return err
	}
	return s.Bundle(ctx, messages...)
}
