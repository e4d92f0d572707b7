package cachebench

import (
	"context"
	"fmt"
	"net/netip"
	"time"

	"github.com/ofmcast/ofmcast/mcast"
)

var epoch = time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)

// nth is one of 2^24 groups.
func nth(i int) mcast.Group {
	return mcast.Group{Addr: netip.AddrFrom4([4]byte{239, byte(i >> 16), byte(i >> 8), byte(i)})}
}

func named(prefix string, n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf("%s%d", prefix, i)
	}
	return out
}

// unlimited takes as many groups as the benchmark has.
var unlimited = mcast.Limits{Groups: -1, Memberships: -1, GroupsPerMember: -1, Sources: -1}

// changes is a sink that visits what has changed.
func changes[M comparable](_ context.Context, s mcast.State[M]) error {
	for range s.Changes() {
	}
	return nil
}

// newOurs is a cache with such a sink, which nothing delays.
func newOurs[M comparable]() *mcast.Cache[M] {
	c := mcast.New(mcast.Config[M]{Limits: unlimited})
	if _, err := c.AddSink("changes", mcast.SyncFunc[M](changes[M]), mcast.SinkConfig{MinInterval: -1}); err != nil {
		panic(err) // a name that is free
	}
	return c
}

// wantsOne is a join for a single source.
func wantsOne(g mcast.Group, member string, at time.Time) mcast.Report[string] {
	return mcast.Report[string]{Group: g, Member: member, Kind: mcast.AllowNewSources, Sources: source, At: at}
}

var source = []netip.Addr{netip.AddrFrom4([4]byte{198, 51, 100, 1})}
