// Package ofconn is an OpenFlow connection for hosts that do not bring one of
// their own.
//
// A Conn keeps one switch connected, and is an ofgroup.Sender whose receipts are
// confirmed:
//
//	conn := ofconn.New(ofconn.Config{Dial: dial, OnConnect: replay})
//	go conn.Run(ctx)
//	err := conn.WaitConnected(ctx)
//	receipt, err := group.Commit(ctx, conn)   // or through an ofgroup.Table
//	receipt, err = conn.SendMessage(ctx, ofconn.FlowMod{…})
//
// A Session is one live connection, which does not come back. A Conn makes them
// and hands the one that lives to OnConnect; a program that needs no more than
// one gets it from Open.
//
// # Connections that end
//
// A Conn never waits for a connection on behalf of a send: without one, every
// call fails at once with an error that matches ofgroup.ErrDisconnected and
// ofgroup.ErrNotSent and tells why there is none. Run makes the connections, one
// at a time, and the old socket is closed before the next is opened. Each goes
// through the same steps in the same order: dial and version; the role of master
// (see below); what Config.Events asks for; Config.OnConnect, which brings the
// switch up to date with a Session that can send, usually meters, then groups,
// then flows. Only then WaitConnected returns, everybody else can send, and events
// are delivered. A step that fails ends the connection, and after a pause
// there is another attempt, however many have failed.
//
// # Fencing
//
// Open vSwitch goes on executing what a dead connection had sent, and old
// messages would then overwrite newer, confirmed ones. So each connection of a
// Conn takes the role of master, with a generation above the switch's and above
// that of its predecessor, which makes a slave of the predecessor: the switch
// refuses what is left of it. Config.NoFence is for bridges that have another
// master.
//
// Of two Conns to one bridge the one that came last is therefore master. The other
// one stays connected, as a slave: Events.RoleStatus is called, every change is
// refused with an error for which IsSlave is true, and it gets no packets any more.
// It does not take the bridge back of its own accord, or an old process and the new
// one that replaces it would take turns without end. Who wants it back calls
// Conn.Reconnect.
//
// # Settings
//
// What a switch knows of one connection it forgets with it. All of it is restored on
// the next one, before OnConnect: what Config.Events asks for, and what was last set
// by a ControllerID, PacketInFormat, AsyncConfig or SwitchConfig that SendMessage
// delivered, or by a role that Session.Role asked for. Groups, flows and meters are
// not the connection's but the bridge's, and OnConnect's to restore.
//
// # Confirmation
//
// Send and SendMessage return when the switch has carried the message out, or
// refused it. The switch says so by answering a barrier; messages that are
// under way at the same time share one. A lone Send is one GROUP_MOD and one
// barrier request in one write, at once. Under load a message waits until as many
// are in line as are under way, two milliseconds at the most, so that a write and its
// barrier carry many; and at most three barriers are unanswered, each covering
// everything written before it, so the barriers a second follow the round trip and
// not the number of messages. A refusal comes back from the same
// call, at once, as an *ofgroup.SwitchError that quotes the refused bytes. Only
// PacketOut does not wait: its refusals are counted and go to a handler.
//
// Bundle has the switch carry out several messages as one, or none of them.
//
// # Errors
//
// Every call that fails tells how much is known, in ofgroup's terms: it matches
// ofgroup.ErrNotSent if not one byte was written, it wraps an
// *ofgroup.SwitchError if the switch refused, and else nobody knows. A call
// without a deadline of its own gets Config.Timeout. When the connection ends,
// every pending call fails at once with an error that matches
// ofgroup.ErrDisconnected.
//
// # Concurrency
//
// All methods may be called from any number of goroutines. Messages of one
// goroutine reach the switch in the order of its calls; a call is encoded
// before it waits, so nothing the caller does afterwards changes what is sent.
// No lock is held during input, output or a callback, and the goroutine that
// reads never waits for anybody: what nobody waits for, such as an answer that
// came after its caller gave up, is dropped and counted, and events wait in a
// bounded queue for a goroutine of their own (see Events).
//
// One caller who sends again and again, alone, reads his answers himself, for he would
// have to be woken else. For whoever sends now and then nothing is different; between two
// calls of such a row events can be late, by a millisecond at the most.
package ofconn
