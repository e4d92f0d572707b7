// Package mroute is multicast routing by the Linux kernel: which streams it forwards from which interface to which, and
// which groups this host joins to get them.
//
// # The model
//
// The kernel forwards multicast; a program tells it what. The two talk through one raw IGMP socket, and there is one such
// program for each multicast routing table of a network namespace. When the socket is closed the kernel forgets all that
// it was told.
//
// The kernel knows up to 32 virtual interfaces, VIFs: an interface of the host takes part when it was given a VIF number.
// Only packets that arrive at an interface with a VIF are routed, and only they cause upcalls. [VIF] is that number;
// [IfIndex] is the interface's index, another number.
//
// What is forwarded stands in the multicast forwarding cache (MFC), one entry for a source and a group, the (S,G) of
// [SG]: the VIF where the packets must arrive, and the VIFs where they leave, each with a TTL threshold. A packet
// leaves if its TTL, as it arrived, is above the threshold, and one with TTL 1, which is what a sender's socket gives
// its packets when nobody asks for more, is never forwarded. An entry without outgoing VIFs is a negative entry: it says
// that the packets are known and nobody wants them.
//
// The kernel tells its program what it does not know, in upcalls: [NoCache], a packet for which there is no entry (the
// kernel keeps the first few for some seconds and sends them on when the entry is made); [WrongVIF], a packet that
// arrived at another VIF than its entry says. It never tells that a stream has ended: counters of packets show that.
//
// # What is here
//
// [Socket] is the routing socket: VIFs, routes, counters, upcalls. It keeps books, and so refuses what the kernel takes
// silently: a route to a VIF that is not there, or a VIF number with a new owner while routes still name it.
//
// [Joiner] joins groups on outer interfaces, so that the network beyond sends them here. It needs no routing socket.
//
// [Router] decides by a policy of the caller's. It asks the policy where a new stream shall leave, and answers every
// upcall, with a negative entry if nobody wants the stream; asks again on [Router.Refresh], when receivers come and go;
// follows interfaces by name; and removes entries that get no more packets:
//
//	s, err := mroute.Open(mroute.Config{})
//	r, err := mroute.NewRouter(s, mroute.RouterConfig{Inputs: []string{"eth0"}, Policy: where})
//	go r.Run(ctx)
//	…
//	err = r.Refresh(ctx, group) // where() has another answer now
//
// What a Router does with a stream that arrives at two interfaces: it stays where it was, as long as packets come there.
// When none came for 3 seconds, while they did elsewhere, and the policy lets the stream come from there, it moves.
//
// # Silent failures
//
// Some things keep packets away without any upcall or counter: net.ipv4.conf.*.rp_filter without a route back to the
// source, a table other than the default without its rule ([Socket.AddRule]), senders with TTL 1, which are counted but
// not forwarded. [Check] finds them.
//
// # Systems
//
// All this is Linux's. Elsewhere the package compiles, ParseMessage works, and Open and Set return an error that is
// errors.ErrUnsupported. IPv4 only: an IPv6 address is refused with such an error too, until MRT6 is written.
package mroute
