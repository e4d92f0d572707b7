package cachebench

import (
	"fmt"
	"testing"
	"time"

	"github.com/ofmcast/ofmcast/internal/bench/side"
	"github.com/ofmcast/ofmcast/mcast"
)

// BenchmarkRefresh is a report by one of the members of a group who says again that he is there.
func BenchmarkRefresh(b *testing.B) {
	for _, n := range []int{10, 100, 1_000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			members := named("port", n)
			c, u := newOurs[string](), newIndexed()
			defer u.queue.ShutDown()
			for _, m := range members {
				if err := c.Apply(mcast.Join(nth(1), m, epoch)); err != nil {
					b.Fatal(err)
				}
			}
			if err := u.join("g", members); err != nil {
				b.Fatal(err)
			}
			at := epoch.Add(time.Second)
			var i, k int
			side.Compare(b,
				side.Way{Name: "ours", Do: side.Each(func() error {
					i++
					return c.Apply(mcast.Report[string]{Group: nth(1), Member: members[i%n], Kind: mcast.ModeIsExclude, At: at})
				})},
				side.Way{Name: "usual", Do: side.Each(func() error {
					k++
					return u.seen("g", members[k%n], at)
				})},
			)
		})
	}
}

// groupSize is how many members a group has where the number of groups grows.
const groupSize = 3

// BenchmarkRefreshAmong is a report by a known member, with n groups in the cache, each in its turn.
func BenchmarkRefreshAmong(b *testing.B) {
	for _, n := range []int{10, 100, 1_000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			names, members := named("group", n), named("port", groupSize)
			c, u := newOurs[string](), newIndexed()
			defer u.queue.ShutDown()
			for g := range n {
				for _, m := range members {
					if err := c.Apply(mcast.Join(nth(g), m, epoch)); err != nil {
						b.Fatal(err)
					}
				}
				if err := u.join(names[g], members); err != nil {
					b.Fatal(err)
				}
			}
			at := epoch.Add(time.Second)
			var i, k int
			side.Compare(b,
				side.Way{Name: "ours", Do: side.Each(func() error {
					i++
					return c.Apply(mcast.Join(nth(i%n), members[i%groupSize], at))
				})},
				side.Way{Name: "usual", Do: side.Each(func() error {
					k++
					return u.seen(names[k%n], members[k%groupSize], at)
				})},
			)
		})
	}
}
