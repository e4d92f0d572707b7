package ofgroup_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/ofgroup"
)

func TestTablesOfOneSwitchNeverGetTheSameID(t *testing.T) {
	_, session := switchAndSession(t)
	ids := ofgroup.NewIDAllocator(1, ofgroup.MaxID)
	const each, workers = 1000, 4
	var mu sync.Mutex
	seen := make(map[ofgroup.ID]bool)
	var all sync.WaitGroup
	for range 2 {
		table := ofgroup.NewTable(session, ofgroup.TableConfig{IDs: ids})
		for range workers {
			all.Go(func() {
				for range each / workers {
					id, err := table.Allocate()
					mu.Lock()
					if err != nil || seen[id] || id < 1 || id > ofgroup.MaxID {
						t.Errorf("got %v, %v", id, err)
					}
					seen[id] = true
					mu.Unlock()
				}
			})
		}
	}
	all.Wait()
	require.Len(t, seen, 2*each)
}

func TestAnIDOfAnotherTableIsRefusedAndNothingIsSent(t *testing.T) {
	ids := ofgroup.NewIDAllocator(1, 100)
	sender := ending(confirmed, nil)
	a := ofgroup.NewTable(sender, ofgroup.TableConfig{IDs: ids})
	b := ofgroup.NewTable(sender, ofgroup.TableConfig{IDs: ids})
	allocated, err := a.Allocate()
	require.NoError(t, err)
	_, err = a.Commit(t.Context(), toPorts(50, ofgroup.All, 1))
	require.NoError(t, err)
	for _, id := range []ofgroup.ID{allocated, 50} {
		_, err = b.Commit(t.Context(), toPorts(id, ofgroup.All, 1))
		requireNothingSent(t, sender, 1, err, ofgroup.ErrIDOwned)
		requireNothingSent(t, sender, 1, b.Delete(t.Context(), id), ofgroup.ErrIDOwned)
	}
	b.Forget(50)
	_, err = b.Commit(t.Context(), toPorts(50, ofgroup.All, 1))
	requireNothingSent(t, sender, 1, err, ofgroup.ErrIDOwned)

	require.NoError(t, a.Delete(t.Context(), 50))
	_, err = b.Commit(t.Context(), toPorts(50, ofgroup.All, 1))
	require.NoError(t, err, "a confirmed delete frees the ID")
	m, _ := sender.last()
	require.Equal(t, ofgroup.Add, m.Command(), "and what one table learnt, the other knows")
	_, err = a.Commit(t.Context(), toPorts(50, ofgroup.All, 1))
	requireNothingSent(t, sender, 3, err, ofgroup.ErrIDOwned)
}

func TestIDsInUseReservedOrOutsideTheRangeAreNotHandedOut(t *testing.T) {
	ids := ofgroup.NewIDAllocator(1, 6)
	sender := ending(confirmed, nil)
	table := ofgroup.NewTable(sender, ofgroup.TableConfig{IDs: ids})
	require.NoError(t, ids.Reserve(2))
	for _, id := range []ofgroup.ID{4, 77} {
		_, err := table.Commit(t.Context(), toPorts(id, ofgroup.All, 1))
		require.NoError(t, err)
	}
	require.NoError(t, table.Delete(t.Context(), 77))
	for _, want := range []ofgroup.ID{1, 3, 5, 6} {
		id, err := table.Allocate()
		require.NoError(t, err)
		require.Equal(t, want, id)
	}
	_, err := table.Allocate()
	require.ErrorIs(t, err, ofgroup.ErrNoFreeID)

	require.NoError(t, table.Delete(t.Context(), 4))
	ids.Release(2)
	require.Equal(t, []ofgroup.ID{4, 2}, []ofgroup.ID{allocate(t, table), allocate(t, table)}, "first what is known to be absent")
	requireState(t, ofgroup.Absent, table, 4)
	requireState(t, ofgroup.Unknown, table, 2)
}

func allocate(tb testing.TB, table *ofgroup.Table) ofgroup.ID {
	tb.Helper()
	id, err := table.Allocate()
	require.NoError(tb, err)
	return id
}

