package ofgroup_test

import (
	"context"
	"math/rand/v2"
	"testing"

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

func behindItsBack(tb testing.TB, lab *ovslab.Lab, args ...string) {
	tb.Helper()
	_, err := lab.Ofctl(tb.Context(), args...)
	require.NoError(tb, err)
}
