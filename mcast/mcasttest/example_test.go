package mcasttest_test

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"github.com/ofmcast/ofmcast/mcast"
	"github.com/ofmcast/ofmcast/mcast/mcasttest"
)

// A Recorder says what a sink would have been told, and what it would hold.
func ExampleRecorder() {
	rec := &mcasttest.Recorder[string]{}
	cache := mcast.New(mcast.Config[string]{})
	if _, err := cache.AddSink("rec", rec, mcast.SinkConfig{}); err != nil {
		fmt.Println(err)
		return
	}
	group := mcast.Group{Addr: netip.MustParseAddr("239.1.1.1")}
	if err := cache.Apply(mcast.Join(group, "port1", time.Now())); err != nil {
		fmt.Println(err)
	}
	if err := cache.Flush(context.Background()); err != nil {
		fmt.Println(err)
	}
	fmt.Println(rec.Len(), rec.Holds()[group])
	// Output: 1 239.1.1.1 port1:EXCLUDE{}
}

// A Failing sink shows whether work is tried again: here its group comes
// through at the third attempt.
func ExampleFailing() {
	sink := &mcasttest.Failing[string]{}
	sink.FailFirst(2, errors.New("switch is away"))
	cache := mcast.New(mcast.Config[string]{})
	if _, err := cache.AddSink("failing", sink, mcast.SinkConfig{MinRetry: time.Second}); err != nil {
		fmt.Println(err)
		return
	}
	group := mcast.Group{Addr: netip.MustParseAddr("239.1.1.1")}
	now := time.Now()
	if err := cache.Apply(mcast.Join(group, "port1", now)); err != nil {
		fmt.Println(err)
	}
	for range 3 {
		fmt.Println(cache.Flush(context.Background()))
		now = now.Add(time.Minute)
		cache.Advance(now)
	}
	fmt.Println(sink.Len(), "calls")
	// Output:
	// mcast: sink failing: 239.1.1.1: switch is away
	// mcast: sink failing: 239.1.1.1: switch is away
	// <nil>
	// 3 calls
}

// A Slow sink shows that others are not kept waiting.
func ExampleSlow() {
	slow := &mcasttest.Slow[string]{Takes: time.Hour}
	quick := &mcasttest.Recorder[string]{}
	cache := mcast.New(mcast.Config[string]{})
	for name, sink := range map[string]mcast.Sink[string]{"slow": slow, "quick": quick} {
		if _, err := cache.AddSink(name, sink, mcast.SinkConfig{}); err != nil {
			fmt.Println(err)
			return
		}
	}
	told := make(chan mcast.Group)
	quick.OnSync = func(_ context.Context, s mcast.State[string]) error {
		told <- s.Group()
		return nil
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- cache.Run(ctx) }()
	group := mcast.Group{Addr: netip.MustParseAddr("239.1.1.1")}
	if err := cache.Apply(mcast.Join(group, "port1", time.Now())); err != nil {
		fmt.Println(err)
	}
	fmt.Println("quick was told of", <-told)
	stop()
	fmt.Println(<-ended)
	// Output:
	// quick was told of 239.1.1.1
	// <nil>
}

// A Stuck sink shows what a program does when it cannot stop cleanly.
func ExampleStuck() {
	sink := mcasttest.NewStuck[string]()
	defer sink.Release()
	cache := mcast.New(mcast.Config[string]{StopGrace: 10 * time.Millisecond})
	if _, err := cache.AddSink("ovs", sink, mcast.SinkConfig{}); err != nil {
		fmt.Println(err)
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- cache.Run(ctx) }()
	for cache.Statistics().Sinks[0].Running == 0 {
		time.Sleep(time.Millisecond)
	}
	stop()
	fmt.Println(<-ended)
	// Output: mcast: still running: ovs
}
