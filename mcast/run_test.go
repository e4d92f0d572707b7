package mcast_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/mcast"
	"github.com/ofmcast/ofmcast/mcast/mcasttest"
)

// running is a cache under Run in a synctest bubble.
type running struct {
	*mcast.Cache[string]
	t    *testing.T
	stop context.CancelFunc
	end  chan error
}

func start(t *testing.T, c *mcast.Cache[string]) *running {
	ctx, stop := context.WithCancel(context.Background())
	r := &running{Cache: c, t: t, stop: stop, end: make(chan error, 1)}
	go func() { r.end <- c.Run(ctx) }()
	synctest.Wait()
	return r
}

func (r *running) add(name string, s mcast.Sink[string], cfg mcast.SinkConfig) {
	_, err := r.AddSink(name, s, cfg)
	require.NoError(r.t, err)
}

func (r *running) join(g mcast.Group, m string) {
	require.NoError(r.t, r.Apply(mcast.Join(g, m, time.Now())))
}

func (r *running) finish() {
	r.stop()
	require.NoError(r.t, <-r.end)
}

func TestRunDrivesTimersQueriesAndSinks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked []time.Duration
		begin := time.Now()
		c := mcast.New(mcast.Config[string]{Query: func(context.Context, mcast.QueryRequest[string]) error {
			asked = append(asked, time.Since(begin))
			return nil
		}})
		r := start(t, c)
		rec := &mcasttest.Recorder[string]{}
		r.add("rec", rec, mcast.SinkConfig{})
		time.Sleep(time.Hour) // an idle cache sleeps
		begin = time.Now()
		r.join(g1, "a")
		r.join(g1, "b")
		synctest.Wait()
		require.NotZero(t, rec.Len(), "the first change goes at once")
		time.Sleep(10 * time.Second)
		require.NoError(t, r.Apply(mcast.Leave(g1, "a", time.Now())))
		time.Sleep(2*time.Second - 1)
		synctest.Wait()
		require.Equal(t, []time.Duration{10 * time.Second, 11 * time.Second}, asked)
		require.Equal(t, 2, rec.Holds()[g1].Len())
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		require.Equal(t, "b:EXCLUDE{}", members(rec.Holds()[g1]))
		time.Sleep(258*time.Second - 1)
		synctest.Wait()
		require.Len(t, rec.Holds(), 1)
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		require.Empty(t, rec.Holds())
		r.finish()
	})
}

func TestRunMergesWhatComesFasterThanASinkTakesIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, mcast.New(mcast.Config[string]{}))
		slow := &mcasttest.Slow[string]{Takes: time.Millisecond}
		r.add("slow", slow, mcast.SinkConfig{})
		for i, m := range ports(2000) {
			r.join(g1, m)
			if i%10 == 9 {
				time.Sleep(100 * time.Microsecond)
			}
		}
		time.Sleep(time.Second)
		require.Equal(t, 2000, slow.Holds()[g1].Len())
		require.LessOrEqual(t, slow.Len(), 40)
		require.Zero(t, slow.Overlaps())
		r.finish()
	})
}

// TestRunKeepsSyncsFewHoweverFastMembersJoin is on the real clock: joins as fast
// as Apply takes them. A machine that needs more than two seconds for 10,000
// of them may make a Sync each MinInterval of that.
func TestRunKeepsSyncsFewHoweverFastMembersJoin(t *testing.T) {
	c := mcast.New(mcast.Config[string]{})
	rec := &mcasttest.Recorder[string]{}
	all := make(chan struct{})
	rec.OnSync = func(_ context.Context, s mcast.State[string]) error {
		if s.Len() == 10_000 {
			close(all)
		}
		return nil
	}
	_, err := c.AddSink("rec", rec, mcast.SinkConfig{})
	require.NoError(t, err)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- c.Run(ctx) }()
	begin := time.Now()
	for _, m := range ports(10_000) {
		assert.NoError(t, c.Apply(mcast.Join(g1, m, time.Now())))
	}
	<-all
	most := max(200, int(time.Since(begin)/(10*time.Millisecond))+2)
	stop()
	require.NoError(t, <-ended)
	require.LessOrEqual(t, rec.Len(), most)
	require.Equal(t, 10_000, rec.Holds()[g1].Len())
}

// The same on a clock that leaves nothing to chance: 10,000 joins within one
// second are at most one Sync each MinInterval of it.
func TestRunMakesOneSyncEachMinInterval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, mcast.New(mcast.Config[string]{}))
		rec := &mcasttest.Recorder[string]{}
		r.add("rec", rec, mcast.SinkConfig{})
		for _, m := range ports(10_000) {
			r.join(g1, m)
			time.Sleep(100 * time.Microsecond)
		}
		time.Sleep(time.Second)
		require.InDelta(t, 101, rec.Len(), 1)
		require.Equal(t, 10_000, rec.Holds()[g1].Len())
		r.finish()
	})
}

