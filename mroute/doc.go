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
// arrived at another VIF than its entry says. It never tells that a stream has ended: counters of packets show that, and
// only those of packets that came where they should.
//
// Beside (S,G) there are entries for any source, (*,G), and for any group too, (*,*): see [Route]. A namespace can have
// more than one multicast routing table, each with a program, VIFs and entries of its own: see [Config] and
// [Socket.AddRule].
//
//	a packet comes in ─→ kernel: a VIF? ─→ an entry, at its VIF? ─→ out, at each VIF below its TTL
//	                                │ no entry, or another VIF
//	                                ↓ upcall
//	            Socket.Read ─→ Router ─→ Policy: may it, and where to?
//	                                │ AddRoute, negative too         ↑ Refresh, when receivers
//	                                ↓                                │ come and go
//	                             kernel ─→ counters: does it flow still, or move, or end?
//
// # What is here
//
// [Socket] is the routing socket: VIFs, routes, counters, upcalls. It keeps books, and so refuses what the kernel takes
// silently: a route to a VIF that is not there, or a VIF number with a new owner while routes still name it. What the
// kernel really has is told by [Socket.Dump] and [Socket.VIFs], and what changes there by a [Monitor].
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
// Whoever has the right to can change the table behind the Router's back, as another daemon or a tool does. It hears of
// that, and makes everything again that was deleted or replaced. Entries that it did not make it leaves alone.
//
// # Time, concurrency, memory
//
// A [Socket], a [Joiner] and the methods of a [Router] may be used by any number of goroutines; one goroutine calls
// [Router.Run], and one [Monitor.Next]. All decisions of a Router are made by Run, one after the other, and the Policy is
// called there: it must not wait, nor call the Router. What waits for the kernel ends with its context, or with Close.
// Only Run, and [Check] while it listens, start goroutines, and have ended them when they return.
//
// Messages, dumps, entries and statuses own their memory. The books of a Socket grow with its routes, those of a Router
// with its streams, up to [RouterConfig].MaxEntries, beyond which new streams are refused and counted.
//
// Time is the system's: a Router looks at the counters every [RouterConfig].Tick, and the kernel repeats an upcall for a
// wrong interface at most every 3 seconds, so that a stream moves, and stale entries end, a tick or two late.
//
// The network namespace is that of the calling thread (runtime.LockOSThread, setns) where a Socket, a Router or a Monitor
// is made, or a Check; with a Joiner at each Set.
//
// # Restarts
//
// [Socket.Handover] gives the descriptor away without ending the routing, and [FromFile] makes a Socket of it, mostly in the
// next process: no packet is lost. A Router on such a Socket takes its routes over. While its policy learns again who wants
// what, [RouterConfig.KeepFor] keeps the streams flowing where they did:
//
//	cancel()                   // the Router's Run ends first: what it has read it has answered
//	f, err := s.Handover()     // to systemd's descriptor store, or to a child
//	…
//	s, err := mroute.FromFile(f, mroute.Config{})
//	r, err := mroute.NewRouter(s, mroute.RouterConfig{KeepFor: 5 * time.Minute, …})
//
// # Errors and what is counted
//
// Errors are [*Error], say what was done to what, and match a sentinel beside the kernel's error number: ErrInUse and
// syscall.EADDRINUSE both. What a kernel or a system does not have is errors.ErrUnsupported, what was closed is
// os.ErrClosed. A route or a join that the kernel refuses is an error of that call alone. What a Router is refused it
// tries again with each tick, logs, and counts.
//
// What is not handed out has a number: messages of the socket that are not understood in [Stats], upcalls that a Router
// did not act on, entries that were lost or became stale in [RouterStats], filters that had to be widened in
// [JoinerStats], packets at a wrong interface in [RouteCounters]. Upcalls that find no room in [Config].ReadBuffer are not
// counted by the kernel; it asks again with the next packet.
//
// # Security
//
// A stream's source address is what the sender says. rp_filter, the Policy's Reject and [RouterConfig].Boundaries are what
// keeps streams out; MaxEntries bounds how many of them somebody can invent, and negative entries, which cost an upcall
// only once, those that nobody wants. IGMP that comes on the socket is not checked: give it to a decoder.
//
// # Privileges
//
// A Socket needs CAP_NET_RAW for the raw socket, and CAP_NET_ADMIN for the routing, rules, and more room for upcalls than
// net.core.rmem_max; both in the user namespace that owns the network namespace. FromFile needs neither, nor do the
// descriptor's VIFs and routes: they are the right of its owner. Dumps, a Monitor, and a Joiner need no privileges.
//
// # Silent failures
//
// Some things keep packets away without any upcall or counter: net.ipv4.conf.*.rp_filter without a route back to the
// source, a table other than the default without its rule ([Socket.AddRule]), senders with TTL 1, which are counted but
// not forwarded. [Check] finds them.
//
// # What it does not do
//
// It speaks neither IGMP to hosts nor PIM to routers: who wants what is the Policy's to know, from a querier, a cache of
// memberships, or a configuration. It sets no sysctl, makes no address and no tunnel, and does not filter packets. A
// Joiner receives nothing: it makes the network send.
//
// # Systems
//
// All this is Linux's, 4.13 or newer for dumps, and so for FromFile; an older kernel is asked route by route. Elsewhere the
// package compiles, ParseMessage works, and Open, FromFile and Set return an error that is errors.ErrUnsupported. IPv4 only:
// IPv6 is refused with such an error too, until MRT6 is written; the types hold its addresses already.
package mroute
