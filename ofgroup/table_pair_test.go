package ofgroup_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/ofmcast/ofmcast/ofgroup"
)

// obedient is a switch that confirms everything.
type obedient struct{}

func (obedient) Version() ofgroup.Version { return ofgroup.OpenFlow15 }

func (obedient) Send(context.Context, *ofgroup.Mod) (ofgroup.Receipt, error) { return confirmed, nil }

// Whatever becomes of a group's members, of their order and of what they are: a bucket keeps
// its number as long as its key is there, no number is given twice, and the table
// holds what was asked for.
func TestKeysKeepTheirNumbersThroughAnyChange(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		ports := rapid.SliceOfNDistinct(rapid.IntRange(1, 40), 0, 30, rapid.ID)
		table := ofgroup.NewTable(obedient{}, ofgroup.TableConfig{})
		numbers, used := map[string]ofgroup.BucketID{}, map[ofgroup.BucketID]string{}
		for range rapid.IntRange(1, 6).Draw(rt, "changes") {
			g := ofgroup.New(1, ofgroup.All)
			for _, p := range ports.Draw(rt, "ports") {
				g = g.AddBuckets(member(ofgroup.Port(p)))
			}
			_, err := table.Sync(t.Context(), g)
			require.NoError(rt, err)
			held, state := table.Lookup(1)
			require.Equal(rt, ofgroup.Held, state)
			now := map[string]ofgroup.BucketID{}
			for b := range held.Buckets() {
				key, _ := b.Key()
				id, numbered := b.ID()
				require.True(rt, numbered)
				if was, stays := numbers[key]; stays {
					require.Equal(rt, was, id, key)
				} else {
					require.Empty(rt, used[id], "number %v was another's", id)
				}
				now[key], used[id] = id, key
			}
			require.Len(rt, now, g.Len())
			for b := range g.Buckets() {
				key, _ := b.Key()
				require.Contains(rt, now, key)
			}
			numbers = now
		}
	})
}

// Many that come, go or move at once are found as well as one.
func TestManyChangesAtOnceAreFound(t *testing.T) {
	all := make([]ofgroup.Port, 50)
	for i := range all {
		all[i] = ofgroup.Port(i + 1)
	}
	for name, test := range map[string]struct {
		to   []ofgroup.Port
		want string
	}{
		"moved to the front": {append([]ofgroup.Port{50}, all[:49]...), ""},
		"moved to the back":  {append(append([]ofgroup.Port{}, all[1:]...), 1), ""},
		"halves swapped":     {append(append([]ofgroup.Port{}, all[25:]...), all[:25]...), ""},
		"swapped, one more":  {append(append([]ofgroup.Port{99}, all[25:]...), all[:25]...), "insert_bucket"},
		"swapped, one less":  {append(append([]ofgroup.Port{}, all[25:]...), all[:24]...), "remove_bucket"},
		"ten gone":           {append(append([]ofgroup.Port{}, all[:20]...), all[30:]...), "modify"},
	} {
		t.Run(name, func(t *testing.T) {
			table, sw := tableOf(t, members(7, ofgroup.All, all...))
			_, err := table.Sync(t.Context(), members(7, ofgroup.All, test.to...))
			require.NoError(t, err)
			sent := received(t, sw)
			if test.want == "" {
				require.Empty(t, sent)
			} else {
				require.Len(t, sent, 1)
				require.Equal(t, test.want, sent[0].Command().String())
			}
			requireAgreed(t, table, sw, 7)
		})
	}
}

func TestAnInsertedKeyIsNotOneThatStays(t *testing.T) {
	for _, many := range []int{1, 10} {
		table, sw := tableOf(t, members(7, ofgroup.All, 1, 2, 3))
		g := members(7, ofgroup.All, 1, 2, 3)
		for n := range many {
			g = g.AddBuckets(member(ofgroup.Port(10 + n)))
		}
		_, err := table.Commit(t.Context(), g.AddBuckets(member(2)))
		require.ErrorIs(t, err, ofgroup.ErrBucketKey)
		require.ErrorIs(t, err, ofgroup.ErrNotSent)
		require.ErrorContains(t, err, fmt.Sprint("bucket ", 3+many))
		requireSent(t, sw)
	}
}