func TestD7_AGroupIsNeverInTwoWorkersOfASink(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, mcast.New(mcast.Config[string]{}))
		var most, now atomic.Int32
		rec := &mcasttest.Recorder[string]{OnSync: func(context.Context, mcast.State[string]) error {
			n := now.Add(1)
			defer now.Add(-1)
			for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
			}
			time.Sleep(7 * time.Millisecond)
			return nil
		}}
		cfg := plain
		cfg.Workers = 5
		r.add("rec", rec, cfg)
		for i := range 300 {
			r.join(nth(i%8), fmt.Sprint(i))
			time.Sleep(time.Millisecond)
		}
		time.Sleep(time.Second)
		require.Zero(t, rec.Overlaps())
		require.Equal(t, int32(5), most.Load(), "different groups run side by side, up to Workers")
		require.Len(t, rec.Holds(), 8)
		r.finish()
	})
}

func TestD9_ASlowOrFailingSinkDelaysNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, mcast.New(mcast.Config[string]{}))
		stuck, slow, failing := mcasttest.NewStuck[string](), &mcasttest.Slow[string]{Takes: time.Hour}, &mcasttest.Failing[string]{}
		failing.Fail(errBusy)
		rec := &mcasttest.Recorder[string]{}
		r.add("stuck", stuck, mcast.SinkConfig{Workers: 1})
		r.add("slow", slow, plain)
		r.add("failing", failing, plain)
		r.add("rec", rec, plain)
		for i := range 100 {
			r.join(nth(i), "a")
		}
		synctest.Wait()
		require.Len(t, rec.Holds(), 100, "without any time having passed")
		stats := r.Statistics().Sinks
		require.Equal(t, "stuck", stats[0].Name)
		require.Equal(t, 1, stats[0].Running)
		require.Equal(t, 100, stats[2].Failing)
		stuck.Release()
		r.finish()
	})
}

// Groups whose calls hang until their timeout leave workers for the others.
func TestHangingGroupsLeaveWorkersForHealthyOnes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, mcast.New(mcast.Config[string]{}))
		rec := &mcasttest.Recorder[string]{OnSync: func(ctx context.Context, s mcast.State[string]) error {
			if s.Group() == nth(1000) {
				return nil
			}
			<-ctx.Done()
			return ctx.Err()
		}}
		r.add("rec", rec, mcast.SinkConfig{Workers: 4, MinRetry: time.Second, MaxRetry: time.Second, Timeout: time.Minute})
		for i := range 50 {
			r.join(nth(i), "a")
		}
		time.Sleep(20 * time.Minute) // all have failed and fail again
		r.join(nth(1000), "a")
		time.Sleep(time.Second)
		require.Contains(t, rec.Holds(), nth(1000))
		r.finish()
	})
}

// A retry counts from the end of the call that failed.
func TestARetryWaitsFromTheEndOfTheCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, mcast.New(mcast.Config[string]{}))
		begin := time.Now()
		var began []time.Duration
		r.add("slow", mcast.SyncFunc[string](func(context.Context, mcast.State[string]) error {
			began = append(began, time.Since(begin))
			time.Sleep(5 * time.Second)
			return errBusy
		}), plain)
		r.join(g1, "a")
		time.Sleep(19 * time.Second)
		synctest.Wait()
		require.Equal(t, []time.Duration{0, 6 * time.Second, 13 * time.Second}, began)
		r.finish() // between two calls
	})
}

