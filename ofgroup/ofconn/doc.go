// Package ofconn is an OpenFlow connection for hosts that do not bring one of
// their own. A Session is one live connection to one switch and an
// ofgroup.Sender whose receipts are confirmed:
//
//	s, err := ofconn.Open(ctx, ofconn.Config{Dial: dial})
//	if err != nil { … }
//	defer s.Close()
//	receipt, err := group.Commit(ctx, s)      // or through an ofgroup.Table
//	held, ok, err := s.GroupDesc(ctx, group.ID())
//
// # Confirmation
//
// Send returns when the switch has carried the message out, or refused it. The
// switch says so by answering a barrier; messages that are under way at the
// same time share one. A lone Send is one GROUP_MOD and one barrier request in
// one write. Under load at most three barriers are unanswered, each covering
// everything written before it, so the barriers a second follow the round trip
// and not the number of messages. A refusal comes back from the same call, at
// once, as an *ofgroup.SwitchError that quotes the refused bytes.
//
// # Errors
//
// Every call that fails tells how much is known, in ofgroup's terms: it matches
// ofgroup.ErrNotSent if not one byte was written, it wraps an
// *ofgroup.SwitchError if the switch refused, and else nobody knows. A call
// without a deadline of its own gets Config.Timeout. When the connection ends,
// every pending call fails at once with an error that matches
// ofgroup.ErrDisconnected, and so does every later call; a Session does not
// come back.
//
// # Concurrency
//
// All methods may be called from any number of goroutines. Messages of one
// goroutine reach the switch in the order of its calls; a call is encoded
// before it waits, so nothing the caller does afterwards changes what is sent.
// No lock is held during input or output, and the goroutine that reads never
// waits for anybody: what nobody waits for, such as an answer that came after
// its caller gave up, is dropped and counted.
package ofconn
