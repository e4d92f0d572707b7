package ofgroup_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofgrouptest"
)

var confirmed = ofgroup.Receipt{XID: 1, Confirmed: true}

func TestACommitIsOneModifyHoweverManyBucketsWereAdded(t *testing.T) {
	sw, session := switchAndSession(t)
	table := ofgroup.NewTable(session, ofgroup.TableConfig{})
	_, err := table.Commit(t.Context(), toPorts(100, ofgroup.All, 1))
	require.NoError(t, err)
	sw.ResetCounts()

	g := ofgroup.New(100, ofgroup.All)
	for p := range ofgroup.Port(100) {
		g = g.AddBuckets(ofgroup.NewBucket(ofgroup.Output(p + 1)).WithID(ofgroup.BucketID(p)))
	}
	require.Zero(t, sw.GroupMods(), "building talks to nobody")
	r, err := table.Commit(t.Context(), g)
	require.NoError(t, err)
	require.True(t, r.Confirmed)
	mods := received(t, sw)
	require.Len(t, mods, 1)
	require.Equal(t, ofgroup.Modify, mods[0].Command())
	require.Equal(t, 100, mods[0].Group().Len())
	requireHolds(t, sw, g)
}

func TestTheCommandFollowsWhatTheTableKnows(t *testing.T) {
	rec := ofgrouptest.NewRecorder(ofgroup.OpenFlow15)
	table := ofgroup.NewTable(rec, ofgroup.TableConfig{})
	g := toPorts(7, ofgroup.All, 1)
	requireState(t, ofgroup.Unknown, table, 7)

	_, err := table.Commit(t.Context(), g)
	require.NoError(t, err)
	require.Equal(t, ofgroup.AddOrMod, rec.RequireOne(t).Command())
	requireState(t, ofgroup.Held, table, 7)

	_, err = table.Commit(t.Context(), g)
	require.NoError(t, err)
	require.Equal(t, ofgroup.Modify, rec.RequireOne(t).Command(), "a commit is a message, needed or not")

	require.NoError(t, table.Delete(t.Context(), 7))
	require.Equal(t, ofgroup.Delete, rec.RequireOne(t).Command())
	requireState(t, ofgroup.Absent, table, 7)

	require.NoError(t, table.Delete(t.Context(), 7))
	require.Empty(t, rec.Mods(), "what is known to be absent needs no delete")

	_, err = table.Commit(t.Context(), g)
	require.NoError(t, err)
	require.Equal(t, ofgroup.Add, rec.RequireOne(t).Command())
}

func TestSyncSendsOnlyWhatTheSwitchHasNot(t *testing.T) {
	sw, session := switchAndSession(t)
	table := ofgroup.NewTable(session, ofgroup.TableConfig{})
	for _, step := range []struct {
		ports []ofgroup.Port
		sent  bool
	}{
		{[]ofgroup.Port{1, 2}, true},
		{[]ofgroup.Port{1, 2}, false},
		{[]ofgroup.Port{2, 1}, true}, // the order of buckets is part of the group
		{[]ofgroup.Port{2, 1}, false},
		{nil, true},
		{nil, false},
	} {
		sw.ResetCounts()
		g := toPorts(7, ofgroup.All, step.ports...)
		sent, err := table.Sync(t.Context(), g)
		require.NoError(t, err)
		require.Equal(t, step.sent, sent)
		require.Equal(t, step.sent, sw.GroupMods() == 1)
		requireHolds(t, sw, g)
	}
}

func TestSyncReportsWhatMayHaveBeenWritten(t *testing.T) {
	g := toPorts(7, ofgroup.All, 1)
	for _, test := range []struct {
		err  error
		sent bool
	}{
		{errors.New("timeout"), true},
		{refusedWith(1), true},
		{ofgroup.NotSent(errors.New("busy")), false},
	} {
		table := ofgroup.NewTable(ending(ofgroup.Receipt{}, test.err), ofgroup.TableConfig{})
		sent, err := table.Sync(t.Context(), g)
		require.ErrorIs(t, err, test.err)
		require.Equal(t, test.sent, sent)
	}
}

func TestARecycledIDHasNothingOfTheOldGroup(t *testing.T) {
	sw, session := switchAndSession(t)
	table := ofgroup.NewTable(session, ofgroup.TableConfig{})
	_, err := table.Commit(t.Context(), toPorts(5, ofgroup.Select, 1, 2))
	require.NoError(t, err)
	require.NoError(t, table.Delete(t.Context(), 5))
	for range table.Groups() {
		t.Fatal("the table kept the deleted group")
	}
	g := toPorts(5, ofgroup.All, 1, 2)
	_, err = table.Commit(t.Context(), g)
	require.NoError(t, err)
	mods := received(t, sw)
	require.Equal(t, ofgroup.Add, mods[len(mods)-1].Command())
	require.Equal(t, ofgroup.All, mods[len(mods)-1].Group().Type())
	requireHolds(t, sw, g)
}

