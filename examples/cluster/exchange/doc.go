// Package exchange shares multicast memberships between nodes through a message bus: the key-value
// store of NATS JetStream. Each node publishes under a prefix of its own what its own members want,
// and takes in from everybody else's what the others want, as reports of a remote owner.
//
// It is two buckets. In one a key is a node, a segment and a group, and its value the merged filter of
// that node's members: "EXCLUDE", "EXCLUDE 192.0.2.1", "INCLUDE 192.0.2.1 192.0.2.2". It is written when
// it changes and deleted with the last member. In the other a key is a node: its lease, which the node
// renews and the engine lets go when it does not. What a node has written counts as long as its lease is
// heard. Who is silent is measured here, from one renewal to the next, so that clocks may differ as they
// like. Only how old a lease was that is found at the start is the engine's word, by its own clock.
//
// While the engine is away the last known state stays, and local memberships know nothing of it. When
// it is back every node writes anew what it has, so that even an engine that lost everything is filled
// again before anybody forgets anything.
package exchange
