package ofsink_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/examples/agent/ofsink"
	"github.com/ofmcast/ofmcast/mcast"
	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
	"github.com/ofmcast/ofmcast/ofgroup/ofgrouptest"
)

var (
	group = mcast.Group{Addr: netip.MustParseAddr("239.1.1.1")}
	start = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	s1    = netip.MustParseAddr("198.51.100.1")
)

// bench is a cache with the sink in front of an in-process switch.
type bench struct {
	t     *testing.T
	sw    *ofgrouptest.Switch
	cache *mcast.Cache[ofgroup.Port]
	sink  *ofsink.Sink[ofgroup.Port]
	now   time.Time
	log   strings.Builder
}

func newBench(t *testing.T, maxSources int) *bench {
	sw := ofgrouptest.NewSwitch(ofgrouptest.SwitchConfig{})
	t.Cleanup(func() { require.NoError(t, sw.Close()) })
	session, err := ofconn.Open(t.Context(), ofconn.Config{Dial: sw.Dial})
	require.NoError(t, err)
	t.Cleanup(func() { _ = session.Close() })
	table := ofgroup.NewTable(session, ofgroup.TableConfig{IDs: ofgroup.NewIDAllocator(1000, 1099)})
	b := &bench{
		t: t, sw: sw, now: start,
		cache: mcast.New(mcast.Config[ofgroup.Port]{Leave: func(ofgroup.Port) mcast.LeavePolicy { return mcast.Immediate }}),
	}
	b.sink = ofsink.New(ofsink.Config[ofgroup.Port]{
		Table: table, Bucket: ofsink.ToPort, MaxSources: maxSources, Logger: slog.New(slog.NewTextHandler(&b.log, nil)),
	})
	_, err = b.cache.AddSink("ovs", b.sink, mcast.SinkConfig{MinInterval: -1, MinRetry: time.Second})
	require.NoError(t, err)
	return b
}

// after runs f, then everything that is due a second later, and returns how many GROUP_MODs came of it.
func (b *bench) after(f func(at time.Time)) int {
	b.now = b.now.Add(time.Second)
	before := b.sw.GroupMods()
	f(b.now)
	b.cache.Advance(b.now)
	_ = b.cache.Flush(b.t.Context())
	return b.sw.GroupMods() - before
}

func (b *bench) join(p ofgroup.Port) func(time.Time) {
	return func(at time.Time) { require.NoError(b.t, b.cache.Apply(mcast.Join(group, p, at))) }
}

func (b *bench) leave(p ofgroup.Port) func(time.Time) {
	return func(at time.Time) { require.NoError(b.t, b.cache.Apply(mcast.Leave(group, p, at))) }
}

// onSwitch returns what the switch holds, as lines for ovs-ofctl.
func (b *bench) onSwitch() []string {
	groups, err := b.sw.Groups()
	require.NoError(b.t, err)
	var lines []string
	for _, g := range groups {
		lines = append(lines, g.String())
	}
	return lines
}

func TestOneGroupModForEachChangeOfMembers(t *testing.T) {
	b := newBench(t, 0)
	require.Equal(t, 1, b.after(b.join(1)))
	require.Equal(t, 1, b.after(b.join(2)))
	require.Equal(t, []string{"group_id=1000,type=all,bucket=bucket_id:1,actions=output:1,bucket=bucket_id:2,actions=output:2"}, b.onSwitch())
	require.Equal(t, 1, b.after(b.leave(1)))
	require.Equal(t, []string{"group_id=1000,type=all,bucket=bucket_id:2,actions=output:2"}, b.onSwitch())
	require.Equal(t, 1, b.after(b.leave(2)))
	require.Empty(t, b.onSwitch())
	_, ok := b.sink.ID(group, netip.Addr{})
	require.False(t, ok)
}

func TestManyMembersAtOnceAreOneGroupMod(t *testing.T) {
	b := newBench(t, 0)
	require.Equal(t, 1, b.after(func(at time.Time) {
		for p := range ofgroup.Port(700) {
			b.join(p + 1)(at)
		}
	}))
}

func (b *bench) exclude(p ofgroup.Port, sources ...netip.Addr) func(time.Time) {
	return func(at time.Time) {
		require.NoError(b.t, b.cache.Apply(mcast.Report[ofgroup.Port]{
			Group: group, Member: p, Kind: mcast.ChangeToExclude, Sources: sources, At: at,
		}))
	}
}

