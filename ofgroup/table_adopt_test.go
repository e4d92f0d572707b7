package ofgroup_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofgrouptest"
)

// under is an Owns for the IDs below one.
func under(end ofgroup.ID) func(ofgroup.ID) bool {
	return func(id ofgroup.ID) bool { return id < end }
}

// restarted is a switch that holds these groups, and a table that knows nothing yet and owns
// the IDs below 1000.
func restarted(t *testing.T, held ...ofgroup.Group) (*ofgroup.Table, *ofgrouptest.Switch) {
	t.Helper()
	sw, session := switchAndSession(t)
	for _, g := range held {
		m, err := g.Mod(ofgroup.Add, ofgroup.OpenFlow15)
		require.NoError(t, err)
		require.NoError(t, sw.Preload(m))
	}
	return ofgroup.NewTable(session, ofgroup.TableConfig{Owns: under(1000)}), sw
}

// listed is what the switch describes.
func listed(t *testing.T, sw *ofgrouptest.Switch) []ofgroup.Group {
	t.Helper()
	all, err := sw.Groups()
	require.NoError(t, err)
	return all
}

func TestWhatIsAdoptedIsHeldAndCostsNoMessage(t *testing.T) {
	ours, foreign := toPorts(5, ofgroup.All, 1, 2), toPorts(9000, ofgroup.All, 3)
	table, sw := restarted(t, ours, foreign)
	table.Adopt(listed(t, sw), ofgroup.Full)
	require.Zero(t, sw.GroupMods())
	g, state := table.Lookup(5)
	require.Equal(t, ofgroup.Held, state)
	require.True(t, g.Equal(ours))
	requireState(t, ofgroup.Unknown, table, 9000)
	requireState(t, ofgroup.Absent, table, 6)

	sent, err := table.Sync(t.Context(), ours)
	require.NoError(t, err)
	require.False(t, sent)
	_, err = table.Commit(t.Context(), toPorts(6, ofgroup.All, 1))
	require.NoError(t, err)
	_, err = table.Sync(t.Context(), toPorts(5, ofgroup.All, 1))
	require.NoError(t, err)
	requireSent(t, sw, "add group_id=6,type=all,bucket=bucket_id:1,actions=output:1",
		"modify group_id=5,type=all,bucket=bucket_id:1,actions=output:1")
}

func TestAnAdoptedIDIsTakenInTheAllocator(t *testing.T) {
	sw, session := switchAndSession(t)
	require.NoError(t, sw.Preload(mod(t, toPorts(1, ofgroup.All, 1))))
	ids := ofgroup.NewIDAllocator(1, 2)
	table := ofgroup.NewTable(session, ofgroup.TableConfig{IDs: ids})
	table.Adopt(listed(t, sw), ofgroup.Partial)
	require.ErrorIs(t, ids.Reserve(1), ofgroup.ErrIDOwned)
	id, err := table.Allocate()
	require.NoError(t, err)
	require.Equal(t, ofgroup.ID(2), id)
	_, err = table.Allocate()
	require.ErrorIs(t, err, ofgroup.ErrNoFreeID)

	other := ofgroup.NewTable(session, ofgroup.TableConfig{IDs: ids})
	other.Adopt(listed(t, sw), ofgroup.Full)
	requireState(t, ofgroup.Unknown, other, 1)
	_, err = other.Sync(t.Context(), toPorts(1, ofgroup.All, 1))
	require.ErrorIs(t, err, ofgroup.ErrIDOwned)
}

func mod(t *testing.T, g ofgroup.Group) *ofgroup.Mod {
	t.Helper()
	m, err := g.Mod(ofgroup.AddOrMod, ofgroup.OpenFlow15)
	require.NoError(t, err)
	return m
}

func TestAPartialListingSaysNothingOfOtherGroups(t *testing.T) {
	table, sw := restarted(t, toPorts(5, ofgroup.All, 1))
	table.Adopt(listed(t, sw), ofgroup.Partial)
	requireState(t, ofgroup.Held, table, 5)
	requireState(t, ofgroup.Unknown, table, 6)
	_, err := table.Commit(t.Context(), toPorts(6, ofgroup.All, 1))
	require.NoError(t, err)
	require.Equal(t, ofgroup.AddOrMod, received(t, sw)[0].Command())
}

