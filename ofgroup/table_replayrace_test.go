package ofgroup_test

import (
	"context"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/ofgroup"
)

// gated is a Sender that has no connection until it is let through, as a connection that is
// made again is to all but the replay.
type gated struct {
	ofgroup.Sender
	open atomic.Bool
}

func (g *gated) Send(ctx context.Context, m *ofgroup.Mod) (ofgroup.Receipt, error) {
	if !g.open.Load() {
		return ofgroup.Receipt{}, ofgroup.NotSent(ofgroup.ErrDisconnected)
	}
	return g.Sender.Send(ctx, m)
}

func TestCommitsThatFindNoConnectionDuringAReplayDoNotUndoIt(t *testing.T) {
	through := ending(confirmed, nil)
	front := &gated{Sender: through}
	front.open.Store(true)
	table := ofgroup.NewTable(front, ofgroup.TableConfig{})
	for id := range ofgroup.ID(3) {
		_, err := table.Commit(t.Context(), toPorts(id+1, ofgroup.All, 1))
		require.NoError(t, err)
	}
	front.open.Store(false)
	again := &scripted{answer: func(_ context.Context, m *ofgroup.Mod) (ofgroup.Receipt, error) {
		_, err := table.Commit(t.Context(), toPorts(9, ofgroup.All, 1))
		require.ErrorIs(t, err, ofgroup.ErrDisconnected)
		return confirmed, nil
	}}
	require.NoError(t, table.Replay(t.Context(), again))
	for id := range ofgroup.ID(3) {
		requireState(t, ofgroup.Held, table, id+1)
	}
	_, err := table.Commit(t.Context(), toPorts(1, ofgroup.All, 2))
	require.ErrorIs(t, err, ofgroup.ErrDisconnected)
	requireState(t, ofgroup.Unknown, table, 2)
}

// A commit that the old connection cut off is told so only after the new one's replay has
// begun.
func TestACommitCutOffLateIsReplayedAfterItAndVoidsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sender := ending(confirmed, nil)
		table := ofgroup.NewTable(sender, ofgroup.TableConfig{})
		for id := range ofgroup.ID(2) {
			_, err := table.Commit(t.Context(), toPorts(id+1, ofgroup.All, 1))
			require.NoError(t, err)
		}
		told := make(chan struct{})
		sender.answer = func(context.Context, *ofgroup.Mod) (ofgroup.Receipt, error) {
			<-told
			return ofgroup.Receipt{}, ofgroup.ErrDisconnected
		}
		cut := make(chan error)
		go func() {
			_, err := table.Commit(t.Context(), toPorts(1, ofgroup.All, 7))
			cut <- err
		}()
		synctest.Wait()
		again := ending(confirmed, nil)
		done := make(chan error)
		go func() { done <- table.Replay(t.Context(), again) }()
		synctest.Wait()
		requireCommands(t, again.mods, "add_or_mod 2")
		close(told)
		require.ErrorIs(t, <-cut, ofgroup.ErrDisconnected)
		require.NoError(t, <-done)
		requireCommands(t, again.mods, "add_or_mod 2", "add_or_mod 1")
		for id := range ofgroup.ID(2) {
			requireState(t, ofgroup.Held, table, id+1)
		}
	})
}

func TestWhatWasCommittedSinceTheReplayBeganIsNotSentAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		table := ofgroup.NewTable(ending(confirmed, nil), ofgroup.TableConfig{})
		for _, g := range []ofgroup.Group{using(1, []ofgroup.ID{2}, nil), using(2, nil, nil)} {
			_, err := table.Commit(t.Context(), g)
			require.NoError(t, err)
		}
		letGo := make(chan struct{})
		again := &scripted{answer: func(context.Context, *ofgroup.Mod) (ofgroup.Receipt, error) {
			<-letGo
			return confirmed, nil
		}}
		done := make(chan error)
		go func() { done <- table.Replay(t.Context(), again) }()
		synctest.Wait() // group 2 is under way, and 1 waits for it
		newer := using(1, []ofgroup.ID{2, 2}, nil)
		_, err := table.Commit(t.Context(), newer)
		require.NoError(t, err)
		close(letGo)
		require.NoError(t, <-done)
		requireCommands(t, again.mods, "add_or_mod 2")
		g, state := table.Lookup(1)
		require.True(t, g.Equal(newer))
		require.Equal(t, ofgroup.Held, state)
	})
}

// Writers go on while replays run: what each wrote last is what the switch holds.
func TestNoCommitIsLostToAReplay(t *testing.T) {
	sw, session := switchAndSession(t)
	table := ofgroup.NewTable(session, ofgroup.TableConfig{})
	const writers, ids, rounds = 8, 5, 40
	var writing, replaying sync.WaitGroup
	var last [writers * ids]ofgroup.Group
	for w := range writers {
		writing.Go(func() {
			random := rand.New(rand.NewPCG(1, uint64(w)))
			for range rounds {
				i := w*ids + random.IntN(ids)
				g := toPorts(ofgroup.ID(i+1), ofgroup.All, ofgroup.Port(1+random.IntN(100)))
				if _, err := table.Commit(t.Context(), g); err != nil {
					t.Error(err)
				}
				last[i] = g
			}
		})
	}
	written := make(chan struct{})
	for range 2 {
		replaying.Go(func() {
			for {
				if err := table.Replay(t.Context(), session); err != nil {
					t.Error(err)
				}
				select {
				case <-written:
					return
				default:
				}
			}
		})
	}
	writing.Wait()
	close(written)
	replaying.Wait()
	for _, g := range last {
		if g.ID() != 0 {
			requireHolds(t, sw, g)
		}
	}
}
