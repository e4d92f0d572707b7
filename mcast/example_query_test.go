package mcast_test

import (
	"context"
	"fmt"
	"net/netip"
	"time"

	"github.com/ofmcast/ofmcast/mcast"
)

// Another router is the querier of this segment: leaves are its affair, and its
// specific queries are what lowers our timers.
func ExampleCache_QuerySeen() {
	cache := mcast.New(mcast.Config[string]{Timing: mcast.Timing{NonQuerier: true}})
	group := mcast.Group{Addr: netip.MustParseAddr("239.1.1.1")}
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	left := func(when string) {
		for _, m := range cache.Memberships(group) {
			fmt.Println(when, m.Member, m.TimeLeft())
		}
	}
	for _, report := range []mcast.Report[string]{
		mcast.Join(group, "port1", start),
		mcast.Leave(group, "port1", start.Add(10*time.Second)),
	} {
		if err := cache.Apply(report); err != nil {
			fmt.Println(err)
		}
	}
	cache.Advance(start.Add(10 * time.Second))
	left("after the leave:")
	cache.QuerySeen(mcast.SeenQuery{Group: group, MaxResponse: time.Second, At: start.Add(11 * time.Second)})
	cache.Advance(start.Add(11 * time.Second))
	left("after the query:")
	// Output:
	// after the leave: port1 4m20s
	// after the query: port1 2s
}

// querier is in the place of igmp/querier here: it says which timing is in
// force, and cache.SetTiming is where that goes.
// Whoever runs the querier says which timing is in force, here a quick one of
// ours; with package igmp/querier its OnChange does.
func ExampleCache_SetTiming() {
	cache := mcast.New(mcast.Config[string]{
		Query: func(_ context.Context, q mcast.QueryRequest[string]) error {
			fmt.Println("ask", q.Member, "about", q.Group, "within", q.MaxResponse)
			return nil
		},
	})
	quick := mcast.Timing{RV: 2, QI: 20 * time.Second, QRI: 2 * time.Second, LMQI: 500 * time.Millisecond, LMQC: 1}
	cache.SetTiming(quick)
	fmt.Println("silence ends a membership after", quick.GMI())

	group := mcast.Group{Addr: netip.MustParseAddr("239.1.1.1")}
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, report := range []mcast.Report[string]{
		mcast.Join(group, "port1", start),
		mcast.Leave(group, "port1", start.Add(time.Second)),
	} {
		if err := cache.Apply(report); err != nil {
			fmt.Println(err)
		}
	}
	cache.Advance(start.Add(time.Second))
	if err := cache.Flush(context.Background()); err != nil {
		fmt.Println(err)
	}
	// Output:
	// silence ends a membership after 44s
	// ask port1 about 239.1.1.1 within 500ms
}
