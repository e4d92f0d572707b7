package ofgroup_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/internal/ovslab"
	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofgrouptest"
)

// someChanges are groups before and after, with a change of each kind.
func someChanges() (desired, observed []ofgroup.Group) {
	return groups(using(1, ids(2, 10), nil), using(2, nil, ids(5)), toPorts(4, ofgroup.Select, 1), members(5, ofgroup.All, 1, 2), members(6, ofgroup.All, 1), using(10, nil, nil)),
		groups(using(2, ids(7), nil), using(3, ids(7, 8), nil), toPorts(4, ofgroup.All, 1), toPorts(5, ofgroup.All, 1), toPorts(6, ofgroup.All, 2, 1), using(7, ids(8), nil), using(8, nil, nil))
}

func TestWhatAPlanPrintsIsWhatIsSent(t *testing.T) {
	desired, observed := someChanges()
	table, sw := restarted(t, observed...)
	table.Adopt(listed(t, sw), ofgroup.Full)
	p := planOf(t, desired, listed(t, sw))
	outcomes, err := table.Apply(t.Context(), p)
	require.NoError(t, err)
	require.Len(t, outcomes, p.Len())
	var want, sent [][]byte
	for s := range p.Steps() {
		want = append(want, marshalled(t, s.Mod()))
	}
	for _, l := range sw.GroupModLog() {
		copy(l.Message[4:8], []byte{0, 0, 0, 0}) // the transaction ID
		sent = append(sent, l.Message)
	}
	require.ElementsMatch(t, want, sent)
	require.Zero(t, planOf(t, desired, listed(t, sw)).Len())
	for _, o := range outcomes {
		require.NoError(t, o.Err)
		require.True(t, o.Sent && o.Receipt.Confirmed, "%v", o.Step)
		if o.Step.Command() != ofgroup.Delete {
			requireAgreed(t, table, sw, o.Step.ID())
		}
	}

	sw.ResetCounts()
	outcomes, err = table.Apply(t.Context(), p)
	require.NoError(t, err)
	for _, o := range outcomes {
		replaced := o.Step.ID() == 4 // it is deleted and added again
		require.Equal(t, replaced, o.Sent, "%v", o.Step)
	}
}

// A dry run is a file that Open vSwitch's own tool takes, with the same end.
func TestAPrintedPlanIsTakenByOvsOfctl(t *testing.T) {
	lab := ovslab.New(t, ovslab.Config{})
	desired, observed := someChanges()
	for _, step := range []struct{ desired, observed []ofgroup.Group }{{observed, nil}, {desired, observed}} {
		p := planOf(t, step.desired, step.observed)
		_, err := lab.OfctlInput(t.Context(), p.String(), "add-groups", lab.Bridge(), "-")
		require.NoError(t, err)
		session := labSession(t, lab)
		for id := range ofgroup.ID(20) {
			want, is := find(step.desired, id)
			held, has, err := session.GroupDesc(t.Context(), id)
			require.NoError(t, err)
			require.Equal(t, is, has, "group %v", id)
			if is {
				require.Zero(t, planOf(t, groups(want), groups(held)).Len())
			}
		}
	}
}

func find(all []ofgroup.Group, id ofgroup.ID) (ofgroup.Group, bool) {
	for _, g := range all {
		if g.ID() == id {
			return g, true
		}
	}
	return ofgroup.Group{}, false
}

func TestApplyGoesOnWithWhatDoesNotNeedTheFailedStep(t *testing.T) {
	table, sw := restarted(t, using(1, ids(2), nil), using(2, nil, nil), using(3, nil, nil))
	table.Adopt(listed(t, sw), ofgroup.Full)
	p := planOf(t, groups(using(1, nil, nil), using(4, ids(1), nil), using(5, nil, nil)), listed(t, sw))
	sw.Inject(ofgrouptest.Fault{Refuse: &ofgrouptest.Refusal{Type: 6, Code: 14}}) // 1 or 5, whichever is first
	outcomes, err := table.Apply(t.Context(), p)
	require.ErrorIs(t, err, ofgroup.ErrPermission)
	require.NotErrorIs(t, err, ofgroup.ErrSkipped)
	failed := make(map[ofgroup.ID]error)
	for _, o := range outcomes {
		failed[o.Step.ID()] = o.Err
	}
	require.NoError(t, failed[3])
	if failed[5] == nil {
		require.ErrorIs(t, failed[1], ofgroup.ErrPermission)
		for _, id := range ids(2, 4) {
			require.ErrorIs(t, failed[id], ofgroup.ErrSkipped)
			require.ErrorIs(t, failed[id], ofgroup.ErrNotSent)
		}
	} else {
		require.NoError(t, failed[1])
	}

	outcomes, err = table.Apply(t.Context(), p)
	require.NoError(t, err, "again, for what is left")
	for _, o := range outcomes {
		require.Equal(t, failed[o.Step.ID()] != nil, o.Sent, "%v", o.Step)
	}
	require.Equal(t, ids(1, 4, 5), idsOf(listed(t, sw)))
}

func TestApplyChangesNobodyElsesGroups(t *testing.T) {
	table, sw := restarted(t, toPorts(9000, ofgroup.All, 1))
	outcomes, err := table.Apply(t.Context(), planOf(t, nil, listed(t, sw)))
	require.ErrorIs(t, err, ofgroup.ErrIDOwned)
	require.ErrorIs(t, outcomes[0].Err, ofgroup.ErrIDOwned)
	require.False(t, outcomes[0].Sent)
	require.Zero(t, sw.GroupMods())
}

func TestApplyEndsWithItsContext(t *testing.T) {
	table, _ := restarted(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	outcomes, err := table.Apply(ctx, planOf(t, groups(using(1, nil, nil), using(2, ids(1), nil)), nil))
	require.EqualError(t, err, context.Canceled.Error())
	for _, o := range outcomes {
		require.ErrorIs(t, o.Err, ofgroup.ErrNotSent)
		require.ErrorIs(t, o.Err, context.Canceled)
	}
}

// Between its delete and its add a group of another type keeps its ID.
func TestAnIDDoesNotChangeHandsWhileItsGroupIsReplaced(t *testing.T) {
	ids := ofgroup.NewIDAllocator(4, 4)
	sender := ending(confirmed, nil)
	table := ofgroup.NewTable(sender, ofgroup.TableConfig{IDs: ids})
	table.Adopt(groups(toPorts(4, ofgroup.All, 1)), ofgroup.Full)
	sender.answer = func(context.Context, *ofgroup.Mod) (ofgroup.Receipt, error) {
		require.ErrorIs(t, ids.Reserve(4), ofgroup.ErrIDOwned)
		return confirmed, nil
	}
	_, err := table.Apply(t.Context(), planOf(t, groups(toPorts(4, ofgroup.Select, 1)), groups(toPorts(4, ofgroup.All, 1))))
	require.NoError(t, err)
	requireState(t, ofgroup.Held, table, 4)
	require.ErrorIs(t, ids.Reserve(4), ofgroup.ErrIDOwned)
}
