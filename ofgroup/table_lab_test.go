package ofgroup_test

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/internal/ovslab"
	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
)

// labSession is a connection to a real Open vSwitch of the test's own.
func labSession(tb testing.TB, lab *ovslab.Lab) *ofconn.Session {
	tb.Helper()
	s, err := ofconn.Open(tb.Context(), ofconn.Config{Dial: lab.Dial})
	require.NoError(tb, err)
	tb.Cleanup(func() { require.NoError(tb, s.Close()) })
	return s
}

// The same history on a real Open vSwitch and on the in-process one: after every step both
// hold what the tables say.
func TestARealSwitchAndTheDoubleEndUpAlike(t *testing.T) {
	_, double := switchAndSession(t)
	sessions := []*ofconn.Session{labSession(t, ovslab.New(t, ovslab.Config{})), double}
	var tables []*ofgroup.Table
	for _, s := range sessions {
		tables = append(tables, ofgroup.NewTable(s, ofgroup.TableConfig{}))
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		id := ofgroup.ID(1 + random.IntN(4))
		step := randomStep(random, id)
		for i, table := range tables {
			require.NoError(t, step(t.Context(), table))
			want, state := table.Lookup(id)
			held, ok, err := sessions[i].GroupDesc(t.Context(), id)
			require.NoError(t, err)
			require.Equal(t, state == ofgroup.Held, ok)
			require.True(t, !ok || held.Equal(want), "want %v\nhave %v", want, held)
		}
	}
}

// randomStep is one call that a switch can carry out.
func randomStep(random *rand.Rand, id ofgroup.ID) func(context.Context, *ofgroup.Table) error {
	g := randomGroup(random, id)
	kind := random.IntN(5)
	return func(ctx context.Context, table *ofgroup.Table) error {
		switch kind {
		case 0:
			return table.Delete(ctx, id)
		case 1:
			return table.Update(ctx, id, func(ofgroup.Group, bool) (ofgroup.Group, error) { return g, nil })
		case 2:
			_, err := table.Sync(ctx, g)
			return err
		default:
			_, err := table.Commit(ctx, g)
			return err
		}
	}
}

// randomGroup has a type that goes with its ID, so that no step asks for another.
func randomGroup(random *rand.Rand, id ofgroup.ID) ofgroup.Group {
	typ := ofgroup.Type(id - 1)
	n := random.IntN(6)
	if typ == ofgroup.Indirect {
		n = 1
	}
	g := ofgroup.New(id, typ)
	for i := range n {
		port := ofgroup.Port(1 + random.IntN(4))
		b := ofgroup.NewBucket(ofgroup.Set(ofgroup.Reg(random.IntN(16)), random.Uint32()), ofgroup.Output(port))
		b = b.WithID(ofgroup.BucketID(10*i + random.IntN(10)))
		switch typ {
		case ofgroup.Select:
			b = b.WithWeight(uint16(random.IntN(200)))
		case ofgroup.FastFailover:
			b = b.WithWatchPort(port)
		}
		g = g.AddBuckets(b)
	}
	return g
}

// Somebody changes the table's groups behind its back: the refusal comes from the call that
// found out, and the next call puts it right.
func TestTheTableFindsOutWhatOthersDidToTheSwitch(t *testing.T) {
	lab := ovslab.New(t, ovslab.Config{})
	session := labSession(t, lab)
	table := ofgroup.NewTable(session, ofgroup.TableConfig{})
	g := toPorts(7, ofgroup.All, 1, 2)
	_, err := table.Commit(t.Context(), g)
	require.NoError(t, err)

	behindItsBack(t, lab, "del-groups", lab.Bridge())
	_, err = table.Commit(t.Context(), g)
	var refused *ofgroup.SwitchError
	require.ErrorAs(t, err, &refused)
	require.ErrorIs(t, err, ofgroup.ErrUnknownGroup)
	require.NotEmpty(t, refused.Data, "the switch quotes our bytes")
	requireState(t, ofgroup.Absent, table, 7)

	behindItsBack(t, lab, "add-group", lab.Bridge(), "group_id=7,type=select,bucket=actions=output:1")
	_, err = table.Commit(t.Context(), g)
	require.ErrorIs(t, err, ofgroup.ErrGroupExists)
	requireState(t, ofgroup.Unknown, table, 7)

	_, err = table.Commit(t.Context(), g)
	require.NoError(t, err)
	held, ok, err := session.GroupDesc(t.Context(), 7)
	require.NoError(t, err)
	require.True(t, ok && held.Equal(g), "%v", held)
}

