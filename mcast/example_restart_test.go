package mcast_test

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"time"

	"github.com/ofmcast/ofmcast/mcast"
)

// An agent writes a snapshot to its state file now and then. The next one
// begins with it, by the names that ports have now, and ends what hosts have
// not confirmed after it has asked them.
func ExampleCache_Restore() {
	before := mcast.New(mcast.Config[string]{})
	group := mcast.Group{Addr: netip.MustParseAddr("239.1.1.1")}
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, port := range []string{"port1", "port2", "port3"} {
		if err := before.Apply(mcast.Join(group, port, start)); err != nil {
			fmt.Println(err)
		}
	}
	file, err := json.Marshal(before.Snapshot())
	if err != nil {
		fmt.Println(err)
		return
	}

	var state mcast.Snapshot[string]
	if err := state.UnmarshalJSON(file); err != nil { // ErrSnapshot, whatever has happened to the file
		fmt.Println("begin with nothing:", err)
	}
	after := mcast.New(mcast.Config[string]{})
	names := map[string]string{"port1": "port1", "port2": "port7"} // port3 is gone
	now := start.Add(time.Hour)
	done, err := after.Restore(state, now, func(port string) (string, bool) {
		name, ok := names[port]
		return name, ok
	})
	fmt.Println(done.Restored, "restored,", done.Dropped, "dropped,", err)

	if err := after.Apply(mcast.Join(group, "port7", now.Add(3*time.Second))); err != nil { // answers a query
		fmt.Println(err)
	}
	after.Advance(now.Add(11 * time.Second))
	after.ExpireUnconfirmed()
	for s := range after.Groups() {
		fmt.Println(s)
	}
	// Output:
	// 2 restored, 1 dropped, <nil>
	// 239.1.1.1 port7:EXCLUDE{}
}
