// Package snooper reads what passes through a switch and says what it means for multicast: which host behind which port
// wants which group, behind which ports routers are, and where each frame must go (RFC 4541). It keeps the router
// ports; memberships it only reports, one record at a time, to whoever keeps them.
//
// # The model
//
// Give every frame, its port and the time to Frame:
//
//	s := snooper.New(snooper.Config{})
//	r := s.Frame(port, frame, at)
//	for _, rec := range r.Records { … } // joins, leaves, answers to queries
//	if r.Query != nil { … }             // an election and timers want to know
//	switch r.Forward { … }              // where the frame goes
//
// One frame in, four answers out:
//
//	                    ┌→ Records   joins, leaves, answers: to a membership cache
//	port, frame, time ──┼→ Query     to a querier's election and the cache's timers
//	      Frame         ├→ Forward   where the switch shall send the frame, with RouterPorts
//	                    └→ Verdict   what was done with it and why, which Counters count
//
// # Time, memory and concurrency
//
// A Snooper is a state machine. It has no socket, no goroutine and no clock: time is an argument of [Snooper.Frame] and
// [Snooper.Advance], and [Snooper.Next] says when Advance has something to do. So a capture replays at any speed with
// the right expiries. A Snooper is for one goroutine at a time; a [Result], with its records and their sources, is valid
// until the next call, and the frame is not kept. A frame costs no allocation, but for the first ones of a port or a
// router, which are remembered within [Limits] and Config.MaxRouterPorts.
//
// # Records
//
// All versions come in one shape, that of the IGMPv3 record. A v1 or v2 report reads as IS_EX{}, a leave as TO_IN{};
// Record.Version tells them apart (RFC 9776 7.3.2). A v3 leave is TO_IN{}, or IS_IN{}. A malformed report gives no
// record at all; a record that is ignored takes none of its frame's others with it. Ignored are
//
//   - groups in 224.0.0.0/24, never pruned and so never tracked; 224.0.1.0 and up are groups like any other
//   - groups that are not multicast
//   - in the source-specific range, all that asks for "any source": v1 and v2 messages, IS_EX and TO_EX (RFC 4604 2.2)
//   - record types that do not exist (RFC 9776 4.2.13)
//   - what Config.Limits has no room for, and what Config.Validator does not allow
//
// Sources that no packet can come from are left out of the lists. Whether the reporting host is alone behind its port
// is not known here; Record.Host is information.
//
// # What is let in
//
// What is malformed, the codec says. Config.Checks is about messages that are whole but wrong: TTL, Router Alert,
// destination, source. By default a message counts whatever its TTL, with or without Router Alert, from every host's
// address or none, because real hosts and switches get these wrong, or have leave to. Not let in are what would move
// timers of members that did not hear it, or may come from far away at no cost:
//
//   - a general query to another address than 224.0.0.1; one for a group to neither the group nor 224.0.0.1
//   - a leave to neither 224.0.0.2 nor its group
//   - router discovery to another address than 224.0.0.106
//   - anything from a multicast or broadcast address
//
// StrictChecks asks for all that a sender has to send. Config.Limits bound what one port can cause, by default far
// above what healthy ports need; the number of groups that a port may have is for whoever keeps the memberships to
// bound. A Validator, of the caller's, allows or drops single records, or turns them into leaves.
//
// What is not let in is not forwarded either: a forged leave shall start no last-member query in a router. But a report
// is one frame, and goes to the router ports if any of its records was taken as it was.
//
// # Router ports
//
// A port leads to a router, in the VLAN of the frame, for some time after one of these came from it:
//
//   - a query, unless from 0.0.0.0 (RFC 4541 2.1.1(1)): 255 s, or longer if a v3 query says that the next may be later
//   - a PIM hello: its holdtime; a holdtime of 0 takes back what hellos said
//   - a router advertisement (RFC 4286): three of its intervals; a termination takes back all that its sender showed
//   - DVMRP or PIM version 1: 255 s
//
// Each sign of each router counts by itself, so that one router's goodbye does not cut off the other behind the same
// port. RouterPorts has the ports, with those that have the role Router. Reports and leaves go to them alone; so does a
// group's data, beside the members. Queries and messages of unknown types go everywhere, broken frames nowhere.
//
// # Roles
//
// What to believe depends on the port. Auto believes what looks like a router. Member believes no such thing: an agent
// gives it to every port that it knows nothing of, so that no tenant becomes querier or draws all multicast. Router is
// one without a sign. Trusted is Auto beyond Config's limits on numbers.
//
// # Limits and security
//
// Any host may be hostile, and what it can cause is bounded per port: reports and signs of a router by rates of their
// own, so that no flood of the ones hides the others; records of a report and sources of a record by number; router
// ports in all. What is over a limit is counted and disturbs nothing that was there. Frames are read by package igmp,
// which neither panics nor allocates for them. What the standards leave open to forgery is closed by the role Member,
// and by a Validator for the groups that somebody may have.
//
// # Nothing is dropped silently
//
// Every frame and every record has exactly one [Verdict], and [Counters] has a number for each. There are no errors: what
// is broken, foreign or not allowed is an answer too.
//
// # Wiring
//
// An agent has one Snooper for a switch, on the goroutine that reads its packets:
//
//	s := snooper.New(snooper.Config{})
//	s.SetRole(uplink, snooper.Auto) // and Member for every other port
//	for p := range packets {
//		r := s.Frame(p.Port, p.Frame, p.At)
//		for _, rec := range r.Records {
//			err := cache.Apply(mcast.Report[Member]{
//				Group:  mcast.Group{Addr: rec.Group, Segment: uint32(rec.VLAN)},
//				Member: Member{rec.Port, rec.VLAN}, Kind: mcast.Kind(rec.Kind), Sources: rec.Sources,
//				Version: rec.Version, At: rec.At,
//			})
//			…
//		}
//		if q := r.Query; q != nil && q.General() {
//			querier.HandleQuery(…)
//		}
//		// send the frame on where r.Forward says; call s.Advance at s.Next
//	}
//
// A port that is deleted is told to [Snooper.RemovePort], and to the cache. [Snooper.Generation] says at a glance whether
// router ports have changed.
//
// # What it does not do
//
// It keeps no memberships and no hosts, sends nothing, and does not touch the switch. It does not suppress or merge
// reports: IGMPv3 has no use for that, and the router ports get each as it is. It reads no MLD; IPv6 is ForwardNormal.
package snooper
