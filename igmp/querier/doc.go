// Package querier decides when IGMP queries are sent on a link, and what is in them: the general queries that keep
// memberships alive, and the specific ones that a leave calls for (RFC 9776 6.6, 8). It listens for other queriers and
// is silent while one with a lower address is there. Memberships it does not know: a cache keeps those.
//
// # The model
//
// A Querier is a state machine. It has no socket, no goroutine and no clock: time is an argument, Next says when
// Advance has something to do, and what has to be sent comes back as whole Ethernet frames:
//
//	q, err := querier.New(querier.Config{MAC: mac, Addrs: []netip.Addr{addr}})
//	for _, frame := range q.Advance(now) { … } // send it, then sleep until q.Next()
//	q.HandleQuery(querier.Heard{…})             // a query came in
//	frames, err := q.Specific(group, sources, suppress, maxResp)
//
//	general queries heard → HandleQuery ┐              ┌→ Advance → frames to the members, at Next
//	addresses of the link → SetAddrs    ┼── Querier ───┼→ Specific → frames about one group
//	the switch came back  → Restart     ┘              └→ OnChange → timing in force, to the cache
//
// It is for one goroutine at a time, reads no clock and keeps nothing that it was given. Frames are handed out in
// memory of the Querier, valid until the next call of Advance or Specific. One Querier is for one link, which is one
// VLAN: several VLANs have several Queriers, each with its tags in Config.VLANs, and a query heard goes to the one of its
// VLAN. Where a frame goes is the sender's to know; from a switch it should be the member ports.
//
// # General queries
//
// The first Advance sends one, and RV of them in all come QI/4 apart, so that one that is lost does no harm; from then
// on they come QI apart (RFC 9776 8.6, 8.7, 8.2): by default at 0, 31.25, 156.25, 281.25 s. Nothing but the election,
// a new address and Restart changes that rhythm, on which other devices build their timers; reports and leaves are no
// input at all. An Advance that comes late sends one query, not all that were missed.
//
// # Election
//
// The router with the lowest address queries (RFC 9776 6.6.2). Everybody begins as querier; who hears a general query
// from a lower address than its own is silent from then on, for as long as such queries come. When none came for
// RV x QI + QRI/2, 255 s by default (8.5), it takes over, and sends a general query at once. Specific queries are not
// counted, nor are queries from 0.0.0.0 (RFC 4541 2.1.1), nor our own, which are known by exact match with all of
// Config.Addrs. A query from an address that no host can have is ignored.
//
// Who is not the querier uses the querier's RV and QI (RFC 9776 4.1.6, 4.1.7), bounded because they rule over our
// timers and anybody can send them: RV 1 to 7, QI 1 s to 600 s or our own if that is more. 0 means "not told": our
// own. So that answers in time are never taken for late, QRI is the querier's Max Resp Time where that is longer than
// our own, QI at most; the RFC leaves this open. Version 1 and 2 queries tell no RV and QI and change neither. With
// the takeover our own values are back. State has the values in force, OnChange tells of changes.
//
// # Proxy mode
//
// With the address 0.0.0.0 a Querier fills in where no router queries, as a switch without an address does (RFC 4541
// 2.1.1). It sends as any querier does, and takes part in no election: the general query of any router silences it,
// until it has not been heard for the same interval. Routers do not take its queries for a querier's. Send them to
// member ports only: some switches yield to 0.0.0.0, though they should not.
//
// # Versions
//
// One version is on the wire, 3 by default. Hosts of every version answer its queries, so 1 and 2 are wanted only where
// a router on the link knows nothing newer: then the lowest version must be used by all, and nobody but the
// administrator can know it (RFC 9776 7.3.1). So a query heard never changes the version that is sent. One of a version
// that is not ours is logged as a warning, at most one every ten minutes for each version, specific ones too, because
// a single older query makes hosts fall back.
//
// In version 2 there are no sources: a group-and-source-specific query goes out as a group-specific one, which asks for
// more and loses nothing. In version 1 there are no specific queries and leaves must be ignored (7.3.1); Specific then
// fails with ErrNoSpecific, and Timing.NonQuerier is set, which makes a cache leave leaves alone. Hosts take 10 s to
// answer it, so QRI is at least that.
//
// Versions 1, 2 and 3 together are for parity with agents in the field: each general query is sent once in each, and
// IGMPv3 hosts then speak version 1, without leaves and without filters. New warns. Specific queries are sent in the
// newest version of those alone.
//
// # Specific queries
//
// One call is one transmission, split where the sources do not fit the MTU. The cache that runs the timers behind the
// S flag schedules them, and knows from Timing.NonQuerier when there are none to be sent; Specific refuses with
// ErrNotQuerier what was on its way when the election was lost.
//
// # Errors, limits, security
//
// [New], [Querier.SetAddrs] and [Querier.Specific] return an [*Error] that names the field, around a sentinel of this
// package or of igmp; then nothing has changed and there are no frames. HandleQuery has no errors: what makes no sense
// is counted ([Counters].HeardInvalid) and changes nothing.
//
// Whoever can send a query from a low address silences this querier, and can do so for ever: that is the protocol
// (RFC 9776 9.1). What can be done is done elsewhere, by not handing in queries of ports where no querier can be, as
// igmp/snooper's role Member does, and here by the bounds on the values that another querier tells. The state of a
// Querier has a fixed size, whatever it hears.
//
// # What it does not do
//
// It knows no memberships, repeats no specific query, sets no timers of members, and sends nothing by itself: it has no
// socket. It answers no queries as a host, and speaks no MLD.
//
// # Glue
//
// [Timing] has the fields of a membership cache's timing, so that glue is a conversion:
//
//	OnChange: func(s querier.State) { cache.SetTiming(mcast.Timing(s.Timing)) }
//
// and the initial one is q.State().Timing. A general query heard goes to HandleQuery; a specific one may, and goes to
// the cache's QuerySeen as well.
package querier