func TestAChangeOfTypeIsRefusedAndNothingIsSent(t *testing.T) {
	for name, sender := range map[string]*scripted{
		"held":    ending(confirmed, nil),
		"assumed": ending(ofgroup.Receipt{}, nil),
	} {
		t.Run(name, func(t *testing.T) {
			table := ofgroup.NewTable(sender, ofgroup.TableConfig{})
			_, err := table.Commit(t.Context(), toPorts(5, ofgroup.Select, 1))
			require.NoError(t, err)
			other := toPorts(5, ofgroup.All, 1)
			_, err = table.Commit(t.Context(), other)
			requireNothingSent(t, sender, 1, err, ofgroup.ErrTypeChange)
			_, err = table.Sync(t.Context(), other)
			requireNothingSent(t, sender, 1, err, ofgroup.ErrTypeChange)
			err = table.Update(t.Context(), 5, func(ofgroup.Group, bool) (ofgroup.Group, error) { return other, nil })
			requireNothingSent(t, sender, 1, err, ofgroup.ErrTypeChange)
		})
	}
}

func requireNothingSent(tb testing.TB, s *scripted, before int, err, want error) {
	tb.Helper()
	require.ErrorIs(tb, err, want)
	require.ErrorIs(tb, err, ofgroup.ErrNotSent)
	var e *ofgroup.Error
	require.ErrorAs(tb, err, &e)
	_, n := s.last()
	require.Equal(tb, before, n)
}

func TestReservedIDsNeverReachTheSwitch(t *testing.T) {
	sender := ending(confirmed, nil)
	table := ofgroup.NewTable(sender, ofgroup.TableConfig{})
	for _, id := range []ofgroup.ID{ofgroup.MaxID + 1, ofgroup.AllGroups, ofgroup.AnyGroup} {
		_, err := table.Commit(t.Context(), toPorts(id, ofgroup.All, 1))
		requireNothingSent(t, sender, 0, err, ofgroup.ErrReservedID)
		_, err = table.Sync(t.Context(), toPorts(id, ofgroup.All, 1))
		requireNothingSent(t, sender, 0, err, ofgroup.ErrReservedID)
		requireNothingSent(t, sender, 0, table.Delete(t.Context(), id), ofgroup.ErrReservedID)
		err = table.Update(t.Context(), id, func(g ofgroup.Group, _ bool) (ofgroup.Group, error) { return g, nil })
		requireNothingSent(t, sender, 0, err, ofgroup.ErrReservedID)
	}
	for _, id := range []ofgroup.ID{0, 1, ofgroup.MaxID} {
		_, err := table.Commit(t.Context(), toPorts(id, ofgroup.All, 1))
		require.NoError(t, err)
	}
}

func TestDeleteCarriesNothingButTheNumber(t *testing.T) {
	sw, session := switchAndSession(t)
	table := ofgroup.NewTable(session, ofgroup.TableConfig{})
	_, err := table.Commit(t.Context(), toPorts(7, ofgroup.Select, 1, 2))
	require.NoError(t, err)
	require.NoError(t, table.Delete(t.Context(), 7))
	require.NoError(t, table.Delete(t.Context(), 8), "never installed")
	log := sw.GroupModLog()
	require.Len(t, log, 3)
	for i, id := range []byte{7, 8} {
		m := log[1+i].Message
		require.Equal(t, unhex(t, fmt.Sprintf("00020000000000%02x00000000ffffffff", id)), m[8:])
	}
}

func TestUpdatesKeepTheFlowsThatUseTheGroup(t *testing.T) {
	sw, session := switchAndSession(t)
	table := ofgroup.NewTable(session, ofgroup.TableConfig{})
	_, err := table.Commit(t.Context(), toPorts(7, ofgroup.All, 1))
	require.NoError(t, err)
	require.NoError(t, sw.AddFlow(7))
	_, err = table.Commit(t.Context(), toPorts(7, ofgroup.All, 1, 2))
	require.NoError(t, err)
	require.Equal(t, 1, sw.FlowsTo(7))
	for _, m := range received(t, sw) {
		require.NotEqual(t, ofgroup.Delete, m.Command())
	}
	requireHolds(t, sw, toPorts(7, ofgroup.All, 1, 2))
}

func TestGroupsOfAnEarlierProcessAreTakenOverAndForeignOnesLeftAlone(t *testing.T) {
	sw, session := switchAndSession(t)
	foreign := toPorts(9000, ofgroup.Select, 1)
	for _, g := range []ofgroup.Group{toPorts(5, ofgroup.All, 3), foreign} {
		m, err := g.Mod(ofgroup.Add, ofgroup.OpenFlow15)
		require.NoError(t, err)
		require.NoError(t, sw.Preload(m))
	}
	require.NoError(t, sw.AddFlow(5))
	table := ofgroup.NewTable(session, ofgroup.TableConfig{})
	ours := toPorts(5, ofgroup.All, 1, 2)
	_, err := table.Commit(t.Context(), ours)
	require.NoError(t, err)
	requireHolds(t, sw, ours)
	requireHolds(t, sw, foreign)
	require.Equal(t, 1, sw.FlowsTo(5))
	require.Equal(t, 1, sw.GroupMods())
}

