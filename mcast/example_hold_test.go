package mcast_test

import (
	"fmt"
	"net/netip"
	"time"

	"github.com/ofmcast/ofmcast/mcast"
)

// While the switch is away no query gets out and no report comes in. That is no
// reason to forget anybody; afterwards everybody can be asked first.
func ExampleCache_HoldAging() {
	cache := mcast.New(mcast.Config[string]{})
	group := mcast.Group{Addr: netip.MustParseAddr("239.1.1.1")}
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	if err := cache.Apply(mcast.Join(group, "port1", start)); err != nil {
		fmt.Println(err)
	}

	cache.HoldAging(true) // the connection is lost
	cache.Advance(start.Add(time.Hour))
	state, _ := cache.Lookup(group)
	fmt.Println("after an hour:", state)

	cache.HoldAging(false) // it is back; a general query goes out
	cache.Advance(start.Add(time.Hour))
	for _, m := range cache.Memberships(group) {
		fmt.Println("time to answer:", m.TimeLeft())
	}
	// Output:
	// after an hour: 239.1.1.1 port1:EXCLUDE{}
	// time to answer: 11s
}

// During a change of everything at once, an upgrade or a move, nobody shall be
// cut off by a leave that was lost on its way or by a query that was.
func ExampleCache_Freeze() {
	cache := mcast.New(mcast.Config[string]{
		Leave: func(string) mcast.LeavePolicy { return mcast.Immediate },
	})
	group := mcast.Group{Addr: netip.MustParseAddr("239.1.1.1")}
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	apply := func(r mcast.Report[string]) {
		if err := cache.Apply(r); err != nil {
			fmt.Println(err)
		}
	}
	apply(mcast.Join(group, "port1", start))

	cache.Freeze(true)
	apply(mcast.Join(group, "port2", start.Add(time.Second)))
	apply(mcast.Leave(group, "port1", start.Add(2*time.Second)))
	cache.Advance(start.Add(time.Hour))
	state, _ := cache.Lookup(group)
	fmt.Println("frozen: ", state)

	cache.Freeze(false)
	thaw := start.Add(time.Hour)
	cache.Advance(thaw)
	apply(mcast.Join(group, "port2", thaw.Add(3*time.Second))) // answers the query that goes out now
	cache.Advance(thaw.Add(11 * time.Second))
	state, _ = cache.Lookup(group)
	fmt.Println("thawed: ", state)
	// Output:
	// frozen:  239.1.1.1 port1:EXCLUDE{} port2:EXCLUDE{}
	// thawed:  239.1.1.1 port2:EXCLUDE{}
}
