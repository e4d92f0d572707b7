// Package modeltest has no code but tests. They play random histories into a
// mcast.Cache and, side by side, into a second implementation of what mcast
// promises: slow, obvious, and written from the tables of RFC 9776 section 6
// and the contract of package mcast, with nothing of that package but its
// exported types. After every step, and one nanosecond before everything that
// the cache says is due, both must be the same: members and filters, timers,
// forwarding, the queries that go out and when, and what each sink is told
// and when.
//
// The directory mutants has faults, as patches, that these tests must find:
// `make mutate`.
package modeltest
