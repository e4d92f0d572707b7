package mcast_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/mcast"
	"github.com/ofmcast/ofmcast/mcast/mcasttest"
)

// apply does not flush, unlike the rig's other steps.
func (r *rig) apply(reports ...mcast.Report[string]) {
	for _, report := range reports {
		require.NoError(r.t, r.c.Apply(report))
	}
}

func TestD1_ASinkGetsTheNewestStateNeverABacklog(t *testing.T) {
	r := newRig(t, mcast.Config[string]{})
	for i, m := range ports(100) {
		r.apply(mcast.Join(g1, m, sec(float64(i)/1000)))
	}
	r.flush()
	require.Equal(t, 1, r.Len())
	require.Equal(t, 100, r.Calls()[0].Len())
}

func TestD2_ChangesOfOneGroupAreMergedIntoOneCall(t *testing.T) {
	r := newRig(t, mcast.Config[string]{Leave: func(string) mcast.LeavePolicy { return mcast.Immediate }})
	r.join(0, g1, "a")
	r.apply(mcast.Join(g1, "b", sec(1)), mcast.Join(g1, "c", sec(1)), mcast.Leave(g1, "a", sec(1)))
	r.flush()
	require.Equal(t, 2, r.Len())
	require.Equal(t, []string{"a", "b", "c"}, changed(r.Calls()[1]))
}

// changed are the members that a state's Changes name.
func changed(s mcast.State[string]) []string {
	var out []string
	for m := range s.Changes() {
		out = append(out, m)
	}
	return out
}

func TestD3_GroupsAndSinksAreNeverMerged(t *testing.T) {
	r := newRig(t, mcast.Config[string]{})
	other := &mcasttest.Failing[string]{}
	other.Fail(errBusy)
	r.add("other", other, plain)
	r.apply(mcast.Join(g1, "a", sec(0)), mcast.Join(g2, "a", sec(0)))
	r.flush()
	require.Equal(t, 2, r.Len())
	require.Equal(t, 2, other.Len())
	require.Len(t, r.Holds(), 2)
	require.Empty(t, other.Holds())
}

func TestD4_TheFirstChangeGoesAtOnceFurtherOnesWait(t *testing.T) {
	r := newRig(t, mcast.Config[string]{})
	slow := &mcasttest.Recorder[string]{}
	cfg := plain
	cfg.MinInterval = time.Second
	r.add("slow", slow, cfg)
	r.join(10, g1, "a")
	require.Equal(t, 1, slow.Len())
	r.join(10.1, g1, "b")
	r.join(10.2, g1, "c")
	r.join(10.3, g2, "a") // another group does not wait
	require.Equal(t, 2, slow.Len())
	r.to(10.9)
	require.Equal(t, 2, slow.Len())
	r.to(11)
	require.Equal(t, 3, slow.Len())
	require.Equal(t, []string{"b", "c"}, changed(slow.Calls()[2]))
	r.join(50, g1, "d")
	require.Equal(t, 4, slow.Len(), "after a quiet time there is nothing to wait for")
}

func TestD5_NoCallForWhatASinkCannotSee(t *testing.T) {
	r := newRig(t, mcast.Config[string]{Leave: func(string) mcast.LeavePolicy { return mcast.Immediate }})
	r.join(0, g1, "a")
	r.report(0, g1, "b", mcast.ModeIsInclude, s1)
	require.Equal(t, 2, r.Len())
	// Timers, and sources that are in X of the RFC's tables, are not visible.
	r.report(1, g1, "a", mcast.ModeIsExclude)
	r.report(2, g1, "a", mcast.AllowNewSources, s1)
	// Changes that undo each other before the sink hears of them.
	r.apply(mcast.Leave(g1, "a", sec(3)), mcast.Join(g1, "a", sec(3)), mcast.Join(g1, "x", sec(3)), mcast.Leave(g1, "x", sec(3)))
	r.flush()
	require.Equal(t, 2, r.Len())
	require.Equal(t, uint64(1), r.c.Statistics().Sinks[0].Skipped)
}

