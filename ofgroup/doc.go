// Package ofgroup describes OpenFlow groups as immutable values and changes a switch with
// exactly one GROUP_MOD per change.
//
// # The model
//
// A group is a table of buckets in a switch; a bucket is a list of actions. A controller
// that serves a Service or a multicast stream keeps changing such groups, and each change
// should cost one message, whatever it was made of. So this package keeps three things
// apart:
//
//   - What a group shall be: a value. Building it, one bucket at a time or all at once,
//     talks to nobody, and every value stays what it was when values are made from it.
//   - The message: a Mod, checked against the rules that switches hold groups to, and
//     encoded for OpenFlow 1.5 or 1.3. Its sizes are right or it does not exist.
//   - The delivery: a Sender, which may be package ofconn beside this one, a function that
//     hands messages to another library, or a recorder in a test. Commit makes one
//     message and delivers it once.
//
// Values are Group, Bucket, Action and Field. They may be copied, shared between any
// number of goroutines and kept for ever; none can be changed. A value that makes no sense
// (register 16, a port that cannot be, a value too big for its field) can be built, and
// carries its fault to the one place where it is told, [Group.Validate] and [Group.Mod], which
// name the bucket and the rule.
//
//	ep := ofgroup.NewBucket(
//		ofgroup.Set(ofgroup.Reg(3), netip.MustParseAddr("192.0.2.1")),
//		ofgroup.Set(ofgroup.Reg(4).Bits(0, 15), uint16(8080)),
//		ofgroup.Resubmit(6),
//	).WithWeight(100)
//	g := ofgroup.New(7, ofgroup.Select).AddBuckets(ep)
//	receipt, err := g.Commit(ctx, sender)
//
// # Tables
//
// A [Table] is what one owner has on one switch. It remembers what the switch holds, so that
// the caller says what shall be and no more:
//
//	t := ofgroup.NewTable(sender, ofgroup.TableConfig{})
//	id, err := t.Allocate()
//	sent, err := t.Sync(ctx, g)  // one GROUP_MOD, or none if the switch holds g already
//	err = t.Delete(ctx, id)
//
// Where buckets have keys ([Bucket.WithKey]) a member that comes or goes is one small message,
// and the others go on counting. [Table.Replay] brings a switch up to date after a lost
// connection, [Table.Adopt] and [Table.Prune] take over what an earlier process has left, and
// [PlanReconcile] says beforehand what would be sent.
//
// # Sizes and numbers
//
// A group has a largest size, 2,729 buckets of one output in OpenFlow 1.5 and 2,047 in 1.3,
// because messages and descriptions count their bytes in 16 bits. Open vSwitch itself takes
// larger groups and then cannot describe them without breaking; so ErrTooLarge, which tells
// how many buckets would fit, comes before that. See [Group.Readable].
//
// Buckets have numbers in OpenFlow 1.5. Who does not care gives none; they are then counted
// from 0, and Equal takes a group and the switch's own description of it for the same.
//
// # Decoding
//
// Decoding is the mirror: [Mod.UnmarshalBinary], [ParseGroupDesc], [ParseGroupStats],
// [ParseGroupFeatures], [ParseRequest], [ParseRequestForward] and [ParseSwitchError] take whatever a
// switch or another controller sends, keep what they do not know byte for byte, and never
// panic. What they return can be encoded again, and prints in the words of ovs-ofctl.
//
// # Errors
//
// Errors are *[Error], and say by errors.Is what happened: a rule broken before anything was
// sent (ErrWeight, ErrTooLarge and their like), a refusal by the switch (ErrGroupExists and
// its like, with a *[SwitchError]), or a delivery that failed (ErrNotSent tells whether the
// switch may have heard of it).
package ofgroup
