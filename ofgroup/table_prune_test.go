package ofgroup_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofgrouptest"
)

func ids(all ...ofgroup.ID) []ofgroup.ID { return all }

func idsOf(groups []ofgroup.Group) (all []ofgroup.ID) {
	for _, g := range groups {
		all = append(all, g.ID())
	}
	return all
}

func TestPruneDeletesOwnedStraysAlone(t *testing.T) {
	table, sw := restarted(t, toPorts(1, ofgroup.All, 1), toPorts(2, ofgroup.All, 2), toPorts(9000, ofgroup.All, 3))
	table.Adopt(listed(t, sw), ofgroup.Full)
	allocated, err := table.Allocate()
	require.NoError(t, err)
	_, err = table.Commit(t.Context(), toPorts(5, ofgroup.All, 1))
	require.NoError(t, err)

	gone, err := table.Prune(t.Context(), slices.Values(ids(2)))
	require.NoError(t, err)
	require.Equal(t, ids(1, 5), idsOf(gone))
	require.Equal(t, 1, gone[0].Len(), "what was known of it")
	require.Equal(t, ids(2, 9000), idsOf(listed(t, sw)))
	requireState(t, ofgroup.Absent, table, 1)
	_, err = table.Commit(t.Context(), toPorts(allocated, ofgroup.All, 1))
	require.NoError(t, err, "still the table's")

	gone, err = table.Prune(t.Context(), nil)
	require.NoError(t, err)
	require.Equal(t, ids(2, allocated), slices.Sorted(slices.Values(idsOf(gone))))
	require.Equal(t, ids(9000), idsOf(listed(t, sw)))
}

func TestATableThatDoesNotKnowWhatItOwnsPrunesNothing(t *testing.T) {
	sender := ending(confirmed, nil)
	table := ofgroup.NewTable(sender, ofgroup.TableConfig{})
	table.Adopt([]ofgroup.Group{toPorts(1, ofgroup.All, 1)}, ofgroup.Full)
	gone, err := table.Prune(t.Context(), nil)
	require.Empty(t, gone)
	requireNothingSent(t, sender, 0, err, ofgroup.ErrNoOwns)
}

func TestWhoUsesAGroupIsPrunedBeforeIt(t *testing.T) {
	sender := ending(confirmed, nil)
	table := ofgroup.NewTable(sender, ofgroup.TableConfig{Owns: under(1000)})
	table.Adopt([]ofgroup.Group{using(1, ids(2, 4), nil), using(2, nil, ids(3)), using(3, nil, nil), using(4, ids(3), nil), using(5, ids(5, 1), nil)}, ofgroup.Full)
	_, err := table.Prune(t.Context(), nil)
	require.NoError(t, err)
	at := make(map[ofgroup.ID]int)
	for i, m := range sender.mods {
		require.Equal(t, ofgroup.Delete, m.Command())
		at[m.Group().ID()] = i
	}
	require.Len(t, at, 5)
	for _, edge := range [][2]ofgroup.ID{{1, 2}, {1, 4}, {2, 3}, {4, 3}, {5, 1}} {
		require.Less(t, at[edge[0]], at[edge[1]], "%v uses %v", edge[0], edge[1])
	}
}

func TestAGroupThatCannotBeDeletedKeepsWhatItUses(t *testing.T) {
	table, sw := restarted(t, using(1, ids(2), nil), using(2, nil, nil), using(3, nil, nil))
	table.Adopt(listed(t, sw), ofgroup.Full)
	sw.Inject(ofgrouptest.Fault{Refuse: &ofgrouptest.Refusal{Type: 6, Code: 14}, Times: -1})
	gone, err := table.Prune(t.Context(), slices.Values(ids(3)))
	require.Empty(t, gone)
	require.ErrorIs(t, err, ofgroup.ErrPermission)
	require.NotErrorIs(t, err, ofgroup.ErrSkipped, "it is told in the other's error")
	require.Equal(t, 1, sw.GroupMods())
}

func TestAPruneThatIsCutOffSaysSoOnce(t *testing.T) {
	sender := ending(ofgroup.Receipt{}, ofgroup.NotSent(ofgroup.ErrDisconnected))
	table := ofgroup.NewTable(sender, ofgroup.TableConfig{Owns: under(1000)})
	var held []ofgroup.Group
	for id := range ofgroup.ID(100) {
		held = append(held, using(id+1, nil, nil), using(id+101, ids(id+1), nil))
	}
	table.Adopt(held, ofgroup.Full)
	_, err := table.Prune(t.Context(), nil)
	require.ErrorIs(t, err, ofgroup.ErrDisconnected)
	require.Len(t, err.(interface{ Unwrap() []error }).Unwrap(), 1)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = table.Prune(ctx, nil)
	require.ErrorIs(t, err, context.Canceled)
	require.Len(t, err.(interface{ Unwrap() []error }).Unwrap(), 1)

	sender.then(confirmed, nil)
	gone, err := table.Prune(t.Context(), nil)
	require.NoError(t, err)
	require.Len(t, gone, 200)
}

func TestPruneMakesFailedDeletesAgain(t *testing.T) {
	sender := ending(confirmed, nil)
	table := ofgroup.NewTable(sender, ofgroup.TableConfig{Owns: under(1000)})
	require.NoError(t, commit(table, 7))
	sender.then(ofgroup.Receipt{}, errors.New("lost"))
	require.Error(t, table.Delete(t.Context(), 7))
	sender.then(ofgroup.Receipt{}, refusedWith(8))
	gone, err := table.Prune(t.Context(), nil)
	require.NoError(t, err)
	require.Equal(t, ids(7), idsOf(gone))
	requireState(t, ofgroup.Absent, table, 7)
}
