package ofgroup_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofgrouptest"
)

// member is a bucket whose key is the port that it outputs to.
func member(p ofgroup.Port) ofgroup.Bucket {
	return ofgroup.NewBucket(ofgroup.Output(p)).WithKey(fmt.Sprint("port ", p))
}

// members is a group with a member for each port.
func members(id ofgroup.ID, typ ofgroup.Type, ports ...ofgroup.Port) ofgroup.Group {
	g := ofgroup.New(id, typ)
	for _, p := range ports {
		g = g.AddBuckets(member(p))
	}
	return g
}

// tableOf is a table on an in-process switch that has committed g.
func tableOf(t *testing.T, g ofgroup.Group) (*ofgroup.Table, *ofgrouptest.Switch) {
	t.Helper()
	sw, session := switchAndSession(t)
	table := ofgroup.NewTable(session, ofgroup.TableConfig{Readable: ofgroup.OpenFlow15})
	_, err := table.Commit(t.Context(), g)
	require.NoError(t, err)
	sw.ResetCounts()
	return table, sw
}

// requireSent asks that these lines, and no others, were sent since the last time.
func requireSent(t *testing.T, sw *ofgrouptest.Switch, want ...string) {
	t.Helper()
	var got []string
	for _, m := range received(t, sw) {
		got = append(got, m.String())
	}
	require.Equal(t, want, got)
	sw.ResetCounts()
}

// requireAgreed asks that the switch holds the table's group, bucket numbers included.
func requireAgreed(t *testing.T, table *ofgroup.Table, sw *ofgrouptest.Switch, id ofgroup.ID) {
	t.Helper()
	g, state := table.Lookup(id)
	require.Equal(t, ofgroup.Held, state)
	requireHolds(t, sw, g)
}

func TestAChangeOfKeyedBucketsIsTheSmallestMessageThereIs(t *testing.T) {
	for _, test := range []struct {
		name     string
		from, to ofgroup.Group
		want     []string
	}{
		{"one more", members(7, ofgroup.All, 1, 2), members(7, ofgroup.All, 1, 2, 3),
			[]string{"insert_bucket group_id=7,command_bucket_id=last,bucket=bucket_id:2,actions=output:3"}},
		{"two more, at either end", members(7, ofgroup.All, 1, 2), members(7, ofgroup.All, 3, 2, 1, 4),
			[]string{"insert_bucket group_id=7,command_bucket_id=last,bucket=bucket_id:2,actions=output:3,bucket=bucket_id:3,actions=output:4"}},
		{"the first ones", members(7, ofgroup.All), members(7, ofgroup.All, 1, 2),
			[]string{"insert_bucket group_id=7,command_bucket_id=last,bucket=bucket_id:0,actions=output:1,bucket=bucket_id:1,actions=output:2"}},
		{"one less", members(7, ofgroup.All, 1, 2, 3), members(7, ofgroup.All, 1, 3),
			[]string{"remove_bucket group_id=7,command_bucket_id=1"}},
		{"the last one less", members(7, ofgroup.All, 1), members(7, ofgroup.All),
			[]string{"remove_bucket group_id=7,command_bucket_id=0"}},
		{"another order", members(7, ofgroup.All, 1, 2, 3), members(7, ofgroup.All, 3, 1, 2), nil},
		{"two less", members(7, ofgroup.All, 1, 2, 3), members(7, ofgroup.All, 2),
			[]string{"modify group_id=7,type=all,bucket=bucket_id:1,actions=output:2"}},
		{"one for another", members(7, ofgroup.All, 1, 2), members(7, ofgroup.All, 1, 3),
			[]string{"modify group_id=7,type=all,bucket=bucket_id:0,actions=output:1,bucket=bucket_id:2,actions=output:3"}},
		{"other contents", members(7, ofgroup.All, 1, 2),
			members(7, ofgroup.All, 1).AddBuckets(ofgroup.NewBucket(ofgroup.Output(9)).WithKey("port 2")),
			[]string{"modify group_id=7,type=all,bucket=bucket_id:0,actions=output:1,bucket=bucket_id:1,actions=output:9"}},
		{"a bucket without a key", members(7, ofgroup.All, 1), members(7, ofgroup.All, 1).AddBuckets(ofgroup.NewBucket(ofgroup.Output(2))),
			[]string{"modify group_id=7,type=all,bucket=bucket_id:0,actions=output:1,bucket=bucket_id:1,actions=output:2"}},
		{"keys for the same buckets", toPorts(7, ofgroup.All, 5, 6), members(7, ofgroup.All, 6, 5), nil},
		{"keys, and one more", toPorts(7, ofgroup.All, 5, 6), members(7, ofgroup.All, 6, 5, 7),
			[]string{"insert_bucket group_id=7,command_bucket_id=last,bucket=bucket_id:7,actions=output:7"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			table, sw := tableOf(t, test.from)
			sent, err := table.Sync(t.Context(), test.to)
			require.NoError(t, err)
			require.Equal(t, test.want != nil, sent)
			requireSent(t, sw, test.want...)
			requireAgreed(t, table, sw, 7)

			sent, err = table.Sync(t.Context(), test.to)
			require.NoError(t, err)
			require.False(t, sent, "twice is once")
		})
	}
}