// With the switch's own news of what others do, the table knows before it is refused.
func TestTheTableHearsOfWhatOthersDoToTheSwitch(t *testing.T) {
	lab := ovslab.New(t, ovslab.Config{})
	var table *ofgroup.Table
	heard := make(chan struct{}, 8)
	session, err := ofconn.Open(t.Context(), ofconn.Config{Dial: lab.Dial, Events: ofconn.Events{
		RequestForward: func(f ofgroup.RequestForward, _ time.Time) {
			if f.Mod != nil {
				table.InvalidateBy(f.Mod)
			}
			heard <- struct{}{}
		},
	}})
	require.NoError(t, err)
	defer session.Close()
	table = ofgroup.NewTable(session, ofgroup.TableConfig{})
	require.NoError(t, commit(table, 8))
	g := members(7, ofgroup.All, 1, 2)
	_, err = table.Commit(t.Context(), g)
	require.NoError(t, err)
	for _, change := range [][]string{
		{"mod-group", lab.Bridge(), "group_id=7,type=select,bucket=actions=output:9"},
		{"del-groups", lab.Bridge(), "group_id=7"},
	} {
		behindItsBack(t, lab, change...)
		<-heard
		requireState(t, ofgroup.Unknown, table, 7)
		requireState(t, ofgroup.Held, table, 8)
		sent, err := table.Sync(t.Context(), g)
		require.NoError(t, err)
		require.True(t, sent)
		want, _ := table.Lookup(7)
		held, ok, err := session.GroupDesc(t.Context(), 7)
		require.NoError(t, err)
		require.True(t, ok && held.Equal(want), "%v", held)
	}
	require.Empty(t, heard, "its own changes are no news")
}

func behindItsBack(tb testing.TB, lab *ovslab.Lab, args ...string) {
	tb.Helper()
	_, err := lab.Ofctl(tb.Context(), args...)
	require.NoError(tb, err)
}

// A switch that lost some of its groups, has others otherwise, and a flow on one of them.
func TestARealSwitchHoldsAfterAReplayWhatTheTableHas(t *testing.T) {
	lab := ovslab.New(t, ovslab.Config{})
	table := ofgroup.NewTable(labSession(t, lab), ofgroup.TableConfig{})
	random := rand.New(rand.NewPCG(3, 4))
	want := make(map[ofgroup.ID]ofgroup.Group)
	for id := range ofgroup.ID(300) {
		g := using(id+1, []ofgroup.ID{ofgroup.ID(1 + random.IntN(300))}, nil)
		_, err := table.Commit(t.Context(), g)
		require.NoError(t, err)
		want[g.ID()] = g
	}
	behindItsBack(t, lab, "add-group", lab.Bridge(), "group_id=9000,type=all,bucket=actions=output:9")
	behindItsBack(t, lab, "add-flow", lab.Bridge(), "priority=5,actions=group:77")
	for id := ofgroup.ID(100); id < 110; id++ {
		behindItsBack(t, lab, "del-groups", lab.Bridge(), "group_id="+id.String())
	}
	behindItsBack(t, lab, "mod-group", lab.Bridge(), "group_id=77,type=all,bucket=actions=output:3")

	again := labSession(t, lab)
	require.NoError(t, table.Replay(t.Context(), again))
	for id, g := range want {
		held, ok, err := again.GroupDesc(t.Context(), id)
		require.NoError(t, err)
		require.True(t, ok && held.Equal(g), "want %v\nhave %v", g, held)
		requireState(t, ofgroup.Held, table, id)
	}
	_, foreign, err := again.GroupDesc(t.Context(), 9000)
	require.NoError(t, err)
	require.True(t, foreign)
	flows, err := lab.Ofctl(t.Context(), "dump-flows", lab.Bridge())
	require.NoError(t, err)
	require.Contains(t, flows, "actions=group:77")
}

// BenchmarkReplay10000 is a reconnect of an agent with 10,000 groups of four buckets.
func BenchmarkReplay10000(b *testing.B) {
	s := labSession(b, ovslab.New(b, ovslab.Config{}))
	table := ofgroup.NewTable(ofgroup.SendFunc(s.Version(), func(context.Context, *ofgroup.Mod) error { return nil }), ofgroup.TableConfig{})
	for id := range ofgroup.ID(10_000) {
		_, err := table.Commit(b.Context(), toPorts(id+1, ofgroup.All, 1, 2, 3, 4))
		require.NoError(b, err)
	}
	b.ReportAllocs()
	for b.Loop() {
		require.NoError(b, table.Replay(b.Context(), s))
	}
	b.ReportMetric(10_000*float64(b.N)/b.Elapsed().Seconds(), "groups/s")
}