func TestD6_PrevIsThisSinksLastSuccess(t *testing.T) {
	r := newRig(t, mcast.Config[string]{})
	var err error
	r.OnSync = func(context.Context, mcast.State[string]) error { return err }
	r.join(0, g1, "a")
	_, ok := r.Calls()[0].Prev()
	require.False(t, ok)
	err = errBusy
	r.join(1, g1, "b")
	r.join(1, g1, "c")
	err = nil
	r.to(2)
	last := r.Calls()[r.Len()-1]
	prev, ok := last.Prev()
	require.True(t, ok)
	require.Equal(t, "a:EXCLUDE{}", members(prev))
	require.Equal(t, []string{"b", "c"}, changed(last))
}

// When the sink has failed it may have done anything: it is called even if
// the group is again as it was when it last succeeded.
func TestAfterAFailureNoCallIsSaved(t *testing.T) {
	r := newRig(t, mcast.Config[string]{Leave: func(string) mcast.LeavePolicy { return mcast.Immediate }})
	var err error
	r.OnSync = func(context.Context, mcast.State[string]) error { return err }
	r.join(0, g1, "a")
	err = errBusy
	r.join(1, g1, "b")
	err = nil
	r.apply(mcast.Leave(g1, "b", sec(1.5)))
	r.to(2)
	require.Equal(t, 3, r.Len())
	require.Empty(t, changed(r.Calls()[2]))
	require.Equal(t, "a:EXCLUDE{}", members(r.Holds()[g1]))
}

func TestD8_AFailedCallIsRetriedWithTheNewestState(t *testing.T) {
	r := newRig(t, mcast.Config[string]{})
	healthy := &mcasttest.Recorder[string]{}
	r.add("healthy", healthy, plain)
	var times []float64
	failures := 3
	r.OnSync = func(context.Context, mcast.State[string]) error {
		times = append(times, r.now)
		if failures--; failures >= 0 {
			return errBusy
		}
		return nil
	}
	r.join(0, g1, "a")
	r.join(5, g1, "b") // does not make it come earlier
	r.to(100)
	require.Equal(t, []float64{0, 1, 3, 7}, times)
	require.Equal(t, "a:EXCLUDE{} b:EXCLUDE{}", members(r.Calls()[3]))
	require.Equal(t, 2, healthy.Len())
	r.join(100, g1, "c")
	require.Equal(t, 5, r.Len(), "a success ends the waiting")
}

func TestTheTimeBetweenRetriesIsBoundedAndJittered(t *testing.T) {
	r := newRig(t, mcast.Config[string]{})
	var times []float64
	always := mcast.SyncFunc[string](func(context.Context, mcast.State[string]) error {
		times = append(times, r.now)
		return errBusy
	})
	r.add("always", always, mcast.SinkConfig{MinRetry: time.Second, MaxRetry: 4 * time.Second})
	r.join(0, g1, "a")
	r.to(200)
	require.Greater(t, len(times), 45)
	gaps := map[float64]bool{}
	for i := 1; i < len(times); i++ {
		gap, want := times[i]-times[i-1], float64(min(4, uint(1)<<min(i-1, 2)))
		require.InDelta(t, want, gap, 0.1*want+0.001)
		gaps[gap] = true
	}
	require.Greater(t, len(gaps), 10, "by chance")
}

func TestFlushReportsTheFirstFailureAndGoesOn(t *testing.T) {
	r := newRig(t, mcast.Config[string]{})
	r.OnSync = func(_ context.Context, s mcast.State[string]) error {
		if s.Group() == g3 {
			return nil
		}
		return fmt.Errorf("group %v: %w", s.Group(), errBusy)
	}
	r.apply(mcast.Join(g1, "a", sec(0)), mcast.Join(g2, "a", sec(0)), mcast.Join(g3, "a", sec(0)))
	err := r.c.Flush(context.Background())
	require.ErrorIs(t, err, errBusy)
	var failed *mcast.SyncError
	require.True(t, errors.As(err, &failed))
	require.Equal(t, g1, failed.Group)
	require.Equal(t, "rec", failed.Sink)
	require.Equal(t, 3, r.Len())
	require.Contains(t, r.Holds(), g3)
	require.Equal(t, uint64(2), r.c.Statistics().Sinks[0].Errors)
	require.Equal(t, 2, r.c.Statistics().Sinks[0].Pending)
}

