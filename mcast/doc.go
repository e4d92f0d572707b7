// Package mcast knows who is a member of which multicast group, keeps that
// knowledge fresh by the rules for routers of RFC 9776 (IGMPv3, STD 100) and
// RFC 3810 (MLDv2), and pushes it into pluggable sinks.
//
// # The model
//
// Hosts report which groups they want, and from which sources. Nobody tells
// when a host is gone: a report is good for some minutes, and whoever wants to
// go on repeats it when asked. An agent that copies packets to members
// (OpenFlow groups, kernel routes, tunnels) needs the sum of all that, and
// needs it to be right after packets were lost, hosts died, the agent or the
// switch was restarted. So there are three parts:
//
//   - What was heard: a [Report], about one [Group], by one member. A member is
//     a value of a type of yours: what gets a copy of the packets, mostly a port
//     of a switch. The hosts behind it are of no matter: the last one that wants
//     a group keeps it.
//   - What is known: a [Cache], a filter and timers for each member of each
//     group. Each owner of a membership ([Owner]: hosts, a configuration,
//     another node) has its own, and a member is there while any of them is.
//   - What follows: a [Sink] is told the newest [State] of a group whenever it
//     has changed, until it says that it agrees.
//
// Data flows one way:
//
//	frame → igmp/snooper → Report → Apply ┐              ┌→ Sink.Sync   switch, routes
//	configuration, other nodes → Report → ┼─ Cache ──────┼→ Watcher     pages, logs
//	a port is deleted → RemoveMember ─────┘     ↑        └→ Config.Query, asks who leaves
//	                                     Advance, by a clock
//
// # Time
//
// A Cache is a state machine without sockets, goroutines or a clock of its
// own. Reports carry their time, [Cache.Advance] moves time, [Cache.Next] says
// when something is due. What the cache has to say to the world, specific
// queries and the calls of sinks, is said by [Cache.Flush] on the caller's
// goroutine (a replay, a test) or by [Cache.Run] on goroutines of its own and
// the clock of package time. So a capture of hours replays in a moment, with
// the right ends, and Run can be tested by testing/synctest.
//
// A report's time is when its packet was read, not when it is applied: it
// starts the timers, and says whether a port was deleted before or after. One
// that is older than the last Advance is taken all the same.
//
// [Timing] is the protocol's. It must be that of whoever queries the link: an
// agent with a querier of its own passes on what that says, by
// [Cache.SetTiming]. A membership lasts for RV x QI + 2 x QRI, 270 seconds by
// default, after its last report.
//
// # Concurrency
//
// Every method of a Cache, a [Handle] and a [Watcher] may be called from any
// goroutine, also from a sink or a callback, except where its comment says so.
// Config.Leave is called on the goroutine of Apply, Config.Query from one
// goroutine at a time, a sink by up to [SinkConfig].Workers at a time, never
// twice for one group; no lock is held meanwhile. Apply waits for nobody: not
// for a sink, nor a query, nor a watcher.
//
// [State], [Filter], [Event] and [Membership] are values that the cache does
// not touch any more: keep them, share them. What is passed in (the Sources of
// a report) is not kept.
//
// Whoever calls Run, or Flush, is the driver, one at a time. Run starts a
// goroutine for what there is to do and for no longer, and has ended them when
// it returns; a sink that does not come back when its context ends is named in
// a [StuckError] instead.
//
// # Memory and cost
//
// A refresh, which is nearly all that happens, allocates nothing and wakes
// nobody. A join or leave costs O(log n) of the group's members, its delivery
// included; the cost of an Advance follows what ends. A membership without
// sources takes about 150 bytes. A sink that does not keep up has, for each
// group, one thing to be told, however many changes there were.
//
// Groups, sources and often members are chosen by strangers. [Limits] bound
// them all, for one member too, and what is over a limit is refused and
// disturbs nothing that is there.
//
// # Errors
//
// What makes no sense, is over a limit, or comes from a member that has been
// removed is refused by Apply, with an [*Error] around [ErrInvalid],
// [ErrLimit] or [ErrRemoved]; a stranger can cause each, so log with care. The
// failure of a sink, or of Config.Query, is a [*SyncError]: Flush returns the
// first of them, Run logs it, and the sink is called again after a pause that
// doubles, from 5 seconds to 5 minutes. A sink that panics has failed.
//
// Nothing is dropped without a number: [Cache.Statistics] has a counter for
// each kind of refusal, what older hosts made mean nothing, failures, retries,
// calls that were not needed, events that nobody read in time, and for each
// sink what is pending and since when a call has been running.
//
// # Security
//
// A report is believed: whether its sender may have the group is decided before
// (igmp/snooper has checks and a Validator). What one member can do to others is
// bounded by the limits for a member: [Limits].GroupsPerMember,
// SourcesPerMember and TotalSourcesPerMember. [Immediate] leaves believe a
// leave of anybody behind the member, so they are for members with one host.
//
// # Wiring
//
// An agent makes one Cache, adds its sinks, and runs three loops:
//
//	cache := mcast.New(mcast.Config[Port]{Query: ask, Logger: log})
//	handle, err := cache.AddSink("ovs", sink, mcast.SinkConfig{PruneDelay: time.Minute})
//	go cache.Run(ctx)
//	// packets:   for each record of the snooper, cache.Apply(report(record))
//	// querier:   OnChange → cache.SetTiming; a query heard → cache.QuerySeen
//	// ports:     deleted → cache.RemoveMember(port, time.Now())
//	// switch:    lost → cache.HoldAging(true); back → handle.Resync(), ask, HoldAging(false)
//
// Kind has the numbers of the record types on the wire, and Timing the fields of
// igmp/querier's, so glue is a conversion. At a restart [Cache.Restore] takes in
// the [Snapshot] of the process before, hosts are asked, and
// [Cache.ExpireUnconfirmed] ends what did not answer. During an upgrade
// [Cache.Freeze] keeps everybody.
//
// Tests of a sink find recorders, and sinks that misbehave, in
// mcast/mcasttest.
//
// # What it does not do
//
// It reads no packets and sends none, has no querier and no election, and does
// not know what a port is. It keeps no state of single hosts: with IGMPv2 only
// the last one that reported says that it leaves. It does not write snapshots
// anywhere, and does not carry memberships to other nodes; it takes in what
// they say ([Remote], with a [Report].Lease).
//
// # Contract
//
// Each sentence has a number, and a test that bears it.
//
// Identity
//
//   - I1: A group is its address and its segment: the same address in two segments is two groups.
//   - I2: A member is one value of the host project's own type, and two values that compare equal are one member.
//   - I3: A group address given as IPv4 mapped into IPv6, or with a zone, is the plain address.
//   - I4: A report that makes no sense (no time, no multicast address, a source of the other family, an unknown kind) is refused with ErrInvalid and changes nothing.
//
// Membership
//
//   - M1: Every member of every group has a filter and timers of its own, by RFC 9776 section 6.4; the members of a group never share a timer.
//   - M2: The record MODE_IS_INCLUDE without sources is handled as CHANGE_TO_INCLUDE without sources: this is the one deviation from the RFC's tables.
//   - M3: A member is in EXCLUDE mode until its group timer ends, then in INCLUDE mode with the sources whose timers still run, and gone when there are none.
//   - M4: While a member has an IGMPv2 host behind it, BLOCK records and the source lists of CHANGE_TO_EXCLUDE records are ignored.
//   - M5: While a member has an IGMPv1 host behind it, leaves and CHANGE_TO_INCLUDE records are ignored too.
//   - M6: A membership nobody refreshes ends after RV x QI + 2 x QRI.
//   - M7: A report by a known member that changes nothing but timers allocates nothing and calls no sink.
//   - M8: What is over a limit is refused with ErrLimit, counted, and disturbs nothing that is there.
//
// Leaving
//
//   - L1: By default a member that leaves is queried LMQC times, LMQI apart, and gone LMQC x LMQI after its leave.
//   - L2: A report within that time keeps the member.
//   - L3: With Immediate a leaving member is gone at once and is not queried; with QueryLast it is so while other members remain.
//   - L4: Queries go out from Run or Flush only, never from Apply, and no lock is held then.
//   - L5: Whether a query went out or not, the member is gone at the same time; a query that failed is counted.
//   - L6: A query says with its S flag whether the timer it asks about has already been refreshed.
//   - L7: Queries of one member about one group that are due together are merged, and a leave that repeats itself does not start them again.
//   - L8: Unless we are the querier a leave changes nothing, and QuerySeen lowers timers; when we are, QuerySeen changes nothing.
//   - L9: While HoldAging holds, silence ends no membership, and afterwards every timer has at least QRI + 1 s; a leave still ends one.
//   - L10: While Freeze holds, neither silence nor a leave ends a membership, and afterwards every timer has at least QRI + 1 s; removals and the leaves of static owners still end one.
//
// Owners
//
//   - W1: A member is in a group while any owner holds it there, with the union of what its owners want.
//   - W2: What a static owner holds has no timer and ends only by its own leave, RemoveOwner or RemoveMember.
//   - W3: A leave by a static or remote owner takes effect at once: there is nobody to query.
//   - W4: RemoveOwner ends at once all that the owner holds, with one change a group.
//   - W5: What a remote owner holds with a lease ends that long after its last report instead of a membership interval.
//
// Removal
//
//   - R1: RemoveMember takes a member out of all its groups at once and without a query.
//   - R2: A report about a removed member that was made at the time of its removal or before is refused with ErrRemoved.
//   - R3: A report made after the removal is about a new member.
//   - R4: Memory for removals is bounded: when it is full, or a membership interval old, any report as old as the forgotten removal is refused.
//
// Order
//
//   - O1: Members come in the order of Config.Order, and without one, or where it says equal, in the order in which they joined the group.
//   - O2: The order of Members and of Forwarding stays the same while nothing changes.
//   - O3: Reports count in the order in which they are applied.
//   - O4: A State never changes, whatever happens to the cache after it was handed out.
//
// Delivery
//
//   - D1: A sink gets the newest state of a group, never a backlog.
//   - D2: What may be merged is changes of one group: any number of them between two calls is one call.
//   - D3: What is never merged is groups and sinks: each group has calls of its own, and each sink has its own pace and its own failures.
//   - D4: The first change of a group is due at once, further ones MinInterval after the last call began.
//   - D5: A sink is not called for what it cannot see: refreshed timers, or changes that undid each other.
//   - D6: Prev is the state of this sink's last success, and Changes are what happened since.
//   - D7: A group is never in two workers of one sink at a time.
//   - D8: A failed call is retried with the newest state after MinRetry, then twice that and so on up to MaxRetry, with jitter, until one succeeds.
//   - D9: A slow or failing sink delays no other, and failing groups do not starve a healthy one.
//   - D10: An emptied group is there until every sink that was handed it has succeeded with the empty state; a sink that was never handed it never hears of it.
//   - D11: When the faults end, the last success of each sink is what the cache holds.
//   - D12: A sink that panics, or ends its goroutine, has failed: that becomes the error of the call, and is counted.
//   - D13: Members that come and go in one group cost each O(log n) time and memory, delivery and Changes included.
//
// Late sinks
//
//   - S1: A sink added late sees every group there is.
//   - S2: After it was handed each of them once, Prune is called once with the groups that shall stay; no Sync of this sink runs meanwhile.
//   - S3: Resync forgets what the sink was told: it sees every group again, without Prev, then Prune once.
//   - S4: HasSynced is true from the end of that round on, until the next Resync.
//   - S5: A failed Prune is retried like a failed Sync.
//   - S6: After Handle.Remove has returned nil the sink is not called any more, and nothing waits for it.
//   - S7: The first Prune does not come before PruneDelay is over; meanwhile the sink is told everything as always.
//
// Restart
//
//   - T1: Snapshot has every membership of every owner with what its timers have left, and Restore lets them go on with that: the time between does not count.
//   - T2: A restored timer has at least QRI + 1 s, so that a query can be answered first, and at most a membership interval; a static one still has none.
//   - T3: Members keep their order and their age.
//   - T4: A restored membership is unconfirmed until a report about it is taken in, and ExpireUnconfirmed ends those that are; a check of a leave is not carried on.
//   - T5: Restore gives each member the name that remap says, or drops it.
//   - T6: What the cache knows is newer than a snapshot and stays; of a member that was removed nothing is restored.
//   - T7: A snapshot of which anything cannot be is refused with ErrSnapshot and changes nothing.
//   - T8: Limits hold for what is restored: what is over one is left out and counted.
//   - T9: A snapshot comes out of its encoding as it went in; one that was cut short, altered or written by another version is refused with ErrSnapshot.
//
// Events
//
//   - E1: A watcher is told of every change of a member that a sink could see, as it happens and in that order, whether or not there are sinks and anything runs.
//   - E2: An event says how a membership ended, by a leave, by silence or by a removal, and by whose: for a member whom others still hold it is a change of its filter or nothing.
//   - E3: An event has the time of its report or removal, or that of the end of the timer, however late that is found; what is found together of one member is one event, and the last timer says when and how.
//   - E4: A watcher keeps the newest events up to its size: a slow reader loses the oldest, and the next event says how many.
//   - E5: No watcher delays the cache or another watcher; watched or not, changes allocate the same, and refreshes nothing.
//   - E6: After Watch and then Groups nothing is missing: the events carry what Groups has shown on to what the cache holds.
//   - E7: Every watcher is told everything, and each of its events goes to one reader.
//   - E8: What happened before Close can be read after it, then there is ErrClosed, and nobody waits any more.
//
// Close
//
//   - C1: Run ends when its context does, cancels the calls under way and returns nil after they have ended.
//   - C2: When they do not end within StopGrace it returns a StuckError that names the sinks.
//   - C3: Only one Run or Flush is at work at a time: another returns ErrRunning.
//   - C4: After Run has ended, what was not delivered is still due: another Run or Flush goes on.
//   - C5: Without Run, everything happens on the goroutine that calls Flush, in the same order every time.
package mcast
