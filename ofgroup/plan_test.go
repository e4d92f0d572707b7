package ofgroup_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/ofmcast/ofmcast/ofgroup"
)

func groups(all ...ofgroup.Group) []ofgroup.Group { return all }

func planOf(t require.TestingT, desired, observed []ofgroup.Group) ofgroup.Plan {
	p, err := ofgroup.PlanReconcile(ofgroup.OpenFlow15, desired, observed)
	require.NoError(t, err)
	return p
}

func TestAPlanSaysWhatIsMissing(t *testing.T) {
	p := planOf(t,
		groups(toPorts(1, ofgroup.All, 1), toPorts(2, ofgroup.All, 1, 2), toPorts(4, ofgroup.Select, 1), members(5, ofgroup.All, 1, 2), members(6, ofgroup.All, 1)),
		groups(toPorts(2, ofgroup.All, 1), toPorts(3, ofgroup.All, 1), toPorts(4, ofgroup.All, 1), toPorts(5, ofgroup.All, 1), toPorts(6, ofgroup.All, 2, 1)))
	require.Equal(t, `add group_id=1,type=all,bucket=bucket_id:1,actions=output:1
modify group_id=2,type=all,bucket=bucket_id:1,actions=output:1,bucket=bucket_id:2,actions=output:2
delete group_id=4
add group_id=4,type=select,bucket=bucket_id:1,actions=output:1
insert_bucket group_id=5,command_bucket_id=last,bucket=bucket_id:2,actions=output:2
remove_bucket group_id=6,command_bucket_id=2
delete group_id=3
`, p.String())
	require.Equal(t, 7, p.Len())
	var last ofgroup.Step
	for s := range p.Steps() {
		last = s
	}
	require.Equal(t, ofgroup.Delete, last.Command())
	require.Equal(t, ofgroup.ID(3), last.ID())
	require.Equal(t, 1, last.Group().Len(), "as it was")
	require.Equal(t, ofgroup.Delete, last.Mod().Command())
}

func TestWhatIsAsDesiredNeedsNoPlan(t *testing.T) {
	all := groups(toPorts(1, ofgroup.All, 1), using(2, ids(1), nil), members(3, ofgroup.All, 1, 2))
	require.Zero(t, planOf(t, all, all).Len())
	require.Zero(t, planOf(t, all, groups(all[0], all[1], toPorts(3, ofgroup.All, 2, 1))).Len())
	require.Empty(t, planOf(t, nil, nil).String())
}

func TestAPlanIn13ComparesInThatVersion(t *testing.T) {
	g := ofgroup.New(5, ofgroup.All).AddBuckets(ofgroup.NewBucket(ofgroup.Set(ofgroup.Reg(1).Bits(0, 3), 5), ofgroup.Set(ofgroup.Reg(1).Bits(8, 11), 6)))
	m, err := g.Mod(ofgroup.Add, ofgroup.OpenFlow13)
	require.NoError(t, err)
	observed := groups(decode(t, marshalled(t, m)).Group())
	p, err := ofgroup.PlanReconcile(ofgroup.OpenFlow13, groups(keyed(g)), observed)
	require.NoError(t, err)
	require.Zero(t, p.Len())
	p, err = ofgroup.PlanReconcile(ofgroup.OpenFlow13, groups(keyed(g).AddBuckets(member(1))), observed)
	require.NoError(t, err)
	for s := range p.Steps() {
		require.Equal(t, ofgroup.Modify, s.Command())
	}
}

func TestACircleOfGroupsIsNotPlanned(t *testing.T) {
	_, err := ofgroup.PlanReconcile(ofgroup.OpenFlow15,
		groups(using(1, ids(2), nil), using(2, nil, ids(3, 9)), using(3, ids(4), nil), using(4, ids(2), nil)), nil)
	var cycle *ofgroup.CycleError
	require.ErrorAs(t, err, &cycle)
	require.ErrorIs(t, err, ofgroup.ErrCycle)
	require.Equal(t, ids(2, 3, 4), cycle.IDs)
	require.EqualError(t, cycle, "groups refer to each other in a circle: 2 to 3 to 4 to 2")

	_, err = ofgroup.PlanReconcile(ofgroup.OpenFlow15, groups(using(1, ids(1), nil)), nil)
	require.ErrorIs(t, err, ofgroup.ErrCycle)
	p := planOf(t, nil, groups(using(1, ids(2), nil), using(2, ids(1), nil)))
	require.Equal(t, 2, p.Len(), "one that is there can be got rid of")
}

