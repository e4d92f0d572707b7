package mcast_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/netip"
	"slices"
	"time"

	"github.com/ofmcast/ofmcast/mcast"
)

// device stands for a switch: it has a list of ports for each group, some of
// them from an earlier process.
type device map[mcast.Group][]string

// Sync makes one group on the device what it shall be. Called again it does no
// harm, so an error may be returned at any point.
func (d device) Sync(_ context.Context, s mcast.State[string]) error {
	if s.Len() == 0 {
		delete(d, s.Group())
		return nil
	}
	d[s.Group()] = slices.Collect(s.Members())
	return nil
}

// Prune takes away what an earlier process has left and nobody wants.
func (d device) Prune(_ context.Context, keep iter.Seq[mcast.Group]) error {
	kept := slices.Collect(keep)
	for g := range d {
		if !slices.Contains(kept, g) {
			fmt.Println("prune", g)
			delete(d, g)
		}
	}
	return nil
}

// A sink that begins late, or with what an earlier process has left behind, is
// shown every group, then told once which ones shall stay.
func ExamplePruner() {
	old := mcast.Group{Addr: netip.MustParseAddr("239.9.9.9")}
	group := mcast.Group{Addr: netip.MustParseAddr("239.1.1.1")}
	sw := device{old: {"port9"}}

	ctx, now := context.Background(), time.Now()
	cache := mcast.New(mcast.Config[string]{})
	if err := cache.Apply(mcast.Join(group, "port1", now)); err != nil {
		fmt.Println(err)
	}
	handle, err := cache.AddSink("switch", sw, mcast.SinkConfig{})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := cache.Flush(ctx); err != nil {
		fmt.Println(err)
	}
	fmt.Println("synced:", handle.HasSynced(), sw)

	clear(sw) // somebody has emptied the switch
	handle.Resync()
	if err := cache.Flush(ctx); err != nil {
		fmt.Println(err)
	}
	fmt.Println("resynced:", handle.HasSynced(), sw)
	if err := handle.Remove(ctx); err != nil {
		fmt.Println(err)
	}
	// Output:
	// prune 239.9.9.9
	// synced: true map[239.1.1.1:[port1]]
	// resynced: true map[239.1.1.1:[port1]]
}

// A failed call is repeated with whatever is the newest state then, after a time
// that doubles with each failure.
func ExampleSinkConfig() {
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	cache := mcast.New(mcast.Config[string]{})
	calls := 0
	sink := mcast.SyncFunc[string](func(_ context.Context, s mcast.State[string]) error {
		if calls++; calls < 3 {
			return errors.New("switch is busy")
		}
		fmt.Println("call", calls, s)
		return nil
	})
	cfg := mcast.SinkConfig{
		MinRetry: time.Second,
		Jitter:   func(d time.Duration) time.Duration { return d }, // exact, for an example
	}
	if _, err := cache.AddSink("switch", sink, cfg); err != nil {
		fmt.Println(err)
		return
	}
	cache.Advance(start)
	group := mcast.Group{Addr: netip.MustParseAddr("239.1.1.1")}
	for i, port := range []string{"port1", "port2"} {
		at := start.Add(time.Duration(i) * time.Second)
		if err := cache.Apply(mcast.Join(group, port, at)); err != nil {
			fmt.Println(err)
		}
		cache.Advance(at)
		var failed *mcast.SyncError
		if err := cache.Flush(context.Background()); errors.As(err, &failed) {
			fmt.Println(at.Sub(start), failed)
		}
	}
	cache.Advance(start.Add(3 * time.Second))
	if err := cache.Flush(context.Background()); err != nil {
		fmt.Println(err)
	}
	// Output:
	// 0s mcast: sink switch: 239.1.1.1: switch is busy
	// 1s mcast: sink switch: 239.1.1.1: switch is busy
	// call 3 239.1.1.1 port1:EXCLUDE{} port2:EXCLUDE{}
}