func TestOtherTypesThanAllAreAlwaysModified(t *testing.T) {
	for _, typ := range []ofgroup.Type{ofgroup.Select, ofgroup.FastFailover} {
		g := ofgroup.New(123, typ)
		bucket := func(p ofgroup.Port) ofgroup.Bucket {
			if typ == ofgroup.FastFailover {
				return member(p).WithWatchPort(p)
			}
			return member(p)
		}
		table, sw := tableOf(t, g.AddBuckets(bucket(1)))
		for n := ofgroup.Port(2); n < 4; n++ {
			err := table.Update(t.Context(), 123, func(old ofgroup.Group, _ bool) (ofgroup.Group, error) {
				return old.AddBuckets(bucket(n)), nil
			})
			require.NoError(t, err)
			m := received(t, sw)[0]
			require.Equal(t, ofgroup.Modify, m.Command())
			require.Equal(t, int(n), m.Group().Len())
			sw.ResetCounts()
			requireAgreed(t, table, sw, 123)
		}
		held, _ := table.Lookup(123)
		sent, err := table.Sync(t.Context(), g.AddBuckets(bucket(2), bucket(1), bucket(3)))
		require.NoError(t, err)
		require.True(t, sent, "order means something here")
		after, _ := table.Lookup(123)
		for i, j := range []int{1, 0, 2} {
			require.Equal(t, held.Bucket(j), after.Bucket(i), "numbers stay with the keys")
		}
	}
}

func TestNothingSmallerThanAGroupIsSentWhereTheTableIsNotSure(t *testing.T) {
	for _, before := range []ofgroup.State{ofgroup.Unknown, ofgroup.Assumed, ofgroup.Absent, ofgroup.Held} {
		t.Run(before.String(), func(t *testing.T) {
			table, sender := tableIn(t, before)
			_, err := table.Commit(t.Context(), members(7, ofgroup.All, 1, 2))
			require.NoError(t, err)
			m, _ := sender.last()
			want := nextCommand[before]
			if before == ofgroup.Held {
				want = ofgroup.InsertBucket // of what it committed without keys
			}
			require.Equal(t, want, m.Command())
		})
	}
}

func TestACommitOfWhatIsThereIsAWholeGroup(t *testing.T) {
	table, sw := tableOf(t, members(7, ofgroup.All, 1, 2))
	_, err := table.Commit(t.Context(), members(7, ofgroup.All, 2, 1))
	require.NoError(t, err)
	requireSent(t, sw, "modify group_id=7,type=all,bucket=bucket_id:0,actions=output:1,bucket=bucket_id:1,actions=output:2")
}

