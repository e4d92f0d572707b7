package ofgroup_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/ofgroup"
)

func addPort(p ofgroup.Port) func(ofgroup.Group, bool) (ofgroup.Group, error) {
	return func(old ofgroup.Group, _ bool) (ofgroup.Group, error) {
		return old.AddBuckets(ofgroup.NewBucket(ofgroup.Output(p)).WithID(ofgroup.BucketID(p))), nil
	}
}

func TestTwoWritersLoseNoBucket(t *testing.T) {
	sw, session := switchAndSession(t)
	table := ofgroup.NewTable(session, ofgroup.TableConfig{})
	_, err := table.Commit(t.Context(), toPorts(7, ofgroup.All, 1))
	require.NoError(t, err)
	sw.ResetCounts()
	const writers = 64
	errs := make(chan error, writers)
	for p := range ofgroup.Port(writers) {
		go func() { errs <- table.Update(t.Context(), 7, addPort(p+2)) }()
	}
	for range writers {
		require.NoError(t, <-errs)
	}
	require.Equal(t, writers, sw.GroupMods())
	held, _, err := sw.Group(7)
	require.NoError(t, err)
	require.Equal(t, writers+1, held.Len())
	known, state := table.Lookup(7)
	require.Equal(t, ofgroup.Held, state)
	require.True(t, known.Equal(held))
}

// blocking is a Sender that holds group 1 back until let go.
func blocking() (s *scripted, entered, letGo chan struct{}) {
	entered, letGo = make(chan struct{}, 10), make(chan struct{})
	return &scripted{answer: func(_ context.Context, m *ofgroup.Mod) (ofgroup.Receipt, error) {
		if m.Group().ID() == 1 {
			entered <- struct{}{}
			<-letGo
		}
		return confirmed, nil
	}}, entered, letGo
}

func TestGroupsDoNotWaitForOneAnother(t *testing.T) {
	sender, entered, letGo := blocking()
	table := ofgroup.NewTable(sender, ofgroup.TableConfig{})
	first := make(chan error)
	go func() { first <- commit(table, 1) }()
	<-entered
	require.NoError(t, commit(table, 2))
	require.NoError(t, table.Delete(t.Context(), 2))
	_, err := table.Allocate()
	require.NoError(t, err)
	requireState(t, ofgroup.Unknown, table, 1)
	for range table.Groups() {
		t.Fatal("group 1 is not there yet, group 2 no more")
	}
	close(letGo)
	require.NoError(t, <-first)
	requireState(t, ofgroup.Held, table, 1)
}

func commit(t *ofgroup.Table, id ofgroup.ID) error {
	_, err := t.Commit(context.Background(), toPorts(id, ofgroup.All, 1))
	return err
}

func TestCallsForOneGroupTakeTurns(t *testing.T) {
	var mu sync.Mutex
	inside, most := 0, 0
	sender := &scripted{answer: func(context.Context, *ofgroup.Mod) (ofgroup.Receipt, error) {
		mu.Lock()
		inside++
		most = max(most, inside)
		mu.Unlock()
		defer func() { mu.Lock(); inside--; mu.Unlock() }()
		return confirmed, nil
	}}
	table := ofgroup.NewTable(sender, ofgroup.TableConfig{})
	var all sync.WaitGroup
	for i := range 32 {
		all.Go(func() {
			switch i % 4 {
			case 0:
				_ = commit(table, 7)
			case 1:
				_ = table.Delete(context.Background(), 7)
			case 2:
				_ = table.Update(context.Background(), 7, addPort(ofgroup.Port(i+10)))
			default:
				_, _ = table.Sync(context.Background(), toPorts(7, ofgroup.All, 5))
			}
		})
	}
	all.Wait()
	require.Equal(t, 1, most)
}

func TestTurnsAreTakenInTheOrderTheyWereAskedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sender, entered, letGo := blocking()
		table := ofgroup.NewTable(sender, ofgroup.TableConfig{})
		const calls = 5
		ended := make(chan error, calls)
		for p := range ofgroup.Port(calls) {
			go func() {
				_, err := table.Commit(t.Context(), toPorts(1, ofgroup.All, p+1))
				ended <- err
			}()
			synctest.Wait()
		}
		for p := range ofgroup.Port(calls) {
			<-entered
			m, _ := sender.last()
			require.True(t, m.Group().Equal(toPorts(1, ofgroup.All, p+1)), "%v", m)
			letGo <- struct{}{}
			require.NoError(t, <-ended)
		}
	})
}