func TestWhatCannotBePlannedIsToldAltogether(t *testing.T) {
	_, err := ofgroup.PlanReconcile(ofgroup.OpenFlow15, groups(toPorts(1, ofgroup.All, 1), toPorts(1, ofgroup.All, 2)), nil)
	require.ErrorIs(t, err, ofgroup.ErrRepeatedID)
	_, err = ofgroup.PlanReconcile(ofgroup.OpenFlow15, nil, groups(toPorts(1, ofgroup.All, 1), toPorts(1, ofgroup.All, 2)))
	require.ErrorIs(t, err, ofgroup.ErrRepeatedID)
	_, err = ofgroup.PlanReconcile(ofgroup.OpenFlow15, groups(members(1, ofgroup.All, 1, 1),
		ofgroup.New(2, ofgroup.All).AddBuckets(ofgroup.NewBucket().WithWeight(1)), ofgroup.New(ofgroup.MaxID+1, ofgroup.All)), nil)
	for _, rule := range []error{ofgroup.ErrBucketKey, ofgroup.ErrWeight, ofgroup.ErrReservedID} {
		require.ErrorIs(t, err, rule)
	}
	_, err = ofgroup.PlanReconcile(ofgroup.Version(1), groups(toPorts(1, ofgroup.All, 1)), nil)
	require.ErrorIs(t, err, ofgroup.ErrVersion)
}

// drawGroups is some of eight groups that refer to groups of larger IDs.
func drawGroups(t *rapid.T, name string) []ofgroup.Group {
	const n = 8
	var all []ofgroup.Group
	for id := ofgroup.ID(1); id <= n; id++ {
		if rapid.Bool().Draw(t, name) {
			continue
		}
		g := members(id, ofgroup.Type(rapid.IntRange(0, 1).Draw(t, "type")), ofgroup.Port(rapid.IntRange(1, 3).Draw(t, "port")))
		for to := id + 1; to <= n; to++ {
			if rapid.IntRange(0, 3).Draw(t, "uses") == 0 {
				g = g.AddBuckets(ofgroup.NewBucket(ofgroup.OutputGroup(to)).WithKey(to.String()))
			}
		}
		all = append(all, g)
	}
	return all
}

// Carried out step by step a plan ends at the desired groups, and never is there a group
// before one that it uses, nor one deleted before those that used it, but for a change of type.
func TestAPlanLeadsToTheDesiredGroupsInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		desired, observed := drawGroups(t, "desired"), drawGroups(t, "observed")
		wanted, held := make(map[ofgroup.ID]ofgroup.Group), make(map[ofgroup.ID]ofgroup.Group)
		for _, g := range observed {
			held[g.ID()] = g
		}
		for _, g := range desired {
			wanted[g.ID()] = g
		}
		for s := range planOf(t, desired, observed).Steps() {
			if s.Command() == ofgroup.Delete {
				delete(held, s.ID())
				if _, replaced := wanted[s.ID()]; !replaced {
					requireUnused(t, held, s.ID(), wanted)
				}
				continue
			}
			for to := range uses(s.Group()) {
				if _, ours := wanted[to]; ours {
					require.Contains(t, held, to, "%v uses %v", s.ID(), to)
				}
			}
			held[s.ID()] = s.Group()
		}
		var reached []ofgroup.Group
		for _, g := range held {
			reached = append(reached, g)
		}
		require.Zero(t, planOf(t, desired, reached).Len())
	})
}

// requireUnused asks that no group that is held uses a deleted one, unless it shall.
func requireUnused(t *rapid.T, held map[ofgroup.ID]ofgroup.Group, gone ofgroup.ID, wanted map[ofgroup.ID]ofgroup.Group) {
	for id, g := range held {
		if _, still := uses(wanted[id])[gone]; !still {
			require.NotContains(t, uses(g), gone, "%v is deleted, %v uses it", gone, id)
		}
	}
}

// uses are the groups that the buckets of drawGroups name in their keys.
func uses(g ofgroup.Group) map[ofgroup.ID]bool {
	all := make(map[ofgroup.ID]bool)
	for b := range g.Buckets() {
		key, _ := b.Key()
		for id := ofgroup.ID(1); id < 10; id++ {
			if key == id.String() {
				all[id] = true
			}
		}
	}
	return all
}