func TestKeysFindTheNumbersOfEqualBuckets(t *testing.T) {
	out := func(p ofgroup.Port, id ofgroup.BucketID) ofgroup.Bucket {
		return ofgroup.NewBucket(ofgroup.Output(p)).WithID(id)
	}
	held := ofgroup.New(5, ofgroup.All).AddBuckets(out(1, 30), out(2, 10), out(1, 20))
	twins := members(5, ofgroup.All, 2).AddBuckets(
		ofgroup.NewBucket(ofgroup.Output(1)).WithKey("a"), ofgroup.NewBucket(ofgroup.Output(1)).WithKey("b"))
	for _, test := range []struct {
		name string
		to   ofgroup.Group
		want []string
	}{
		{"the same set", twins, nil},
		{"one more", twins.AddBuckets(member(4)), []string{"insert_bucket group_id=5,command_bucket_id=last,bucket=bucket_id:31,actions=output:4"}},
		{"one twin less", members(5, ofgroup.All, 2, 1), []string{"remove_bucket group_id=5,command_bucket_id=20"}},
		{"others", members(5, ofgroup.All, 3, 2), []string{"modify group_id=5,type=all,bucket=bucket_id:31,actions=output:3,bucket=bucket_id:10,actions=output:2"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			table, sw := restarted(t, held)
			table.Adopt(listed(t, sw), ofgroup.Full)
			_, err := table.Sync(t.Context(), test.to)
			require.NoError(t, err)
			requireSent(t, sw, test.want...)
			requireAgreed(t, table, sw, 5)
			g, _ := table.Lookup(5)
			for b := range g.Buckets() {
				_, has := b.Key()
				require.True(t, has, "%v", b)
			}
		})
	}
}

func TestAfterADisconnectAdoptTellsWhatIsStillThere(t *testing.T) {
	table, sw := restarted(t)
	for _, g := range []ofgroup.Group{members(1, ofgroup.All, 1), members(2, ofgroup.All, 1), members(3, ofgroup.All, 1, 2)} {
		_, err := table.Commit(t.Context(), g)
		require.NoError(t, err)
	}
	require.NoError(t, sw.Preload(deletion(t, 2), mod(t, toPorts(3, ofgroup.All, 9))))
	table.Invalidate()
	table.Adopt(listed(t, sw), ofgroup.Full)
	requireState(t, ofgroup.Held, table, 1)
	requireState(t, ofgroup.Absent, table, 2)
	requireState(t, ofgroup.Unknown, table, 3)
	known, _ := table.Lookup(3)
	require.Equal(t, 2, known.Len(), "the table's own group stays known")
	sw.ResetCounts()
	for id := range ofgroup.ID(3) {
		err := table.Update(t.Context(), id+1, func(old ofgroup.Group, ok bool) (ofgroup.Group, error) {
			require.True(t, ok)
			return old, nil
		})
		require.NoError(t, err)
		requireAgreed(t, table, sw, id+1)
	}
	requireSent(t, sw, "add group_id=2,type=all,bucket=bucket_id:0,actions=output:1",
		"add_or_mod group_id=3,type=all,bucket=bucket_id:0,actions=output:1,bucket=bucket_id:1,actions=output:2")
}

func TestAListingThatContradictsTheTableMakesItUnsure(t *testing.T) {
	table, sw := restarted(t)
	_, err := table.Commit(t.Context(), toPorts(5, ofgroup.All, 1))
	require.NoError(t, err)
	stale := listed(t, sw)
	_, err = table.Commit(t.Context(), toPorts(5, ofgroup.All, 2))
	require.NoError(t, err)
	table.Adopt(stale, ofgroup.Partial)
	requireState(t, ofgroup.Unknown, table, 5)
	_, err = table.Commit(t.Context(), toPorts(5, ofgroup.All, 2))
	require.NoError(t, err)
	require.NoError(t, table.Delete(t.Context(), 5))
	table.Adopt(stale, ofgroup.Partial)
	requireState(t, ofgroup.Unknown, table, 5)
}

func TestCallsInProgressAreNotAdopted(t *testing.T) {
	sender, entered, letGo := blocking()
	table := ofgroup.NewTable(sender, ofgroup.TableConfig{})
	done := make(chan error, 1)
	go func() { done <- commit(table, 1) }()
	<-entered
	table.Adopt([]ofgroup.Group{toPorts(1, ofgroup.All, 9)}, ofgroup.Full)
	close(letGo)
	require.NoError(t, <-done)
	g, state := table.Lookup(1)
	require.Equal(t, ofgroup.Held, state)
	require.False(t, g.Equal(toPorts(1, ofgroup.All, 9)))
}