func TestFlushEndsWithItsContext(t *testing.T) {
	r := newRig(t, mcast.Config[string]{})
	ctx, cancel := context.WithCancel(context.Background())
	r.OnSync = func(ctx context.Context, _ mcast.State[string]) error {
		cancel()
		return ctx.Err()
	}
	r.apply(mcast.Join(g1, "a", sec(0)), mcast.Join(g2, "a", sec(0)))
	require.ErrorIs(t, r.c.Flush(ctx), context.Canceled)
	require.Equal(t, 1, r.Len())
	require.Zero(t, r.c.Statistics().Sinks[0].Errors, "to be cut short is no failure")
	r.OnSync = nil
	r.flush()
	require.Len(t, r.Holds(), 2, "what was not delivered is still due")
}

// However many groups fail, a healthy one is served between their retries.
func TestFailingGroupsDoNotStarveAHealthyOne(t *testing.T) {
	r := newRig(t, mcast.Config[string]{})
	r.OnSync = func(_ context.Context, s mcast.State[string]) error {
		if s.Group() == g1 {
			return nil
		}
		return errBusy
	}
	for i := range 10_000 {
		r.apply(mcast.Join(nth(i), "a", sec(0)))
	}
	r.flush()
	calls := r.Len()
	r.now = 1
	r.c.Advance(sec(1)) // all 10,000 are due again
	r.apply(mcast.Join(g1, "a", sec(1)))
	r.flush()
	place := slices.IndexFunc(r.Calls()[calls:], func(s mcast.State[string]) bool { return s.Group() == g1 })
	require.LessOrEqual(t, place, 1)
}

func TestD10_AnEmptiedGroupStaysUntilEverySinkTookItAway(t *testing.T) {
	r := newRig(t, mcast.Config[string]{Leave: func(string) mcast.LeavePolicy { return mcast.Immediate }})
	other := &mcasttest.Recorder[string]{}
	r.add("other", other, plain)
	r.join(0, g1, "a")
	failures := 2
	r.OnSync = func(_ context.Context, s mcast.State[string]) error {
		if failures--; failures >= 0 {
			return errBusy
		}
		return nil
	}
	r.leave(10, g1, "a")
	require.Empty(t, other.Holds())
	require.Contains(t, r.Holds(), g1)
	require.Equal(t, 1, r.c.Statistics().Groups)
	_, ok := r.c.Lookup(g1)
	require.False(t, ok, "people see that it has no members")
	r.to(13)
	require.Empty(t, r.Holds())
	require.Zero(t, r.c.Statistics().Groups)
	require.Equal(t, 0, r.Calls()[r.Len()-1].Len())
	require.Equal(t, 2, other.Len())

	// It may come back before: then the sink is told that.
	r.join(20, g1, "a")
	failures = 1
	r.leave(30, g1, "a")
	r.join(30.5, g1, "b")
	r.to(40)
	require.Equal(t, "b:EXCLUDE{}", members(r.Holds()[g1]))
	require.Equal(t, []string{"a", "b"}, changed(r.Calls()[r.Len()-1]))
}

// One undo step that fails must not keep the others from theirs, and is over as
// soon as it finds that nothing is left to undo.
func TestEachSinkTakesAGroupAwayByItself(t *testing.T) {
	r := newRig(t, mcast.Config[string]{Leave: immediate})
	broken := true
	leave := func() error { // of a host's socket, twice
		if broken {
			return errBusy
		}
		return syscall.EADDRNOTAVAIL
	}
	hostJoin := &mcasttest.Recorder[string]{OnSync: func(_ ctx, s mcast.State[string]) error {
		if s.Len() > 0 {
			return nil
		}
		if err := leave(); !errors.Is(err, syscall.EADDRNOTAVAIL) {
			return err
		}
		return nil // was not joined: that is what was wanted
	}}
	table := &mcasttest.Recorder[string]{}
	r.add("host join", hostJoin, plain)
	r.add("group table", table, plain)
	r.join(0, g1, "a")
	r.leave(10, g1, "a")
	require.Empty(t, r.Holds())
	require.Empty(t, table.Holds())
	require.Contains(t, hostJoin.Holds(), g1)
	require.Equal(t, 1, r.c.Statistics().Groups)
	r.to(100)
	calls := hostJoin.Len()
	require.Less(t, calls, 10, "it backs off")
	require.Equal(t, 2, table.Len(), "the others are not called again")
	broken = false
	r.to(200)
	require.Equal(t, calls+1, hostJoin.Len())
	require.Zero(t, r.c.Statistics().Groups)
	_, due := r.c.Next()
	require.False(t, due, "nothing is retried for ever")
}

