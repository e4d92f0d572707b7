package mcast_test

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
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
		fmt.Println(err)
		return
	}

	apply := func(r mcast.Report[string]) { // a refusal is counted too: a stranger's nonsense is nothing to die of
		if err := cache.Apply(r); err != nil {
			fmt.Println(err)
		}
	}
	flush := func() { // an error is a sink's, which is called again
		if err := cache.Flush(context.Background()); err != nil {
			fmt.Println(err)
		}
	}
	group := mcast.Group{Addr: netip.MustParseAddr("239.1.1.1")}
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	apply(mcast.Join(group, "port1", start))
	apply(mcast.Join(group, "port2", start.Add(time.Second)))
	flush()

	// port1 leaves; nobody behind it answers within two seconds.
	apply(mcast.Leave(group, "port1", start.Add(10*time.Second)))
	cache.Advance(start.Add(12 * time.Second))
	flush()

	// port2 falls silent.
	for next, ok := cache.Next(); ok; next, ok = cache.Next() {
		cache.Advance(next)
		flush()
	}
	// Output:
	// 239.1.1.1 port1 joined EXCLUDE{}
	// 239.1.1.1 port2 joined EXCLUDE{}
	// 239.1.1.1 port1 left INCLUDE{}
	// 239.1.1.1 port2 left INCLUDE{}
}

// Whoever leaves is asked first, and whoever falls silent ends too. Time is what Advance says it is.
func ExampleCache() {
	cache := mcast.New(mcast.Config[string]{}) // a member is a value of any type of yours
	cache.AddSink("print", mcast.SyncFunc[string](func(_ context.Context, s mcast.State[string]) error {
		for member, change := range s.Changes() {
			fmt.Println(s.Group(), member, change.Kind)
		}
		return nil
	}), mcast.SinkConfig{})
	group, now := mcast.Group{Addr: netip.MustParseAddr("239.1.1.1")}, time.Now()
	cache.Apply(mcast.Join(group, "port1", now))
	cache.Apply(mcast.Join(group, "port2", now))
	cache.Apply(mcast.Leave(group, "port1", now.Add(time.Second)))
	for next, ok := now, true; ok; next, ok = cache.Next() { // or cache.Run, by the clock
		cache.Advance(next)
		cache.Flush(context.Background())
	}
	// Output:
	// 239.1.1.1 port1 joined
	// 239.1.1.1 port2 joined
	// 239.1.1.1 port1 left
	// 239.1.1.1 port2 left
}

// Run does by itself what Flush does in the first example. This sink has only
// a function; it is called from goroutines of Run.
func ExampleCache_Run() {
	cache := mcast.New(mcast.Config[string]{})
	synced := make(chan string)
	_, err := cache.AddSink("chan", mcast.SyncFunc[string](func(_ context.Context, s mcast.State[string]) error {
		synced <- s.String()
		return nil
	}), mcast.SinkConfig{})
	if err != nil {
		fmt.Println(err)
		return
	}

	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- cache.Run(ctx) }()
	group := mcast.Group{Addr: netip.MustParseAddr("ff05::1:3"), Segment: 100}
	if err := cache.Apply(mcast.Join(group, "port1", time.Now())); err != nil {
		fmt.Println(err)
	}
	fmt.Println(<-synced)
	stop()
	fmt.Println(<-ended)
	// Output:
	// ff05::1:3@100 port1:EXCLUDE{}
	// <nil>
}

// People want to see who comes and goes, and why. Whoever prints this may be
// slow: the cache does not wait, and says how much was missed.
func ExampleCache_Watch() {
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	cache := mcast.New(mcast.Config[string]{})
	watcher := cache.Watch(100)

	group := mcast.Group{Addr: netip.MustParseAddr("239.1.1.1")}
	source := netip.MustParseAddr("192.0.2.1")
	for _, report := range []mcast.Report[string]{
		mcast.Join(group, "port1", start),
		mcast.Join(group, "port2", start),
		mcast.Join(group, "port3", start),
		mcast.Leave(group, "port1", start.Add(10*time.Second)),
		{Group: group, Member: "port2", Kind: mcast.ChangeToInclude, Sources: []netip.Addr{source}, At: start.Add(20 * time.Second)},
	} {
		if err := cache.Apply(report); err != nil {
			fmt.Println(err)
		}
	}
	cache.Advance(start.Add(30 * time.Second))
	cache.RemoveMember("port3", start.Add(30*time.Second))
	cache.Advance(start.Add(time.Hour))

	watcher.Close() // or keep reading, from a goroutine beside Run
	for e := range watcher.Events(context.Background()) {
		fmt.Println(e.At.Format(time.TimeOnly), e)
	}
	// Output:
	// 00:00:00 239.1.1.1 port1 joined EXCLUDE{}
	// 00:00:00 239.1.1.1 port2 joined EXCLUDE{}
	// 00:00:00 239.1.1.1 port3 joined EXCLUDE{}
	// 00:00:12 239.1.1.1 port1 left EXCLUDE{}
	// 00:00:22 239.1.1.1 port2 refiltered EXCLUDE{} to INCLUDE{192.0.2.1}
	// 00:00:30 239.1.1.1 port3 removed EXCLUDE{}
	// 00:04:50 239.1.1.1 port2 expired INCLUDE{192.0.2.1}
}

// A sink that writes flows asks where the data of each source goes.
func ExampleState_Forwarding() {
	cache := mcast.New(mcast.Config[string]{})
	group := mcast.Group{Addr: netip.MustParseAddr("239.1.1.1")}
	source := netip.MustParseAddr("192.0.2.1")
	now := time.Now()
	for _, report := range []mcast.Report[string]{
		mcast.Join(group, "port1", now),
		{Group: group, Member: "port2", Kind: mcast.AllowNewSources, Sources: []netip.Addr{source}, At: now},
	} {
		if err := cache.Apply(report); err != nil {
			fmt.Println(err)
		}
	}

	state, ok := cache.Lookup(group)
	if !ok {
		fmt.Println("nobody wants", group)
		return
	}
	for src, members := range state.Forwarding() {
		name := "any other source"
		if src.IsValid() {
			name = src.String()
		}
		fmt.Println(name, "->", slices.Collect(members))
	}
	fmt.Println("join upstream:", state.Filter())
	// Output:
	// any other source -> [port1]
	// 192.0.2.1 -> [port1 port2]
	// join upstream: EXCLUDE{}
}

// The cache says when which specific query is to be sent; how is up to the
// host project.
func ExampleConfig_query() {
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	cache := mcast.New(mcast.Config[string]{
		Query: func(_ context.Context, q mcast.QueryRequest[string]) error {
			fmt.Println("ask", q.Member, "about", q.Group, q.Sources, "answer within", q.MaxResponse)
			return nil
		},
	})
	group := mcast.Group{Addr: netip.MustParseAddr("239.1.1.1")}
	for _, report := range []mcast.Report[string]{
		mcast.Join(group, "port1", start),
		mcast.Leave(group, "port1", start.Add(time.Second)),
	} {
		if err := cache.Apply(report); err != nil {
			fmt.Println(err)
		}
	}
	for next, ok := cache.Next(); ok; next, ok = cache.Next() {
		cache.Advance(next)
		if err := cache.Flush(context.Background()); err != nil {
			fmt.Println(err)
		}
	}
	_, there := cache.Lookup(group)
	fmt.Println("still a member:", there)
	// Output:
	// ask port1 about 239.1.1.1 [] answer within 1s
	// ask port1 about 239.1.1.1 [] answer within 1s
	// still a member: false
}
