package cachebench

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/ofmcast/ofmcast/mcast"
)

// A million memberships: 100,000 groups of 10 members, and 1,000 members in 1,000 groups each. A tenth of them, one a
// group, was not seen as late as the others.
const (
	groups      = 100_000
	each        = 10
	memberships = groups * each
	members     = 1_000
)

// fill calls seen for each of them.
func fill(seen func(group, member int, at time.Time) error) error {
	for g := range groups {
		for i := range each {
			at := epoch.Add(time.Minute)
			if i == g%each {
				at = epoch
			}
			if err := seen(g, (g*each+i)%members, at); err != nil {
				return err
			}
		}
	}
	return nil
}

// BenchmarkMillion is the load of a million memberships without and then with their delivery, the bytes that each
// keeps, the expiry of a tenth and the removal of a member from 1,000 groups, each delivered.
func BenchmarkMillion(b *testing.B) {
	b.Run("usual", func(b *testing.B) {
		for b.Loop() {
			millionUsual(b)
		}
		b.ReportMetric(0, "ns/op")
	})
	b.Run("ours", func(b *testing.B) {
		for b.Loop() {
			millionOurs(b, named("port", members), mcast.Join[string])
		}
		b.ReportMetric(0, "ns/op")
	})
	// A source filter each, as in a network of source-specific multicast.
	b.Run("ours-source", func(b *testing.B) {
		for b.Loop() {
			millionOurs(b, named("port", members), wantsOne)
		}
		b.ReportMetric(0, "ns/op")
	})
	// Members that are numbers, as ports of a switch are.
	b.Run("ours-numbers", func(b *testing.B) {
		for b.Loop() {
			ports := make([]uint32, members)
			for i := range ports {
				ports[i] = uint32(i)
			}
			millionOurs(b, ports, mcast.Join[uint32])
		}
		b.ReportMetric(0, "ns/op")
	})
}

func millionUsual(b *testing.B) {
	groupNames, names := named("group", groups), named("port", members)
	u := newIndexed()
	defer u.queue.ShutDown()
	before := heap()
	load := timed(b, func() error {
		return fill(func(g, m int, at time.Time) error { return u.seen(groupNames[g], names[m], at) })
	})
	deliver := func() error { return u.deliver(func(*status) {}) }
	load += timed(b, deliver)
	size := heap() - before
	expire := timed(b, func() error { return errors.Join(u.expire(epoch.Add(time.Second)), deliver()) })
	remove := timed(b, func() error { return errors.Join(u.gone("port7"), deliver()) })
	if n := len(u.store.ListKeys()); n != groups {
		b.Fatal(n, "groups")
	}
	tell(b, load, size, expire, remove)
}

func millionOurs[M comparable](b *testing.B, names []M, report func(mcast.Group, M, time.Time) mcast.Report[M]) {
	before := heap()
	c := mcast.New(mcast.Config[M]{Limits: unlimited})
	load := timed(b, func() error {
		return fill(func(g, m int, at time.Time) error {
			return c.Apply(report(nth(g), names[m], at))
		})
	})
	b.ReportMetric(float64(heap()-before)/memberships, "B/membership-without-sink")
	if _, err := c.AddSink("changes", mcast.SyncFunc[M](changes[M]), mcast.SinkConfig{MinInterval: -1}); err != nil {
		b.Fatal(err)
	}
	flush := func() error { return c.Flush(context.Background()) }
	load += timed(b, flush)
	size := heap() - before
	now := epoch.Add(mcast.Timing{}.GMI() + time.Second)
	expire := timed(b, func() error { c.Advance(now); return flush() })
	remove := timed(b, func() error { c.RemoveMember(names[7], now); return flush() })
	if n := c.Statistics().Memberships; n != memberships*9/10-memberships/members {
		b.Fatal(n, "memberships")
	}
	tell(b, load, size, expire, remove)
}

func tell(b *testing.B, load time.Duration, size int, expire, remove time.Duration) {
	b.ReportMetric(load.Seconds(), "s-load")
	b.ReportMetric(float64(size)/memberships, "B/membership")
	b.ReportMetric(float64(expire.Milliseconds()), "ms-expire-tenth")
	b.ReportMetric(float64(remove.Microseconds())/1e3, "ms-remove-1000-groups")
}

// heap is what is reachable.
func heap() int {
	runtime.GC()
	runtime.GC() // what had finalizers
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}