func TestABlockedSourceHasAGroupOfItsOwnForAsLongAsItIsBlocked(t *testing.T) {
	b := newBench(t, 0)
	b.after(b.join(1))
	b.after(b.join(2))
	require.Equal(t, 1, b.after(b.exclude(1, s1)))
	require.Equal(t, []string{
		"group_id=1000,type=all,bucket=bucket_id:1,actions=output:1,bucket=bucket_id:2,actions=output:2",
		"group_id=1001,type=all,bucket=bucket_id:2,actions=output:2",
	}, b.onSwitch())
	id, ok := b.sink.ID(group, s1)
	require.True(t, ok)
	require.Equal(t, ofgroup.ID(1001), id)
	require.Equal(t, 1, b.after(b.exclude(1)))
	require.Equal(t, []string{"group_id=1000,type=all,bucket=bucket_id:1,actions=output:1,bucket=bucket_id:2,actions=output:2"}, b.onSwitch())
	require.Zero(t, b.after(b.join(1)), "and a refresh sends nothing")
}

func TestFiltersDoNotCountWhereNoSourceMayHaveAGroup(t *testing.T) {
	b := newBench(t, -1)
	b.after(b.join(1))
	require.Zero(t, b.after(b.exclude(1, s1)))
}

// Over the limit whoever names the most gets everything, so nobody misses anything; and it is told.
func TestTooManySourcesAreLoggedAndLeaveNobodyWithout(t *testing.T) {
	b := newBench(t, 2)
	b.after(b.exclude(1, s1, s1.Next()))
	require.Len(t, b.onSwitch(), 3)
	require.Empty(t, b.log.String())
	b.after(b.exclude(2, s1.Prev()))
	require.Equal(t, []string{
		"group_id=1002,type=all,bucket=bucket_id:1,actions=output:1,bucket=bucket_id:2,actions=output:2",
		"group_id=1003,type=all,bucket=bucket_id:1,actions=output:1",
	}, b.onSwitch(), "1 gets all, 2 all but what it blocks")
	require.Contains(t, b.log.String(), "level=ERROR")
	require.Contains(t, b.log.String(), "group=239.1.1.1 limit=2")
	b.log.Reset()
	require.Equal(t, 2, b.after(b.join(3)), "and the next change does not wait")
	require.Empty(t, b.log.String(), "nor is it said again")
	b.after(b.leave(2))
	require.Len(t, b.onSwitch(), 3, "each gets what he wants again")
	require.Contains(t, b.log.String(), "level=INFO")
}

func (b *bench) include(p ofgroup.Port, sources ...netip.Addr) func(time.Time) {
	return func(at time.Time) {
		require.NoError(b.t, b.cache.Apply(mcast.Report[ofgroup.Port]{
			Group: group, Member: p, Kind: mcast.ChangeToInclude, Sources: sources, At: at,
		}))
	}
}

// Filters keep out what hosts do not want, also when a stranger names more sources than there is room for.
func TestAStrangersManySourcesTakeNobodyElsesFilterAway(t *testing.T) {
	b := newBench(t, 0)
	s2 := s1.Next()
	many := []netip.Addr{s2.Next()}
	for len(many) < 64 { // all that there is room for
		many = append(many, many[len(many)-1].Next())
	}
	for _, stranger := range []func(ofgroup.Port, ...netip.Addr) func(time.Time){b.include, b.exclude} {
		b.after(stranger(1, many...)) // first, as the order of members must not matter
		b.after(b.include(2, s1))
		b.after(b.exclude(3, s2))
		sources := map[netip.Addr]string{
			{}: "1 3", // any other
			s1: "1 2 3",
			s2: "1",
		}
		for source, want := range sources {
			id, ok := b.sink.ID(group, source)
			require.True(t, ok, "%v", source)
			require.Equal(t, want, b.ports(id), "%v", source)
		}
		require.Len(t, b.onSwitch(), len(sources))
	}
}

// ports are those of a group on the switch.
func (b *bench) ports(id ofgroup.ID) string {
	groups, err := b.sw.Groups()
	require.NoError(b.t, err)
	var ports []string
	for _, g := range groups {
		if g.ID() == id {
			for bucket := range g.Buckets() {
				number, _ := bucket.ID()
				ports = append(ports, fmt.Sprint(number))
			}
		}
	}
	return strings.Join(ports, " ")
}

func TestAVLANIsAGroupOfItsOwn(t *testing.T) {
	b := newBench(t, 0)
	b.after(b.join(1))
	tagged := group
	tagged.Segment = 10
	require.Equal(t, 1, b.after(func(at time.Time) { require.NoError(t, b.cache.Apply(mcast.Join(tagged, ofgroup.Port(2), at))) }))
	require.Len(t, b.onSwitch(), 2)
}