func TestACallThatGivesUpWaitingForItsTurnSentNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sender, entered, letGo := blocking()
		table := ofgroup.NewTable(sender, ofgroup.TableConfig{Timeout: time.Minute})
		first := make(chan error)
		go func() { first <- commit(table, 1) }()
		<-entered

		ctx, cancel := context.WithCancel(t.Context())
		second := make(chan error)
		go func() {
			_, err := table.Commit(ctx, toPorts(1, ofgroup.All, 2))
			second <- err
		}()
		synctest.Wait()
		cancel()
		requireNothingSent(t, sender, 1, <-second, context.Canceled)

		start := time.Now()
		requireNothingSent(t, sender, 1, table.Delete(t.Context(), 1), context.DeadlineExceeded)
		require.Equal(t, time.Minute, time.Since(start), "the table's own timeout")
		close(letGo)
		require.NoError(t, <-first)
		known, state := table.Lookup(1)
		require.Equal(t, ofgroup.Held, state)
		require.True(t, known.Equal(toPorts(1, ofgroup.All, 1)))
	})
}

func TestACancelledContextSendsNothingAndOwnsNothing(t *testing.T) {
	ids := ofgroup.NewIDAllocator(1, 10)
	sender := ending(confirmed, nil)
	a := ofgroup.NewTable(sender, ofgroup.TableConfig{IDs: ids})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := a.Commit(ctx, toPorts(1, ofgroup.All, 1))
	requireNothingSent(t, sender, 0, err, context.Canceled)
	require.NoError(t, commit(ofgroup.NewTable(sender, ofgroup.TableConfig{IDs: ids}), 1))
}

func TestForgetInTheMiddleOfACallWaitsForItsEnd(t *testing.T) {
	ids := ofgroup.NewIDAllocator(1, 10)
	sender, entered, letGo := blocking()
	a := ofgroup.NewTable(sender, ofgroup.TableConfig{IDs: ids})
	b := ofgroup.NewTable(sender, ofgroup.TableConfig{IDs: ids})
	first := make(chan error)
	go func() { first <- commit(a, 1) }()
	<-entered
	a.Forget(1)
	require.ErrorIs(t, commit(b, 1), ofgroup.ErrIDOwned)
	letGo <- struct{}{}
	require.NoError(t, <-first)
	requireState(t, ofgroup.Unknown, a, 1)
	close(letGo)
	require.NoError(t, commit(b, 1))
	requireState(t, ofgroup.Held, b, 1)
	b.Forget(1)
	b.Forget(1)
	requireState(t, ofgroup.Unknown, b, 1)
	_, known := b.Lookup(1)
	require.Equal(t, ofgroup.Unknown, known, "a forgotten group may still be there")
}

func TestACallAfterForgetIsRememberedThoughAnOlderOneIsInProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sender, entered, letGo := blocking()
		table := ofgroup.NewTable(sender, ofgroup.TableConfig{})
		ended := make(chan error)
		go func() { ended <- commit(table, 1) }()
		<-entered
		table.Forget(1)
		go func() { ended <- commit(table, 1) }()
		synctest.Wait()
		close(letGo)
		require.NoError(t, <-ended)
		require.NoError(t, <-ended)
		requireState(t, ofgroup.Held, table, 1)
	})
}

// Everything at once, for the race detector; at the end the switch holds what the tables
// say it does.
func TestTablesAndSwitchAgreeAfterEverythingAtOnce(t *testing.T) {
	sw, session := switchAndSession(t)
	ids := ofgroup.NewIDAllocator(1, 8)
	tables := []*ofgroup.Table{
		ofgroup.NewTable(session, ofgroup.TableConfig{IDs: ids}),
		ofgroup.NewTable(connect(t, sw), ofgroup.TableConfig{IDs: ids}),
	}
	var all sync.WaitGroup
	for w := range 8 {
		all.Go(func() {
			for n := range 60 {
				if err := act(tables[w%2], n*7+w); err != nil && !errors.Is(err, ofgroup.ErrIDOwned) {
					t.Errorf("%v", err)
				}
			}
		})
	}
	all.Wait()
	agree := 0
	for _, table := range tables {
		for g, state := range table.Groups() {
			require.Equal(t, ofgroup.Held, state)
			requireHolds(t, sw, g)
			agree++
		}
	}
	held, err := sw.Groups()
	require.NoError(t, err)
	require.Len(t, held, agree)
}

func act(t *ofgroup.Table, n int) error {
	ctx := context.Background()
	id := ofgroup.ID(1 + n%8)
	switch n % 5 {
	case 0:
		return t.Delete(ctx, id)
	case 1:
		return t.Update(ctx, id, func(ofgroup.Group, bool) (ofgroup.Group, error) {
			return toPorts(id, ofgroup.All, ofgroup.Port(n)), nil
		})
	case 2:
		_, err := t.Sync(ctx, toPorts(id, ofgroup.All, 1, 2))
		return err
	default:
		_, _ = t.Lookup(id)
		return commit(t, id)
	}
}
