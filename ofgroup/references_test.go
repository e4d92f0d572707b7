package ofgroup_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/ofmcast/ofmcast/ofgroup"
)

// using is a group that sends packets to some groups and watches others.
func using(id ofgroup.ID, to, watched []ofgroup.ID) ofgroup.Group {
	g := ofgroup.New(id, ofgroup.Select)
	for _, t := range to {
		g = g.AddBuckets(ofgroup.NewBucket(ofgroup.Set(ofgroup.Reg(0), 1), ofgroup.OutputGroup(t)))
	}
	for _, w := range watched {
		g = g.AddBuckets(ofgroup.NewBucket(ofgroup.Output(1)).WithWatchGroup(w))
	}
	return g
}

// replayOrder is where each group stands in a replay.
func replayOrder(t require.TestingT, groups ...ofgroup.Group) map[ofgroup.ID]int {
	table := ofgroup.NewTable(ending(confirmed, nil), ofgroup.TableConfig{})
	for _, g := range groups {
		_, err := table.Commit(context.Background(), g)
		require.NoError(t, err)
	}
	again := ending(confirmed, nil)
	require.NoError(t, table.Replay(context.Background(), again))
	at := make(map[ofgroup.ID]int)
	for i, m := range again.mods {
		at[m.Group().ID()] = i
	}
	require.Len(t, again.mods, len(groups), "each once")
	require.Len(t, at, len(groups))
	return at
}

func TestWhatAGroupUsesIsReplayedBeforeIt(t *testing.T) {
	ids := func(ids ...ofgroup.ID) []ofgroup.ID { return ids }
	at := replayOrder(t, using(1, ids(2, 4), ids(3)), using(2, ids(5), nil), using(3, nil, ids(2)), using(4, nil, nil), using(5, ids(99), nil))
	for _, edge := range [][2]ofgroup.ID{{1, 2}, {1, 3}, {1, 4}, {2, 5}, {3, 2}} {
		require.Less(t, at[edge[1]], at[edge[0]], "%v uses %v", edge[0], edge[1])
	}
}

func TestAGroupUsedWithinACloneIsReplayedBeforeIt(t *testing.T) {
	g := ofgroup.New(1, ofgroup.All).AddBuckets(ofgroup.NewBucket(
		ofgroup.Clone(ofgroup.Output(1), ofgroup.Clone(ofgroup.OutputGroup(2)))))
	at := replayOrder(t, g, using(2, nil, nil))
	require.Less(t, at[2], at[1])
}

func TestALoopOfGroupsIsReplayedAllTheSame(t *testing.T) {
	ids := func(ids ...ofgroup.ID) []ofgroup.ID { return ids }
	at := replayOrder(t, using(1, ids(2), nil), using(2, ids(3), nil), using(3, ids(1, 4), nil), using(4, ids(4), nil), using(5, ids(1), nil))
	require.Less(t, at[4], at[3], "outside the loop the order holds")
	require.Less(t, at[1], at[5])
}

func TestALongChainOfGroupsIsReplayedFromItsEnd(t *testing.T) {
	const n = 3000
	var groups []ofgroup.Group
	for i := range ofgroup.ID(n) {
		groups = append(groups, using(i+1, []ofgroup.ID{i + 2}, nil))
	}
	at := replayOrder(t, groups...)
	for i := range ofgroup.ID(n) {
		require.Equal(t, n-1-int(i), at[i+1])
	}
}

func TestReplayKeepsEveryOrderThatCanBeKept(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const n = 8
		var uses [n + 1][n + 1]bool
		var groups []ofgroup.Group
		for id := range ofgroup.ID(n) {
			to := rapid.SliceOfN(rapid.Uint32Range(1, n), 0, 2).Draw(t, "to")
			watched := rapid.SliceOfN(rapid.Uint32Range(1, n), 0, 1).Draw(t, "watched")
			groups = append(groups, using(id+1, asIDs(to), asIDs(watched)))
			for _, u := range append(to, watched...) {
				uses[id+1][u] = true
			}
		}
		at := replayOrder(t, groups...)
		reaches := uses
		for k := range n + 1 {
			for i := range n + 1 {
				for j := range n + 1 {
					reaches[i][j] = reaches[i][j] || reaches[i][k] && reaches[k][j]
				}
			}
		}
		for i := range n + 1 {
			for j := range n + 1 {
				if uses[i][j] && !reaches[j][i] && at[ofgroup.ID(j)] > at[ofgroup.ID(i)] {
					t.Fatalf("%d uses %d, which came later", i, j)
				}
			}
		}
	})
}

func asIDs(ns []uint32) []ofgroup.ID {
	var ids []ofgroup.ID
	for _, n := range ns {
		ids = append(ids, ofgroup.ID(n))
	}
	return ids
}