func TestARefusedChangeIsMadeLater(t *testing.T) {
	b := newBench(t, 0)
	b.after(b.join(1))
	b.sw.Refuse(ofgrouptest.Refusal{Type: 6, Code: 3}) // OFPGMFC_OUT_OF_GROUPS
	require.Equal(t, 1, b.after(b.join(2)))
	require.Equal(t, []string{"group_id=1000,type=all,bucket=bucket_id:1,actions=output:1"}, b.onSwitch())
	b.after(b.join(3)) // a newer state; the old one is never sent
	for range 3 {
		b.after(func(time.Time) {})
	}
	require.Equal(t, []string{"group_id=1000,type=all,bucket=bucket_id:1,actions=output:1,bucket=bucket_id:2,actions=output:2,bucket=bucket_id:3,actions=output:3"}, b.onSwitch())
}

func TestAGroupWhoseFirstMessageGotLostIsStillTakenAway(t *testing.T) {
	b := newBench(t, 0)
	b.sw.Inject(ofgrouptest.Fault{Close: true}) // obeyed, and then the connection ends unconfirmed
	b.after(b.join(1))
	require.Len(t, b.onSwitch(), 1, "the switch has it, though nobody was told")
	_, ok := b.sink.ID(group, netip.Addr{})
	require.True(t, ok, "the ID must not be given to another group")
}

// describe is the OpenFlow group that copies a packet to each of the ports.
func describe(id ofgroup.ID, ports iter.Seq[ofgroup.Port]) ofgroup.Group {
	g := ofgroup.New(id, ofgroup.All)
	for p := range ports {
		g = g.AddBuckets(ofsink.Output(p))
	}
	return g
}

func TestTheSwitchsOwnPortHasABucketToo(t *testing.T) {
	g := describe(1000, slices.Values([]ofgroup.Port{7, ofgroup.PortLocal}))
	require.NoError(t, g.Validate())
	require.Equal(t, 2, g.Len())
}

func TestNoFreeIDIsAnErrorThatNamesTheGroup(t *testing.T) {
	rec := ofgrouptest.NewRecorder(ofgroup.OpenFlow15)
	sink := ofsink.New(ofsink.Config[ofgroup.Port]{Bucket: ofsink.ToPort, Table: ofgroup.NewTable(rec, ofgroup.TableConfig{IDs: ofgroup.NewIDAllocator(5, 5)})})
	other := mcast.Group{Addr: netip.MustParseAddr("239.1.1.2")}
	require.NoError(t, sink.Sync(t.Context(), stateOf(t, group, 1)))
	err := sink.Sync(t.Context(), stateOf(t, other, 1))
	require.ErrorIs(t, err, ofgroup.ErrNoFreeID)
	require.ErrorContains(t, err, "239.1.1.2")
}

func TestGroupsMayBeSyncedAtTheSameTime(t *testing.T) {
	rec := ofgrouptest.NewRecorder(ofgroup.OpenFlow15)
	sink := ofsink.New(ofsink.Config[ofgroup.Port]{Bucket: ofsink.ToPort, Table: ofgroup.NewTable(rec, ofgroup.TableConfig{})})
	var wg sync.WaitGroup
	for i := range 64 {
		s := stateOf(t, groupNumber(i), 1, 2)
		wg.Go(func() {
			if err := sink.Sync(t.Context(), s); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	ids := make(map[ofgroup.ID]bool)
	for _, m := range rec.Mods() {
		ids[m.Group().ID()] = true
	}
	require.Len(t, ids, 64)
}

// stateOf makes the state of a group by way of a cache.
func stateOf(t *testing.T, g mcast.Group, members ...ofgroup.Port) mcast.State[ofgroup.Port] {
	t.Helper()
	cache := mcast.New(mcast.Config[ofgroup.Port]{})
	for _, m := range members {
		require.NoError(t, cache.Apply(mcast.Join(g, m, start)))
	}
	s, ok := cache.Lookup(g)
	if !ok {
		t.Fatal(errors.New("no state"))
	}
	return s
}

func groupNumber(i int) mcast.Group {
	return mcast.Group{Addr: netip.AddrFrom4([4]byte{239, 1, 2, byte(i)})}
}

// flowRecorder keeps the flows it is given, and answers as it is told to.
type flowRecorder struct {
	mu   sync.Mutex
	sent []ofconn.Message
	err  error
}

func (r *flowRecorder) SendMessage(_ context.Context, m ofconn.Message) (ofgroup.Receipt, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sent = append(r.sent, m)
	return ofgroup.Receipt{Confirmed: r.err == nil}, r.err
}
