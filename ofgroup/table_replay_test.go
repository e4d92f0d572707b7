package ofgroup_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofgrouptest"
)

// commits are groups 1 to n of one bucket each, in a table behind its own switch.
func commits(t *testing.T, n int) (*ofgroup.Table, *ofgrouptest.Switch) {
	t.Helper()
	sw, session := switchAndSession(t)
	table := ofgroup.NewTable(session, ofgroup.TableConfig{})
	for i := range n {
		_, err := table.Commit(t.Context(), toPorts(ofgroup.ID(i+1), ofgroup.All, 1))
		require.NoError(t, err)
	}
	sw.ResetCounts()
	return table, sw
}

// replayed replays the table to a switch of its own.
func replayed(t *testing.T, table *ofgroup.Table) (*ofgrouptest.Switch, error) {
	t.Helper()
	sw, session := switchAndSession(t)
	return sw, table.Replay(t.Context(), session)
}

func requireCommands(t *testing.T, mods []*ofgroup.Mod, want ...string) {
	t.Helper()
	var got []string
	for _, m := range mods {
		got = append(got, m.Command().String()+" "+m.Group().ID().String())
	}
	require.Equal(t, want, got)
}

func TestAReplayGoesToTheNewSwitchAndNothingToTheOld(t *testing.T) {
	table, old := commits(t, 50)
	sw, err := replayed(t, table)
	require.NoError(t, err)
	require.Zero(t, old.GroupMods())
	require.Equal(t, 50, sw.GroupMods())
	for i := range 50 {
		requireHolds(t, sw, toPorts(ofgroup.ID(i+1), ofgroup.All, 1))
		requireState(t, ofgroup.Held, table, ofgroup.ID(i+1))
	}
	for _, m := range received(t, sw) {
		require.Equal(t, ofgroup.AddOrMod, m.Command())
	}
}

func TestOneGroupThatFailsDoesNotKeepTheOthersFromBeingReplayed(t *testing.T) {
	table, _ := commits(t, 50)
	sw, session := switchAndSession(t)
	sw.Inject(ofgrouptest.Fault{Skip: 9, Refuse: &ofgrouptest.Refusal{Type: 6, Code: 3}})
	sw.Inject(ofgrouptest.Fault{Skip: 29, Refuse: &ofgrouptest.Refusal{Type: 6, Code: 14}})
	err := table.Replay(t.Context(), session)
	require.ErrorIs(t, err, ofgroup.ErrOutOfGroups)
	require.ErrorIs(t, err, ofgroup.ErrPermission)
	var e *ofgroup.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, "replay", e.Op)
	require.Equal(t, 50, sw.GroupMods())
	held, err := sw.Groups()
	require.NoError(t, err)
	require.Len(t, held, 48)
	_, state := table.Lookup(e.ID)
	require.Equal(t, ofgroup.Unknown, state)
	require.NoError(t, table.Replay(t.Context(), session))
}

func TestAReplayLeavesForeignGroupsAloneAndReplacesWhatIsLeftOfItsOwn(t *testing.T) {
	table, _ := commits(t, 5)
	sw, session := switchAndSession(t)
	foreign, stale := toPorts(9000, ofgroup.Select, 9), toPorts(5, ofgroup.All, 7, 8)
	for _, g := range []ofgroup.Group{foreign, stale} {
		m, err := g.Mod(ofgroup.Add, ofgroup.OpenFlow15)
		require.NoError(t, err)
		require.NoError(t, sw.Preload(m))
	}
	require.NoError(t, sw.AddFlow(5))
	require.NoError(t, table.Replay(t.Context(), session))
	requireHolds(t, sw, foreign)
	requireHolds(t, sw, toPorts(5, ofgroup.All, 1))
	require.Equal(t, 1, sw.FlowsTo(5), "traffic goes on")
	require.Equal(t, 5, sw.GroupMods())
}

func TestARestartedSwitchGetsEverythingBack(t *testing.T) {
	table, sw := commits(t, 10)
	before, err := sw.Groups()
	require.NoError(t, err)
	sw.Restart()
	require.NoError(t, table.Replay(t.Context(), connect(t, sw)))
	after, err := sw.Groups()
	require.NoError(t, err)
	require.Len(t, after, len(before))
	for i := range before {
		require.True(t, before[i].Equal(after[i]))
	}
}

