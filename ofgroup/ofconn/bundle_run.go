package ofconn

import (
	"context"
	"errors"
	"fmt"

	"github.com/ofmcast/ofmcast/internal/openflow"
	"github.com/ofmcast/ofmcast/ofgroup"
)

// bundleFlags are those of every bundle.
const bundleFlags = openflow.BundleAtomic | openflow.BundleOrdered

// bundle is one try to have messages carried out together.
type bundle struct {
	session  *Session
	id       uint32
	messages []Message
	adds     []*call // by message: finished by the switch's error alone
}

// tryBundle fills a bundle, and commits it if every message in it was taken: Open
// vSwitch would else commit the others.
func (s *Session) tryBundle(ctx context.Context, messages []Message, encoded [][]byte) error {
	b := &bundle{session: s, id: s.cfg.lasting.bundleIDs.Add(1), messages: messages}
	for _, m := range encoded {
		// It fits: it was measured.
		msg, _ := openflow.AppendBundleAdd(nil, uint8(s.version), openflow.BundleAdd{ID: b.id, Flags: bundleFlags, Message: m})
		c := newCall(msg, noAnswer)
		c.nested = true
		b.adds = append(b.adds, c)
	}
	if err := b.fill(ctx); err != nil {
		return err
	}
	defer s.ledger.withdraw(b.adds)
	err := b.commit(ctx)
	if err == nil {
		s.stats.bundles.Add(1)
	}
	return err
}

// control is a call for one step of the bundle, which its answer follows.
func (b *bundle) control(step openflow.BundleStep) *call {
	c := newCall(openflow.AppendBundleControl(nil, uint8(b.session.version),
		openflow.BundleControl{ID: b.id, Step: step, Flags: bundleFlags}), openflow.TypeBundleControl)
	c.step = openflow.BundleControl{ID: b.id, Step: step + 1}
	return c
}

// fill opens the bundle, puts everything in and closes it, in as few writes as they fit
// into: the answer to the last of them comes behind what there is to say about any. After
// an error nothing is left in the books, and the switch is told to forget the bundle.
func (b *bundle) fill(ctx context.Context) error {
	opened, closed := b.control(openflow.BundleOpen), b.control(openflow.BundleClose)
	all := append(append([]*call{opened}, b.adds...), closed)
	s := b.session
	if err := ctx.Err(); err != nil {
		return notCommitted(unwritten(err))
	}
	if err := s.enqueue(all...); err != nil {
		return notCommitted(err)
	}
	s.recall()
	var err error
	select {
	case <-closed.done:
	case <-ctx.Done():
		err = notCommitted(unwritten(ctx.Err()))
	}
	refused := s.ledger.firstError(all)
	switch {
	case refused >= 1 && refused <= len(b.adds):
		err = b.refused(refused-1, b.adds[refused-1].err)
	case refused >= 0:
		err = notCommitted(all[refused].err)
	}
	if err != nil && s.ledger.withdraw(all) {
		b.discard()
	}
	return err
}

// commit has the bundle carried out.
func (b *bundle) commit(ctx context.Context) error {
	c := b.control(openflow.BundleCommit)
	err := b.session.do(ctx, c)
	switch {
	case err == nil:
		return nil
	case isNotSent(err):
		b.discard()
		return notCommitted(err)
	}
	if code, ok := bundleFailure(err); ok && code == openflow.BundleMsgFailed {
		// The switch names the message first, by an error about it.
		if i := b.session.ledger.firstError(b.adds); i >= 0 {
			return b.refused(i, b.adds[i].err)
		}
	}
	return fmt.Errorf("bundle: %w", err)
}

// discard tells the switch to forget the bundle. Nobody waits for that: if it cannot
// be sent the bundle ends with the connection, or with its time.
func (b *bundle) discard() {
	c := b.control(openflow.BundleDiscard)
	c.unattended = true
	_ = b.session.enqueue(c)
}

// refused is the error for a message that the switch would not have.
func (b *bundle) refused(i int, err error) error {
	var e *ofgroup.SwitchError
	if !errors.As(err, &e) || expired(err) {
		return notCommitted(err)
	}
	return &BundleError{i, b.messages[i], e}
}

// notCommitted is the error of a bundle that the switch did not carry out.
func notCommitted(cause error) error {
	err := fmt.Errorf("bundle not committed: %w", cause)
	if errors.As(cause, new(*ofgroup.SwitchError)) {
		return err
	}
	return ofgroup.NotSent(err)
}

// isNotSent reports whether not one byte of a message was written.
func isNotSent(err error) bool { return errors.Is(err, ofgroup.ErrNotSent) }