// TestD11_WhenTheFaultsEndTheSinksHoldWhatTheCacheHolds lets sinks fail, hang
// and panic at random while members come and go.
func TestD11_WhenTheFaultsEndTheSinksHoldWhatTheCacheHolds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(1, 2))
		var mu sync.Mutex
		chance := func(n int) int {
			mu.Lock()
			defer mu.Unlock()
			return rng.IntN(n)
		}
		var faults atomic.Bool
		faults.Store(true)
		misbehave := func(ctx context.Context, _ mcast.State[string]) error {
			if !faults.Load() {
				return nil
			}
			switch chance(6) {
			case 0:
				return errBusy
			case 1:
				<-ctx.Done()
				return ctx.Err()
			case 2:
				panic("oh")
			case 3:
				time.Sleep(time.Duration(chance(50)) * time.Millisecond)
			}
			return nil
		}
		r := start(t, mcast.New(mcast.Config[string]{Leave: func(string) mcast.LeavePolicy { return mcast.Immediate }}))
		var recs []*mcasttest.Recorder[string]
		for i := range 3 {
			rec := &mcasttest.Recorder[string]{OnSync: misbehave}
			recs = append(recs, rec)
			h, err := r.AddSink(fmt.Sprint(i), rec, mcast.SinkConfig{Workers: 3, MinRetry: 20 * time.Millisecond, Timeout: time.Second})
			require.NoError(t, err)
			defer func() { require.True(t, h.HasSynced()) }()
			if i == 2 {
				time.AfterFunc(300*time.Millisecond, h.Resync)
			}
		}
		for i := range 2000 {
			g, m := nth(chance(12)), fmt.Sprint(chance(9))
			switch chance(4) {
			case 0:
				_ = r.Apply(mcast.Leave(g, m, time.Now()))
			case 1:
				_ = r.Apply(mcast.Report[string]{Group: g, Member: m, Kind: mcast.ModeIsExclude, Sources: addrs(s1, s2)[:chance(3)], At: time.Now()})
			default:
				_ = r.Apply(mcast.Join(g, m, time.Now()))
			}
			if i%100 == 0 {
				r.RemoveMember(m, time.Now())
			}
			time.Sleep(time.Duration(chance(1000)) * time.Microsecond)
		}
		faults.Store(false)
		time.Sleep(2 * time.Minute)
		want := map[mcast.Group]string{}
		for s := range r.Groups() {
			want[s.Group()] = s.String()
		}
		require.NotEmpty(t, want)
		for _, rec := range recs {
			got := map[mcast.Group]string{}
			for g, s := range rec.Holds() {
				got[g] = s.String()
			}
			require.Equal(t, want, got)
			require.Zero(t, rec.Overlaps())
		}
		for _, s := range r.Statistics().Sinks {
			require.Zero(t, s.Pending)
		}
		r.finish()
	})
}

func TestFailuresAreLogged(t *testing.T) {
	var out strings.Builder
	broken := errors.New("cable cut")
	c := mcast.New(mcast.Config[string]{
		Logger: slog.New(slog.NewTextHandler(&out, nil)),
		Query:  func(context.Context, mcast.QueryRequest[string]) error { return broken },
	})
	_, err := c.AddSink("ovs", mcast.SyncFunc[string](func(context.Context, mcast.State[string]) error { return broken }), plain)
	require.NoError(t, err)
	require.NoError(t, c.Apply(mcast.Join(g1, "port1", sec(0))))
	require.NoError(t, c.Apply(mcast.Leave(g1, "port1", sec(0))))
	require.Error(t, c.Flush(context.Background()))
	require.Contains(t, out.String(), "sink=ovs group=233.252.0.1")
	require.Contains(t, out.String(), "member=port1")
	require.Equal(t, 2, strings.Count(out.String(), "cable cut"))
}

// TestManyGoroutinesBesideRun is for the race detector, with Run's own
// goroutines at work beside readers and writers.
func TestManyGoroutinesBesideRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, mcast.New(mcast.Config[string]{
			Leave: func(m string) mcast.LeavePolicy { return mcast.LeavePolicy(len(m) % 3) },
			Query: func(context.Context, mcast.QueryRequest[string]) error { return nil },
		}))
		rec := &mcasttest.Recorder[string]{OnSync: func(_ context.Context, s mcast.State[string]) error {
			_ = s.String() + forwarding(s)
			return nil
		}}
		h, err := r.AddSink("rec", rec, mcast.SinkConfig{})
		require.NoError(t, err)
		var wg sync.WaitGroup
		for w := range 8 {
			wg.Go(func() {
				for i := range 200 {
					m := strings.Repeat("x", (w*i)%9+1)
					g := nth(i % 5)
					_ = r.Apply(mcast.Report[string]{Group: g, Member: m, Kind: mcast.Kind(i%6 + 1), Sources: addrs(s1, s2)[:i%3], At: time.Now()})
					switch i % 40 {
					case 10:
						r.RemoveMember(m, time.Now())
					case 20:
						h.Resync()
					case 30:
						for s := range r.Groups() {
							_ = s.Filter()
						}
						_ = r.Statistics()
					}
					time.Sleep(time.Duration(i%7) * time.Millisecond)
				}
			})
		}
		wg.Wait()
		time.Sleep(time.Minute)
		for s := range r.Groups() {
			require.Equal(t, s.String(), rec.Holds()[s.Group()].String())
		}
		time.Sleep(10 * time.Minute)
		require.Empty(t, rec.Holds())
		require.Zero(t, rec.Overlaps())
		r.finish()
	})
}
