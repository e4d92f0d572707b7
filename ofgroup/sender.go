package ofgroup

import "context"

// Receipt says what is known of a message that was sent.
type Receipt struct {
	XID       uint32 // its transaction ID; 0 if the sender does not know it
	Confirmed bool   // the switch has carried it out (a barrier was answered)
}

// Sender delivers messages to one switch.
//
// Send writes m once and never twice. It may be called by several goroutines at the
// same time. Its error tells how much is known, and a Table relies on it:
//
//   - it matches ErrNotSent: not one byte was written;
//   - it wraps a *SwitchError: the switch refused the message and is unchanged;
//   - any other error: nobody knows.
//
// A nil error with Receipt.Confirmed false means written, and no more.
type Sender interface {
	// Version is the OpenFlow version the switch is spoken to in.
	Version() Version
	Send(ctx context.Context, m *Mod) (Receipt, error)
}

// SendFunc makes a Sender of a function that writes one message. Its receipts are
// never confirmed: such a function has no way to hear of a refusal, so neither has the
// caller of Commit. f owns the transaction ID. If f knows that it wrote nothing it
// returns an error made by NotSent.
func SendFunc(v Version, f func(context.Context, *Mod) error) Sender {
	return &funcSender{v, f}
}

type funcSender struct {
	version Version
	send    func(context.Context, *Mod) error
}

func (s *funcSender) Version() Version { return s.version }

func (s *funcSender) Send(ctx context.Context, m *Mod) (Receipt, error) {
	if err := ctx.Err(); err != nil {
		return Receipt{}, NotSent(err)
	}
	return Receipt{}, s.send(ctx, m)
}

// Commit sends the group, whole, as exactly one GROUP_MOD: AddOrMod, because a bare
// group knows nothing of what the switch holds. A group that cannot be sent fails
// with an *Error that matches ErrNotSent and names the rule. Errors of s come back
// wrapped in an *Error.
func (g Group) Commit(ctx context.Context, s Sender) (Receipt, error) {
	m, err := g.Mod(AddOrMod, s.Version())
	if err != nil {
		return Receipt{}, NotSent(err)
	}
	r, err := s.Send(ctx, m)
	if err != nil {
		return r, &Error{Op: "commit", ID: g.id, Bucket: NoBucket, Err: err}
	}
	return r, nil
}