// Deleting fails because the connection is gone: before the message was written, or while
// its answer was awaited.
func TestAGroupWhoseDeleteWasCutOffIsReplayedWhole(t *testing.T) {
	for name, cut := range map[string]func(*ofgrouptest.Switch){
		"before": (*ofgrouptest.Switch).Disconnect,
		"while":  func(sw *ofgrouptest.Switch) { sw.Inject(ofgrouptest.Fault{Ignore: true, Close: true}) },
	} {
		t.Run(name, func(t *testing.T) {
			sw, session := switchAndSession(t)
			table := ofgroup.NewTable(session, ofgroup.TableConfig{})
			g := toPorts(4, ofgroup.All, 1, 2, 3)
			_, err := table.Commit(t.Context(), g)
			require.NoError(t, err)
			cut(sw)
			require.ErrorIs(t, table.Delete(t.Context(), 4), ofgroup.ErrDisconnected)
			sw.Restart()
			require.NoError(t, table.Replay(t.Context(), connect(t, sw)))
			requireHolds(t, sw, g)
		})
	}
}

func TestADeleteThatWasNeverAnsweredIsMadeAgainAndTheIDIsKept(t *testing.T) {
	sender := ending(confirmed, nil)
	table := ofgroup.NewTable(sender, ofgroup.TableConfig{IDs: ofgroup.NewIDAllocator(1, 2)})
	for id := range ofgroup.ID(2) {
		_, err := table.Commit(t.Context(), toPorts(id+1, ofgroup.All, 1))
		require.NoError(t, err)
	}
	sender.then(ofgroup.Receipt{}, context.DeadlineExceeded)
	require.Error(t, table.Delete(t.Context(), 1))

	again := ending(confirmed, nil)
	require.NoError(t, table.Replay(t.Context(), again))
	requireCommands(t, again.mods, "add_or_mod 2", "delete 1")
	requireState(t, ofgroup.Absent, table, 1)
	_, err := table.Allocate()
	require.ErrorIs(t, err, ofgroup.ErrNoFreeID, "its owner was told that the delete failed")
	require.NoError(t, table.Delete(t.Context(), 1))
	id, err := table.Allocate()
	require.NoError(t, err)
	require.EqualValues(t, 1, id)
	require.Len(t, sender.mods, 3, "and nothing more was sent")
}

func TestADeleteThatNobodyConfirmedIsMadeAgainAndTheIDIsFree(t *testing.T) {
	table := ofgroup.NewTable(ending(ofgroup.Receipt{}, nil), ofgroup.TableConfig{IDs: ofgroup.NewIDAllocator(1, 1)})
	require.NoError(t, table.Delete(t.Context(), 1))
	refusing := ending(ofgroup.Receipt{}, refusedWith(8))
	require.NoError(t, table.Replay(t.Context(), refusing), "no such group: as wished")
	requireCommands(t, refusing.mods, "delete 1")
	_, err := table.Allocate()
	require.NoError(t, err)
	require.NoError(t, table.Replay(t.Context(), refusing))
	require.Len(t, refusing.mods, 1, "an ID that was never sent is not deleted")
}

func TestACommitAfterADeleteInDoubtIsWhatIsReplayed(t *testing.T) {
	sender := ending(ofgroup.Receipt{}, context.DeadlineExceeded)
	table := ofgroup.NewTable(sender, ofgroup.TableConfig{})
	require.Error(t, table.Delete(t.Context(), 1))
	sender.then(confirmed, nil)
	_, err := table.Commit(t.Context(), toPorts(1, ofgroup.All, 1))
	require.NoError(t, err)
	again := ending(confirmed, nil)
	require.NoError(t, table.Replay(t.Context(), again))
	requireCommands(t, again.mods, "add_or_mod 1")
}

func TestWhatWasForgottenIsNotReplayed(t *testing.T) {
	table, _ := commits(t, 3)
	table.Forget(2)
	sw, err := replayed(t, table)
	require.NoError(t, err)
	require.Equal(t, 2, sw.GroupMods())
}