func TestWhatCouldNotBeReadBackInOpenFlow13IsRefusedUnlessLifted(t *testing.T) {
	sender := ending(confirmed, nil)
	table := ofgroup.NewTable(sender, ofgroup.TableConfig{})
	_, err := table.Commit(t.Context(), ofgroup.New(1, ofgroup.All).WithBuckets(outputs(2047)...))
	require.NoError(t, err)
	_, err = table.Commit(t.Context(), ofgroup.New(1, ofgroup.All).WithBuckets(outputs(2048)...))
	requireNothingSent(t, sender, 1, err, ofgroup.ErrTooLarge)
	var large *ofgroup.TooLargeError
	require.ErrorAs(t, err, &large)
	require.Equal(t, 2047, large.Fit)

	lifted := ofgroup.NewTable(sender, ofgroup.TableConfig{Readable: ofgroup.OpenFlow15})
	_, err = lifted.Commit(t.Context(), ofgroup.New(1, ofgroup.All).WithBuckets(outputs(2729)...))
	require.NoError(t, err)
	_, err = lifted.Commit(t.Context(), ofgroup.New(1, ofgroup.All).WithBuckets(outputs(2730)...))
	requireNothingSent(t, sender, 2, err, ofgroup.ErrTooLarge)
}

func TestAnInvalidGroupNamesItsBucketAndClaimsNothing(t *testing.T) {
	ids := ofgroup.NewIDAllocator(1, 10)
	sender := ending(confirmed, nil)
	a := ofgroup.NewTable(sender, ofgroup.TableConfig{IDs: ids})
	b := ofgroup.NewTable(sender, ofgroup.TableConfig{IDs: ids})
	bad := toPorts(3, ofgroup.All, 1).AddBuckets(ofgroup.NewBucket(ofgroup.Output(2)).WithWeight(5))
	_, err := a.Commit(t.Context(), bad)
	requireNothingSent(t, sender, 0, err, ofgroup.ErrWeight)
	var e *ofgroup.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, 1, e.Bucket)
	_, err = b.Commit(t.Context(), toPorts(3, ofgroup.All, 1))
	require.NoError(t, err, "a call that sent nothing owns nothing")
}

func TestUpdateGetsWhatIsThereAndItsErrorComesBack(t *testing.T) {
	sender := ending(confirmed, nil)
	table := ofgroup.NewTable(sender, ofgroup.TableConfig{})
	mine := errors.New("not today")
	err := table.Update(t.Context(), 7, func(old ofgroup.Group, ok bool) (ofgroup.Group, error) {
		require.False(t, ok)
		require.True(t, old.Equal(ofgroup.New(7, ofgroup.All)))
		return old, mine
	})
	requireNothingSent(t, sender, 0, err, mine)
	_, err = table.Commit(t.Context(), toPorts(7, ofgroup.All, 1))
	require.NoError(t, err)
	update := func(f func(ofgroup.Group) ofgroup.Group) error {
		return table.Update(t.Context(), 7, func(old ofgroup.Group, ok bool) (ofgroup.Group, error) {
			require.True(t, ok)
			return f(old), nil
		})
	}
	err = update(func(ofgroup.Group) ofgroup.Group { return toPorts(8, ofgroup.All, 1) })
	requireNothingSent(t, sender, 1, err, ofgroup.ErrIDChange)
	require.NoError(t, update(func(g ofgroup.Group) ofgroup.Group { return g }))
	_, n := sender.last()
	require.Equal(t, 1, n, "no change, no message")
	require.NoError(t, update(func(g ofgroup.Group) ofgroup.Group { return toPorts(7, ofgroup.All, 1, 2) }))
	m, _ := sender.last()
	require.Equal(t, ofgroup.Modify, m.Command())
	require.Equal(t, 2, m.Group().Len())
}

func TestASenderThatPanicsLeavesTheIDUsableAndUnknown(t *testing.T) {
	sender := ending(confirmed, nil)
	table := ofgroup.NewTable(sender, ofgroup.TableConfig{})
	_, err := table.Commit(t.Context(), toPorts(7, ofgroup.All, 1))
	require.NoError(t, err)
	sender.answer = func(context.Context, *ofgroup.Mod) (ofgroup.Receipt, error) { panic("sender") }
	require.Panics(t, func() { _, _ = table.Commit(t.Context(), toPorts(7, ofgroup.All, 2)) })
	requireState(t, ofgroup.Unknown, table, 7)
	sender.then(confirmed, nil)
	_, err = table.Commit(t.Context(), toPorts(7, ofgroup.All, 2))
	require.NoError(t, err)
	m, _ := sender.last()
	require.Equal(t, ofgroup.AddOrMod, m.Command())
}