func TestAFullListingEndsADeleteInDoubt(t *testing.T) {
	sender := ending(confirmed, nil)
	table := ofgroup.NewTable(sender, ofgroup.TableConfig{})
	g := toPorts(7, ofgroup.All, 1)
	_, err := table.Commit(t.Context(), g)
	require.NoError(t, err)
	sender.then(ofgroup.Receipt{}, ofgroup.ErrDisconnected)
	require.Error(t, table.Delete(t.Context(), 7))
	sender.then(confirmed, nil)
	table.Adopt(nil, ofgroup.Full)
	requireState(t, ofgroup.Absent, table, 7)
	_, before := sender.last()
	require.NoError(t, table.Delete(t.Context(), 7))
	_, after := sender.last()
	require.Equal(t, before, after)
}

// What others did to an ID since the listing counts more than the listing.
func TestAFullListingVouchesOnlyForWhatNobodyUsedSince(t *testing.T) {
	ids := ofgroup.NewIDAllocator(1, 10)
	sender := ending(confirmed, nil)
	table := ofgroup.NewTable(sender, ofgroup.TableConfig{IDs: ids})
	other := ofgroup.NewTable(sender, ofgroup.TableConfig{IDs: ids})
	_, err := other.Commit(t.Context(), toPorts(3, ofgroup.All, 1))
	require.NoError(t, err)
	table.Adopt(nil, ofgroup.Full)
	requireState(t, ofgroup.Absent, table, 1)
	requireState(t, ofgroup.Unknown, table, 3)
	id, err := table.Allocate()
	require.NoError(t, err)
	requireState(t, ofgroup.Absent, table, id)
	table.Forget(id)
	requireState(t, ofgroup.Unknown, table, id)
	other.Forget(3)
	requireState(t, ofgroup.Unknown, table, 3)
	table.InvalidateBy(mod(t, toPorts(4, ofgroup.All, 1)))
	requireState(t, ofgroup.Unknown, table, 4)
	require.NoError(t, ids.Reserve(5))
	ids.Release(5)
	requireState(t, ofgroup.Unknown, table, 5)
	requireState(t, ofgroup.Absent, table, 6)
	other.Invalidate()
	requireState(t, ofgroup.Unknown, table, 6)
}

// OpenFlow 1.3 has several ways to say the same: a part of a register is set by a load, and
// two parts that do not touch come back as one action.
func TestIn13GroupsAreComparedAsTheyAreSent(t *testing.T) {
	g := ofgroup.New(5, ofgroup.Select).AddBuckets(
		ofgroup.NewBucket(ofgroup.Set(ofgroup.Reg(1).Bits(0, 3), 5), ofgroup.Set(ofgroup.Reg(1).Bits(8, 11), 6), ofgroup.Output(1)),
		ofgroup.NewBucket(ofgroup.Set(ofgroup.Reg(2), 7), ofgroup.Output(2)).WithWeight(1),
	)
	m, err := g.Mod(ofgroup.Add, ofgroup.OpenFlow13)
	require.NoError(t, err)
	described := decode(t, marshalled(t, m)).Group()
	require.False(t, described.Equal(g), "the test is about such a group")

	for name, desired := range map[string]ofgroup.Group{"without keys": g, "with keys": keyed(g)} {
		sender := &in13{*ending(confirmed, nil)}
		table := ofgroup.NewTable(sender, ofgroup.TableConfig{})
		table.Adopt([]ofgroup.Group{described}, ofgroup.Full)
		sent, err := table.Sync(t.Context(), desired)
		require.NoError(t, err, name)
		require.False(t, sent, name)
		table.Invalidate()
		table.Adopt([]ofgroup.Group{described}, ofgroup.Full)
		requireState(t, ofgroup.Held, table, 5)
	}
}

func marshalled(t *testing.T, m *ofgroup.Mod) []byte {
	t.Helper()
	b, err := m.MarshalBinary()
	require.NoError(t, err)
	return b
}

// keyed is g with its buckets' texts as their keys.
func keyed(g ofgroup.Group) ofgroup.Group {
	var bs []ofgroup.Bucket
	for b := range g.Buckets() {
		bs = append(bs, b.WithKey(b.String()))
	}
	return g.WithBuckets(bs...)
}

func deletion(t *testing.T, id ofgroup.ID) *ofgroup.Mod {
	t.Helper()
	m, err := ofgroup.New(id, ofgroup.All).Mod(ofgroup.Delete, ofgroup.OpenFlow15)
	require.NoError(t, err)
	return m
}