func TestGroupsOfAReplayShareTheirBarriers(t *testing.T) {
	table, _ := commits(t, 2000)
	sw, err := replayed(t, table)
	require.NoError(t, err)
	require.Less(t, sw.Count(ofgrouptest.MsgBarrierRequest), 500)
}

func TestAReplayThroughASenderThatConfirmsNothingIsAssumed(t *testing.T) {
	table, _ := commits(t, 2)
	require.NoError(t, table.Replay(t.Context(), ending(ofgroup.Receipt{}, nil)))
	requireState(t, ofgroup.Assumed, table, 1)
}

func TestAGroupThatTheNewConnectionCannotSayIsReportedAndNotSent(t *testing.T) {
	table := ofgroup.NewTable(ending(confirmed, nil), ofgroup.TableConfig{})
	property := ofgroup.New(1, ofgroup.Select).AddBuckets(ofgroup.NewBucket(ofgroup.Output(1))).
		WithSelection(ofgroup.Hash(ofgroup.IPDst))
	plain := ofgroup.New(2, ofgroup.All).AddBuckets(ofgroup.NewBucket(ofgroup.Output(1)))
	for _, g := range []ofgroup.Group{property, plain} {
		_, err := table.Commit(t.Context(), g)
		require.NoError(t, err)
	}
	var sent []*ofgroup.Mod
	old := ofgroup.SendFunc(ofgroup.OpenFlow13, func(_ context.Context, m *ofgroup.Mod) error {
		sent = append(sent, m)
		return nil
	})
	err := table.Replay(t.Context(), old)
	require.ErrorIs(t, err, ofgroup.ErrVersion)
	require.ErrorIs(t, err, ofgroup.ErrNotSent)
	requireCommands(t, sent, "add_or_mod 2")
}

func TestALostConnectionEndsTheReplayAndVoidsWhatItLearnt(t *testing.T) {
	table, _ := commits(t, 1000)
	sw, session := switchAndSession(t)
	sw.Inject(ofgrouptest.Fault{Skip: 700, Close: true})
	err := table.Replay(t.Context(), session)
	require.ErrorIs(t, err, ofgroup.ErrDisconnected)
	for _, state := range table.Groups() {
		require.Equal(t, ofgroup.Unknown, state)
	}
	again, err := replayed(t, table)
	require.NoError(t, err)
	require.Equal(t, 1000, again.GroupMods())
}

func TestTheEndOfItsContextEndsAReplay(t *testing.T) {
	table, _ := commits(t, 1000)
	ctx, cancel := context.WithCancel(t.Context())
	sender := &scripted{}
	sender.answer = func(ctx context.Context, _ *ofgroup.Mod) (ofgroup.Receipt, error) {
		if _, n := sender.last(); n == 10 {
			cancel()
		}
		return confirmed, nil
	}
	require.ErrorIs(t, table.Replay(ctx, sender), context.Canceled)
	_, n := sender.last()
	require.Less(t, n, 1000)
	require.ErrorIs(t, table.Replay(ctx, sender), context.Canceled)
}

// An ID that another call does not let go costs the replay its timeout, and nobody else
// anything.
func TestATurnThatDoesNotComeIsReportedAndTheOthersAreSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		table := ofgroup.NewTable(ending(confirmed, nil), ofgroup.TableConfig{Timeout: time.Second})
		for id := range ofgroup.ID(3) {
			_, err := table.Commit(t.Context(), toPorts(id+1, ofgroup.All, 1))
			require.NoError(t, err)
		}
		letGo := make(chan struct{})
		updated := make(chan error)
		go func() {
			updated <- table.Update(t.Context(), 2, func(g ofgroup.Group, _ bool) (ofgroup.Group, error) {
				<-letGo
				return g, errors.New("changed my mind")
			})
		}()
		synctest.Wait()
		again := ending(confirmed, nil)
		err := table.Replay(t.Context(), again)
		require.ErrorIs(t, err, ofgroup.ErrNotSent)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		var ids []ofgroup.ID
		for _, m := range again.mods {
			ids = append(ids, m.Group().ID())
		}
		slices.Sort(ids)
		require.Equal(t, []ofgroup.ID{1, 3}, ids)
		close(letGo)
		require.Error(t, <-updated)
		requireState(t, ofgroup.Unknown, table, 2)
		requireState(t, ofgroup.Held, table, 3)
	})
}
