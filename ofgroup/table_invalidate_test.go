package ofgroup_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/ofgroup"
)

func TestWhatSomebodyElseChangedIsUnknownAlone(t *testing.T) {
	for name, tell := range map[string]func(*ofgroup.Table){
		"by ID":      func(table *ofgroup.Table) { table.Invalidate(7) },
		"by message": func(table *ofgroup.Table) { table.InvalidateBy(mod(t, toPorts(7, ofgroup.All, 9))) },
	} {
		t.Run(name, func(t *testing.T) {
			table, sw := tableOf(t, members(7, ofgroup.All, 1, 2))
			require.NoError(t, commit(table, 8))
			sw.ResetCounts()
			require.NoError(t, sw.Preload(mod(t, toPorts(7, ofgroup.Select, 9))))
			tell(table)
			requireState(t, ofgroup.Unknown, table, 7)
			requireState(t, ofgroup.Held, table, 8)
			known, _ := table.Lookup(7)
			require.Equal(t, 2, known.Len())

			_, err := table.Sync(t.Context(), members(7, ofgroup.All, 1, 2))
			require.NoError(t, err)
			require.Equal(t, ofgroup.AddOrMod, received(t, sw)[0].Command(), "whole, and whatever is there")
			requireAgreed(t, table, sw, 7)
		})
	}
}

func TestADeleteOfAllGroupsMakesAllUnknown(t *testing.T) {
	table, _ := tableOf(t, members(7, ofgroup.All, 1))
	require.NoError(t, commit(table, 8))
	table.InvalidateBy(ofgroup.DeleteAll(ofgroup.OpenFlow15))
	requireState(t, ofgroup.Unknown, table, 7)
	requireState(t, ofgroup.Unknown, table, 8)
}

func TestAnIDThatWasDeletedCanComeBackByOthers(t *testing.T) {
	table, sw := tableOf(t, members(7, ofgroup.All, 1))
	require.NoError(t, table.Delete(t.Context(), 7))
	require.NoError(t, sw.Preload(mod(t, toPorts(7, ofgroup.All, 9))))
	table.Invalidate(7)
	requireState(t, ofgroup.Unknown, table, 7)
	require.NoError(t, commit(table, 7))
	requireAgreed(t, table, sw, 7)
}

// Nobody knows which of the two messages the switch took first.
func TestAConfirmationIsVoidIfSomebodyElseChangedTheGroupMeanwhile(t *testing.T) {
	sender := ending(confirmed, nil)
	table := ofgroup.NewTable(sender, ofgroup.TableConfig{})
	sender.answer = func(context.Context, *ofgroup.Mod) (ofgroup.Receipt, error) {
		table.Invalidate(7)
		return confirmed, nil
	}
	require.NoError(t, commit(table, 7))
	known, state := table.Lookup(7)
	require.Equal(t, ofgroup.Unknown, state)
	require.True(t, known.Equal(toPorts(7, ofgroup.All, 1)))
	require.NoError(t, table.Delete(t.Context(), 7))
	requireState(t, ofgroup.Unknown, table, 7)
}