func TestDeletingWhatIsKnownToBeAbsentFreesTheIDWithoutAMessage(t *testing.T) {
	sender := ending(ofgroup.Receipt{}, refusedWith(8)) // UNKNOWN_GROUP
	table := ofgroup.NewTable(sender, ofgroup.TableConfig{IDs: ofgroup.NewIDAllocator(1, 1)})
	id := allocate(t, table)
	require.ErrorIs(t, commit(table, id), ofgroup.ErrUnknownGroup)
	_, err := table.Allocate()
	require.ErrorIs(t, err, ofgroup.ErrNoFreeID, "absent, but still its owner's")
	require.NoError(t, table.Delete(t.Context(), id))
	_, n := sender.last()
	require.Equal(t, 1, n)
	require.Equal(t, id, allocate(t, table))
}

func TestReserveKeepsTablesOut(t *testing.T) {
	ids := ofgroup.NewIDAllocator(1, 10)
	sender := ending(confirmed, nil)
	table := ofgroup.NewTable(sender, ofgroup.TableConfig{IDs: ids})
	require.NoError(t, ids.Reserve(3))
	require.ErrorIs(t, ids.Reserve(3), ofgroup.ErrIDOwned)
	require.ErrorIs(t, ids.Reserve(ofgroup.AllGroups), ofgroup.ErrReservedID)
	_, err := table.Commit(t.Context(), toPorts(3, ofgroup.All, 1))
	requireNothingSent(t, sender, 0, err, ofgroup.ErrIDOwned)
	ids.Release(3)
	_, err = table.Commit(t.Context(), toPorts(3, ofgroup.All, 1))
	require.NoError(t, err)
	ids.Release(3) // not a reservation any more
	require.ErrorIs(t, ids.Reserve(3), ofgroup.ErrIDOwned)
}

func TestOwnsKeepsATableToItsOwnIDs(t *testing.T) {
	ids := ofgroup.NewIDAllocator(1, 9)
	sender := ending(confirmed, nil)
	even := ofgroup.NewTable(sender, ofgroup.TableConfig{IDs: ids, Owns: func(id ofgroup.ID) bool { return id%2 == 0 }})
	_, err := even.Commit(t.Context(), toPorts(3, ofgroup.All, 1))
	requireNothingSent(t, sender, 0, err, ofgroup.ErrIDOwned)
	for _, want := range []ofgroup.ID{2, 4, 6, 8} {
		require.Equal(t, want, allocate(t, even))
	}
	_, err = even.Allocate()
	require.ErrorIs(t, err, ofgroup.ErrNoFreeID)
	other := ofgroup.NewTable(sender, ofgroup.TableConfig{IDs: ids})
	for range 5 { // what was passed over is still free
		require.Equal(t, ofgroup.ID(1), allocate(t, other)%2)
	}
}

func TestAllocatorRanges(t *testing.T) {
	for _, test := range []struct {
		first, last ofgroup.ID
		want        int
	}{
		{5, 5, 1},
		{5, 4, 0},
		{0, 2, 3},
		{ofgroup.MaxID - 1, ofgroup.AnyGroup, 2},
		{ofgroup.MaxID + 1, ofgroup.AnyGroup, 0},
	} {
		table := ofgroup.NewTable(ending(confirmed, nil), ofgroup.TableConfig{IDs: ofgroup.NewIDAllocator(test.first, test.last)})
		for range test.want {
			id := allocate(t, table)
			require.True(t, id >= test.first && id <= test.last && id <= ofgroup.MaxID, "%v", id)
		}
		_, err := table.Allocate()
		require.ErrorIs(t, err, ofgroup.ErrNoFreeID)
	}
}

func TestAnIDUsedOverAndOverTakesNoMoreRoom(t *testing.T) {
	ids := ofgroup.NewIDAllocator(1, ofgroup.MaxID)
	table := ofgroup.NewTable(ending(confirmed, nil), ofgroup.TableConfig{IDs: ids})
	for range 1000 {
		id := allocate(t, table)
		require.Equal(t, ofgroup.ID(1), id, "a freed ID comes back before a new one is begun")
		_, err := table.Commit(t.Context(), toPorts(id, ofgroup.All, 1))
		require.NoError(t, err)
		require.NoError(t, table.Delete(t.Context(), id))
	}
}
