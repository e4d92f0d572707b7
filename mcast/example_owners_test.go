package mcast_test

import (
	"fmt"
	"net/netip"
	"time"

	"github.com/ofmcast/ofmcast/mcast"
)

// A configured membership and one that hosts report are held apart: the port is
// a member while either is there.
func ExampleOwner() {
	cache := mcast.New(mcast.Config[string]{})
	group := mcast.Group{Addr: netip.MustParseAddr("239.1.1.1")}
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	configured := mcast.Join(group, "port1", start)
	configured.Owner = mcast.Owner{Kind: mcast.Static, ID: "configuration"}
	for _, report := range []mcast.Report[string]{configured, mcast.Join(group, "port1", start)} {
		if err := cache.Apply(report); err != nil {
			fmt.Println(err)
		}
	}
	for _, m := range cache.Memberships(group) {
		fmt.Println(m.Owner.Kind, m.Owner.ID, "for ever:", m.TimeLeft() == mcast.Forever)
	}

	cache.Advance(start.Add(time.Hour)) // the hosts fell silent long ago
	state, _ := cache.Lookup(group)
	fmt.Println(state)
	cache.RemoveOwner(configured.Owner) // which is no longer configured
	_, ok := cache.Lookup(group)
	fmt.Println("still there:", ok)
	// Output:
	// static configuration for ever: true
	// learned  for ever: false
	// 239.1.1.1 port1:EXCLUDE{}
	// still there: false
}

// What another node tells of its members lives for a lease, which each further
// report renews: a node that is cut off is forgotten without anybody saying so.
func ExampleReport_lease() {
	cache := mcast.New(mcast.Config[string]{})
	group := mcast.Group{Addr: netip.MustParseAddr("239.1.1.1")}
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	told := mcast.Join(group, "tunnel-to-node2", start)
	told.Owner = mcast.Owner{Kind: mcast.Remote, ID: "node2"}
	told.Lease = 30 * time.Second
	for range 3 { // node2 says so every ten seconds
		if err := cache.Apply(told); err != nil {
			fmt.Println(err)
		}
		told.At = told.At.Add(10 * time.Second)
	}
	end, _ := cache.Next()
	for ok := true; ok; { // then it is silent
		cache.Advance(end)
		if _, there := cache.Lookup(group); !there {
			fmt.Println("forgotten after", end.Sub(start))
			return
		}
		end, ok = cache.Next()
	}
	// Output: forgotten after 50s
}
