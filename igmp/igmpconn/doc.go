// Package igmpconn connects a Linux interface to package igmp: it reads the IGMP frames that pass there, whoever they
// are for, and sends the frames that igmp/querier renders. It decides nothing; frames go to an igmp/snooper or an
// igmp.Decoder, and what a querier returns goes to Send.
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
// # Privileges
//
// CAP_NET_RAW in the network namespace of the interface. CAP_NET_ADMIN, where it is there, makes room for bursts
// beyond the limit net.core.rmem_max. Without, Listen fails with an error that is os.ErrPermission. Elsewhere than on
// Linux it fails with errors.ErrUnsupported.
package igmpconn
