package mcast_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"github.com/ofmcast/ofmcast/mcast"
)

// A status page shows what is there with its timers, and what was counted.
func ExampleCache_Memberships() {
	cache := mcast.New(mcast.Config[string]{Limits: mcast.Limits{GroupsPerMember: 1}})
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	group := mcast.Group{Addr: netip.MustParseAddr("239.1.1.1"), Segment: 10}
	other := mcast.Group{Addr: netip.MustParseAddr("239.1.1.2"), Segment: 10}
	for _, g := range []mcast.Group{group, other} {
		err := cache.Apply(mcast.Report[string]{
			Group: g, Member: "port1", Kind: mcast.AllowNewSources, At: start,
			Sources: []netip.Addr{netip.MustParseAddr("192.0.2.1")},
		})
		if errors.Is(err, mcast.ErrLimit) {
			fmt.Println(g, err)
		}
	}
	cache.Advance(start.Add(10 * time.Second))
	for _, m := range cache.Memberships(group) {
		line, err := json.Marshal(m)
		if err != nil {
			fmt.Println(err)
		}
		fmt.Printf("%s\n", line)
	}
	st := cache.Statistics()
	fmt.Println(st.Reports, "reports,", st.Joins, "joined,", st.RefusedLimit, "refused")
	// Output:
	// 239.1.1.2@10 mcast: apply: groups of the member: over the limit
	// {"group":"239.1.1.1","segment":10,"member":"port1","mode":"INCLUDE","sources":[{"addr":"192.0.2.1","left":"4m20s"}],"age":"10s"}
	// 2 reports, 1 joined, 1 refused
}