func TestABucketNumberIsNotUsedAgainWhileTheGroupLives(t *testing.T) {
	table, sw := tableOf(t, members(7, ofgroup.All, 1, 2))
	for _, g := range []ofgroup.Group{
		members(7, ofgroup.All, 1), members(7, ofgroup.All), members(7, ofgroup.All, 2), // removed, removed, inserted
		members(7, ofgroup.All, 3, 4), // modified
		members(7, ofgroup.All, 3, 4, 1),
	} {
		_, err := table.Sync(t.Context(), g)
		require.NoError(t, err)
		requireAgreed(t, table, sw, 7)
	}
	held, _ := table.Lookup(7)
	require.Equal(t, "group_id=7,type=all,bucket=bucket_id:3,actions=output:3,bucket=bucket_id:4,actions=output:4,bucket=bucket_id:5,actions=output:1", held.String())

	require.NoError(t, table.Delete(t.Context(), 7))
	_, err := table.Commit(t.Context(), members(7, ofgroup.All, 9))
	require.NoError(t, err)
	held, _ = table.Lookup(7)
	require.Equal(t, "group_id=7,type=all,bucket=bucket_id:0,actions=output:9", held.String(), "a new group counts anew")
}

func TestANumberThatMayHaveBeenUsedIsNotUsedAgain(t *testing.T) {
	sender := ending(confirmed, nil)
	table := ofgroup.NewTable(sender, ofgroup.TableConfig{})
	_, err := table.Commit(t.Context(), members(7, ofgroup.All, 1))
	require.NoError(t, err)
	sender.then(ofgroup.Receipt{}, errors.New("lost"))
	_, err = table.Sync(t.Context(), members(7, ofgroup.All, 1, 2))
	require.Error(t, err)
	sender.then(confirmed, nil)
	_, err = table.Sync(t.Context(), members(7, ofgroup.All, 1, 3))
	require.NoError(t, err)
	m, _ := sender.last()
	require.Equal(t, "add_or_mod group_id=7,type=all,bucket=bucket_id:0,actions=output:1,bucket=bucket_id:2,actions=output:3", m.String())
}

func TestNumbersOutliveADisconnect(t *testing.T) {
	table, sw := tableOf(t, members(7, ofgroup.All, 1, 2, 3))
	_, err := table.Sync(t.Context(), members(7, ofgroup.All, 2, 3))
	require.NoError(t, err)
	table.Invalidate()
	_, err = table.Sync(t.Context(), members(7, ofgroup.All, 3, 2, 1))
	require.NoError(t, err)
	held, _ := table.Lookup(7)
	require.Equal(t, "group_id=7,type=all,bucket=bucket_id:2,actions=output:3,bucket=bucket_id:1,actions=output:2,bucket=bucket_id:3,actions=output:1", held.String())
	requireAgreed(t, table, sw, 7)
}

func TestWithoutNumbersLeftAllBucketsAreNumberedAnew(t *testing.T) {
	last := ofgroup.NewBucket(ofgroup.Output(1)).WithID(ofgroup.MaxBucketID - 1)
	table, sw := tableOf(t, ofgroup.New(7, ofgroup.All).AddBuckets(last))
	_, err := table.Sync(t.Context(), members(7, ofgroup.All, 1, 2))
	require.NoError(t, err)
	requireSent(t, sw, "insert_bucket group_id=7,command_bucket_id=last,bucket=bucket_id:4294967040,actions=output:2")

	_, err = table.Sync(t.Context(), members(7, ofgroup.All, 1, 2, 3))
	require.NoError(t, err)
	requireSent(t, sw, "modify group_id=7,type=all,bucket=bucket_id:0,actions=output:1,bucket=bucket_id:1,actions=output:2,bucket=bucket_id:2,actions=output:3")
	requireAgreed(t, table, sw, 7)

	_, err = table.Sync(t.Context(), members(7, ofgroup.All, 1, 2, 3, 4))
	require.NoError(t, err)
	requireSent(t, sw, "insert_bucket group_id=7,command_bucket_id=last,bucket=bucket_id:3,actions=output:4")
}