func TestAGroupThatASinkNeverSawIsDroppedSilently(t *testing.T) {
	r := newRig(t, mcast.Config[string]{Leave: func(string) mcast.LeavePolicy { return mcast.Immediate }})
	for range 3 {
		r.apply(mcast.Join(g1, "a", sec(1)), mcast.Leave(g1, "a", sec(1)))
		require.Zero(t, r.c.Statistics().Groups)
	}
	r.flush()
	require.Zero(t, r.Len())

	// But one that it was handed without success may be half done: it hears.
	fail := true
	r.OnSync = func(context.Context, mcast.State[string]) error {
		if fail {
			return errBusy
		}
		return nil
	}
	r.join(2, g1, "a")
	fail = false
	r.leave(2.5, g1, "a")
	r.to(10)
	require.Equal(t, 2, r.Len())
	require.Zero(t, r.Calls()[1].Len())
	require.Zero(t, r.c.Statistics().Groups)
}

func TestD12_APanicIsAFailureOfTheCall(t *testing.T) {
	r := newRig(t, mcast.Config[string]{})
	panics := true
	r.OnSync = func(context.Context, mcast.State[string]) error {
		if panics {
			panic("index out of range")
		}
		return nil
	}
	r.apply(mcast.Join(g1, "a", sec(0)))
	err := r.c.Flush(context.Background())
	require.ErrorIs(t, err, mcast.ErrPanic)
	require.ErrorContains(t, err, "index out of range")
	require.NotContains(t, err.Error(), "\n", "the stack is for the log")
	require.Equal(t, uint64(1), r.c.Statistics().Sinks[0].Panics)
	panics = false
	r.to(1)
	require.Contains(t, r.Holds(), g1)
}

// As a failing assertion of a test inside a sink does.
func TestD12_ASinkThatEndsItsGoroutineHasFailed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := mcast.New(mcast.Config[string]{})
		ends := true
		synced := make(chan mcast.Group, 10)
		_, err := c.AddSink("s", mcast.SyncFunc[string](func(_ context.Context, s mcast.State[string]) error {
			if ends {
				ends = false
				runtime.Goexit()
			}
			synced <- s.Group()
			return nil
		}), mcast.SinkConfig{Workers: 1, MinRetry: time.Second})
		require.NoError(t, err)
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- c.Run(ctx) }()
		require.NoError(t, c.Apply(mcast.Join(g1, "a", time.Now())))
		synctest.Wait()
		require.NoError(t, c.Apply(mcast.Join(g2, "a", time.Now())))
		require.Equal(t, g2, <-synced, "the worker is replaced")
		require.Equal(t, g1, <-synced, "and the group is tried again")
		require.Equal(t, uint64(1), c.Statistics().Sinks[0].Panics)
		stop()
		require.NoError(t, <-ended, "nothing is waited for")
	})
}

func TestAQueryThatEndsItsGoroutineStopsNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		c := mcast.New(mcast.Config[string]{Query: func(context.Context, mcast.QueryRequest[string]) error {
			if asked++; asked == 1 {
				runtime.Goexit()
			}
			return nil
		}})
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- c.Run(ctx) }()
		require.NoError(t, c.Apply(mcast.Join(g1, "a", time.Now())))
		require.NoError(t, c.Apply(mcast.Leave(g1, "a", time.Now())))
		time.Sleep(3 * time.Second)
		stop()
		require.NoError(t, <-ended)
		require.Equal(t, 2, asked)
		require.Equal(t, uint64(1), c.Statistics().QueryErrors)
	})
}

func TestASinkIsCalledWithItsTimeout(t *testing.T) {
	r := newRig(t, mcast.Config[string]{})
	var left []time.Duration
	look := mcast.SyncFunc[string](func(ctx context.Context, _ mcast.State[string]) error {
		end, ok := ctx.Deadline()
		if ok {
			left = append(left, time.Until(end).Round(10*time.Second))
		} else {
			left = append(left, -1)
		}
		return nil
	})
	r.add("default", look, mcast.SinkConfig{})
	r.add("hour", look, mcast.SinkConfig{Timeout: time.Hour})
	r.add("none", look, plain)
	r.join(0, g1, "a")
	require.Equal(t, []time.Duration{30 * time.Second, time.Hour, -1}, left)
}
