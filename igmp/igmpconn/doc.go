// Package igmpconn connects a Linux interface to package igmp: it reads the IGMP frames that pass there, whoever they
// are for, and sends the frames that igmp/querier renders. It decides nothing; frames go to an igmp/snooper or an
// igmp.Decoder, and what a querier returns goes to Send.
//
// # The model
//
//	Read ← packet socket, filtered in the kernel ←──────── wire
//	Send ─→ raw IP socket: untagged, with a source ──────→ wire
//	     └→ packet socket: with VLAN tags, or 0.0.0.0 ───→ wire
//
// A [Conn] is one interface. [Conn.Read] and [Conn.Send] may be called from any number of goroutines at the same time,
// and so may [Conn.Close], which ends both; no goroutine runs behind them. A [Frame] belongs to who has read it, and a
// frame that was sent is not kept.
//
//	conn, err := igmpconn.Listen("eth0", igmpconn.Config{})
//	if err != nil { … }
//	defer conn.Close()
//	for {
//		frame, err := conn.Read(ctx)
//		…
//		snooper.Frame(port, frame.Data, frame.At)
//	}
//
// # Reading
//
// Frames come through a packet socket (packet(7)), because a raw IGMP socket is not given reports for groups that
// nobody on this host has joined. A filter in the kernel lets pass IGMP, and PIM hellos, by which a snooper knows
// routers; in at most two VLAN tags. The interface is asked to receive all multicast for as long as the Conn is open.
// VLAN tags, which the kernel takes off, are put back, so a frame is as it was on the wire: on an interface that
// carries VLANs look at the tags before a frame is taken for one of the untagged link. What this host sends itself is
// left out, or with Config.Outgoing read and marked.
//
// # Sending
//
// Frames go out through a raw IP socket: the kernel makes the Ethernet header of the interface, and the IPv4 header is
// the frame's, with Router Alert, TTL and TOS, whatever the routing table says. With Config.Loop the host's own IGMP
// hears what is sent, and answers for the groups of its own programs. The kernel would put an address in place of the
// source 0.0.0.0, and knows no tags: frames with either, those of a querier in proxy mode or in a VLAN, go out through
// the packet socket as they are, and the host does not hear them.
//
// # Interfaces that come and go
//
// A Conn belongs to one interface, not to its name. While the interface is down, Read says so once with ErrDown and
// then waits until it is up again. When it is deleted, Read says ErrGone for good: close the Conn, and Listen again
// until there is an interface of that name.
//
// # Time and what is lost
//
// [Frame].At is the kernel's time of receipt with a monotonic reading, so it fits the time of timers and does not jump
// with the wall clock; hand it to the snooper, not the time at which the frame came to be looked at. Frames wait in the
// kernel, up to Config.ReadBuffer bytes. What finds no room there is lost and counted in [Stats].Dropped; queries bring
// back what it said.
//
// # Errors
//
// Every error is an [*Error] around a sentinel of this package, the kernel's error number, or what package igmp says of a
// frame, all found by errors.Is; but the end of a context is the context's error as it is. ErrDown and a refused Send are
// to be logged and gone on from, ErrGone and net.ErrClosed are the end of the Conn.
//
// # What it does not do
//
// It decodes nothing (Config.All reads what is no IGMP at all), joins no group, sets no address, and follows no name from
// one interface to the next. It is for Ethernet and IPv4.
//
// # Privileges
//
// CAP_NET_RAW in the network namespace of the interface. CAP_NET_ADMIN, where it is there, makes room for bursts
// beyond the limit net.core.rmem_max. Without, Listen fails with an error that is os.ErrPermission. Elsewhere than on
// Linux it fails with errors.ErrUnsupported.
package igmpconn
