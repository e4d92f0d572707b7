package mcast_test

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"time"

	"github.com/ofmcast/ofmcast/mcast"
)

// A port of a virtual machine is one host, so its leave may count at once.
// Behind an uplink there may be other hosts, who are asked first.
func ExampleLeavePolicy() {
	cache := mcast.New(mcast.Config[string]{
		Leave: func(port string) mcast.LeavePolicy {
			if strings.HasPrefix(port, "vm") {
				return mcast.Immediate
			}
			return mcast.QueryEach
		},
	})
	group := mcast.Group{Addr: netip.MustParseAddr("239.1.1.1")}
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, report := range []mcast.Report[string]{
		mcast.Join(group, "vm1", start),
		mcast.Join(group, "uplink", start),
		mcast.Leave(group, "vm1", start.Add(time.Second)),
		mcast.Leave(group, "uplink", start.Add(time.Second)),
	} {
		if err := cache.Apply(report); err != nil {
			fmt.Println(err)
		}
	}
	state, _ := cache.Lookup(group)
	fmt.Println("after the leaves:", state)

	cache.Advance(start.Add(time.Second).Add(mcast.Timing{}.LMQT()))
	_, ok := cache.Lookup(group)
	fmt.Println("after the silence:", ok)
	// Output:
	// after the leaves: 239.1.1.1 uplink:EXCLUDE{}
	// after the silence: false
}

// A port that was deleted is asked nothing, and what was on its way from it
// when it went is not believed.
func ExampleCache_RemoveMember() {
	cache := mcast.New(mcast.Config[string]{})
	group := mcast.Group{Addr: netip.MustParseAddr("239.1.1.1")}
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	if err := cache.Apply(mcast.Join(group, "port1", start)); err != nil {
		fmt.Println(err)
	}
	gone := start.Add(time.Minute)
	cache.RemoveMember("port1", gone)

	err := cache.Apply(mcast.Join(group, "port1", gone.Add(-time.Millisecond)))
	fmt.Println("late report refused:", errors.Is(err, mcast.ErrRemoved))
	err = cache.Apply(mcast.Join(group, "port1", gone.Add(time.Second))) // the port's next life
	fmt.Println("new report:", err)
	// Output:
	// late report refused: true
	// new report: <nil>
}
