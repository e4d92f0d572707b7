package mcast_test

import (
	"context"
	"fmt"
	"net/netip"
	"time"

	"github.com/ofmcast/ofmcast/mcast"
)

// The main path: reports go in with their time, a sink hears what changed.
// Nothing here waits: time is what Advance says it is.
func Example() {
	cache := mcast.New(mcast.Config[string]{})
	print := mcast.SyncFunc[string](func(_ context.Context, s mcast.State[string]) error {
		for member, change := range s.Changes() {
			fmt.Println(s.Group(), member, change.Kind, change.New)
		}
		return nil
	})
	if _, err := cache.AddSink("print", print, mcast.SinkConfig{}); err != nil {
		panic(err)
	}

	ctx := context.Background()
	group := mcast.Group{Addr: netip.MustParseAddr("239.1.1.1")}
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	cache.Apply(mcast.Join(group, "port1", start))
	cache.Apply(mcast.Join(group, "port2", start.Add(time.Second)))
	cache.Flush(ctx)

	// port1 leaves; nobody behind it answers within two seconds.
	cache.Apply(mcast.Leave(group, "port1", start.Add(10*time.Second)))
	cache.Advance(start.Add(12 * time.Second))
	cache.Flush(ctx)

	// port2 falls silent.
	for next, ok := cache.Next(); ok; next, ok = cache.Next() {
		cache.Advance(next)
		cache.Flush(ctx)
	}
	// Output:
	// 239.1.1.1 port1 joined EXCLUDE{}
	// 239.1.1.1 port2 joined EXCLUDE{}
	// 239.1.1.1 port1 left INCLUDE{}
	// 239.1.1.1 port2 left INCLUDE{}
}