func TestTheWholeGroupMustStayReadable(t *testing.T) {
	ports := make([]ofgroup.Port, 2730)
	for i := range ports {
		ports[i] = ofgroup.Port(i + 1)
	}
	for readable, fit := range map[ofgroup.Version]int{ofgroup.OpenFlow13: 2047, ofgroup.OpenFlow15: 2729} {
		sender := ending(confirmed, nil)
		table := ofgroup.NewTable(sender, ofgroup.TableConfig{Readable: readable})
		_, err := table.Commit(t.Context(), members(7, ofgroup.All, ports[:fit-1]...))
		require.NoError(t, err)
		_, err = table.Commit(t.Context(), members(7, ofgroup.All, ports[:fit]...))
		require.NoError(t, err)
		m, n := sender.last()
		require.Equal(t, ofgroup.InsertBucket, m.Command())

		_, err = table.Commit(t.Context(), members(7, ofgroup.All, ports[:fit+1]...))
		var tooLarge *ofgroup.TooLargeError
		require.ErrorAs(t, err, &tooLarge)
		require.Equal(t, fit, tooLarge.Fit)
		requireNothingSent(t, sender, n, err, ofgroup.ErrTooLarge)
	}
}

func TestTwoBucketsOfOneKeyAreRefused(t *testing.T) {
	table, sw := tableOf(t, members(7, ofgroup.All, 1, 2))
	g := members(7, ofgroup.All, 1, 2, 1)
	require.ErrorIs(t, g.Validate(), ofgroup.ErrBucketKey)
	sent, err := table.Sync(t.Context(), g)
	require.ErrorIs(t, err, ofgroup.ErrBucketKey)
	require.ErrorIs(t, err, ofgroup.ErrNotSent)
	require.False(t, sent)
	var e *ofgroup.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, 2, e.Bucket)
	require.Zero(t, sw.GroupMods())
	requireAgreed(t, table, sw, 7)
}

func TestARefusedDeltaShowsThatTheTableWasWrong(t *testing.T) {
	for _, code := range []uint16{12, 15, 16} {
		table, sw := tableOf(t, members(7, ofgroup.All, 1))
		sw.Refuse(ofgrouptest.Refusal{Type: 6, Code: code})
		_, err := table.Sync(t.Context(), members(7, ofgroup.All, 1, 2))
		var refused *ofgroup.SwitchError
		require.ErrorAs(t, err, &refused)
		require.Equal(t, code, refused.Code)
		requireState(t, ofgroup.Unknown, table, 7)
		_, err = table.Sync(t.Context(), members(7, ofgroup.All, 1, 2))
		require.NoError(t, err)
		requireAgreed(t, table, sw, 7)
	}
}

func TestIn13KeyedGroupsAreModifiedWhole(t *testing.T) {
	sender := &in13{*ending(confirmed, nil)}
	table := ofgroup.NewTable(sender, ofgroup.TableConfig{})
	for i, ports := range [][]ofgroup.Port{{1, 2}, {1, 2, 3}, {3, 1}} {
		_, err := table.Sync(t.Context(), members(7, ofgroup.All, ports...))
		require.NoError(t, err)
		m, n := sender.last()
		require.Equal(t, i+1, n)
		require.Equal(t, []ofgroup.Command{ofgroup.AddOrMod, ofgroup.Modify, ofgroup.Modify}[i], m.Command())
		require.Equal(t, len(ports), m.Group().Len())
	}
	sent, err := table.Sync(t.Context(), members(7, ofgroup.All, 1, 3))
	require.NoError(t, err)
	require.False(t, sent, "a set is a set")
}

// in13 is a scripted sender to a switch of OpenFlow 1.3.
type in13 struct{ scripted }

func (*in13) Version() ofgroup.Version { return ofgroup.OpenFlow13 }
