package ofconn_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/internal/ovslab"
	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
)

const (
	typeGroupMod = 15
	typeBarrier  = 20
)

// change is one edit of a group: the output ports before and after.
type change struct {
	name          string
	before, after []int
}

// changes are edits that touch k buckets.
func changes(k int) []change {
	few, many := numbers(1, 3), numbers(1, 3+k)
	turned := append(slices.Clone(many[k:]), many[:k]...)
	slices.Reverse(turned)
	return []change{
		{"added", few, many},
		{"removed", many, few},
		{"reordered", many, turned},
		{"with another action", many, append(numbers(1, 3), numbers(5001, k)...)},
	}
}

// numbers are n numbers from first on.
func numbers(first, n int) []int {
	s := make([]int, n)
	for i := range s {
		s[i] = first + i
	}
	return s
}

// oneMessage reports what else than one GROUP_MOD and at most one barrier
// request went through the relay since its Reset.
func oneMessage(relay *ovslab.Relay) error {
	sent := relay.ToSwitch()
	if n := sent.ByType[typeGroupMod]; n != 1 {
		return fmt.Errorf("%d GROUP_MODs for one change", n)
	}
	if n := sent.ByType[typeBarrier]; n > 1 {
		return fmt.Errorf("%d barriers for one change", n)
	}
	return nil
}

// expectedDump is what ovs-ofctl prints for an ALL group of output buckets. It
// is written out here and not taken from Group.String, which is under test.
func expectedDump(id ofgroup.ID, ports []int) string {
	var sb strings.Builder
	fmt.Fprintf(&sb, "group_id=%d,type=all", id)
	for i, p := range ports {
		fmt.Fprintf(&sb, ",bucket=bucket_id:%d,actions=output:%d", i, p)
	}
	return sb.String()
}

// requireHeld compares what we and what ovs-ofctl read from the switch with
// the group.
func requireHeld(t *testing.T, lab *ovslab.Lab, s *ofconn.Session, id ofgroup.ID, want []int) {
	t.Helper()
	held, ok, err := s.GroupDesc(t.Context(), id)
	require.NoError(t, err)
	require.True(t, ok)
	require.True(t, ports(id, want...).Equal(held), "%v", held)
	dump, err := lab.Ofctl(t.Context(), "dump-groups", lab.Bridge(), fmt.Sprint(id))
	require.NoError(t, err)
	_, line, _ := strings.Cut(strings.TrimSpace(dump), "\n")
	require.Equal(t, expectedDump(id, want), strings.TrimSpace(line))
}

// committers are the two ways to commit a group: alone, and through a Table
// that knows what the switch holds.
func committers(s *ofconn.Session) map[string]func(context.Context, ofgroup.Group) (ofgroup.Receipt, error) {
	return map[string]func(context.Context, ofgroup.Group) (ofgroup.Receipt, error){
		"group": func(ctx context.Context, g ofgroup.Group) (ofgroup.Receipt, error) { return g.Commit(ctx, s) },
		"table": ofgroup.NewTable(s, ofgroup.TableConfig{}).Commit,
	}
}

func TestOneChangeIsOneMessage(t *testing.T) {
	lab := ovslab.New(t, ovslab.Config{})
	relay := relayTo(t, lab)
	for _, v := range []ofgroup.Version{ofgroup.OpenFlow15, ofgroup.OpenFlow13} {
		s := open(t, relay.Dial, v)
		for by, commit := range committers(s) {
			for _, k := range []int{1, 2, 7, 100, 700} {
				for _, c := range changes(k) {
					t.Run(fmt.Sprintf("%v/%s/%d buckets %s", v, by, k, c.name), func(t *testing.T) {
						for _, state := range [][]int{c.before, c.after} {
							relay.Reset()
							receipt, err := commit(t.Context(), ports(9, state...))
							require.NoError(t, err)
							require.True(t, receipt.Confirmed)
							require.NoError(t, oneMessage(relay))
							requireHeld(t, lab, s, 9, state)
						}
					})
				}
			}
		}
	}
}

// installingGroup is the founding fault: once the group is installed, every
// change of the object goes to the switch at once.
type installingGroup struct {
	group     ofgroup.Group
	sender    ofgroup.Sender
	installed bool
}

func (g *installingGroup) ResetBuckets(ctx context.Context) error {
	g.group = g.group.WithBuckets()
	return g.changed(ctx)
}

func (g *installingGroup) AddBucket(ctx context.Context, b ofgroup.Bucket) error {
	g.group = g.group.AddBuckets(b)
	return g.changed(ctx)
}

func (g *installingGroup) Install(ctx context.Context) error {
	g.installed = true
	return g.changed(ctx)
}

func (g *installingGroup) changed(ctx context.Context) error {
	if !g.installed {
		return nil
	}
	_, err := g.group.Commit(ctx, g.sender)
	return err
}

// rebuild sets the group's buckets in the way its users do.
func (g *installingGroup) rebuild(ctx context.Context, ports []int) error {
	if err := g.ResetBuckets(ctx); err != nil {
		return err
	}
	for _, p := range ports {
		if err := g.AddBucket(ctx, ofgroup.NewBucket(ofgroup.Output(ofgroup.Port(p)))); err != nil {
			return err
		}
	}
	return g.Install(ctx)
}

func TestTheCheckFindsAGroupThatInstallsItselfOnAppend(t *testing.T) {
	lab := ovslab.New(t, ovslab.Config{})
	relay := relayTo(t, lab)
	g := &installingGroup{group: ofgroup.New(9, ofgroup.All), sender: open(t, relay.Dial)}
	for _, k := range []int{1, 2, 7, 100, 700} {
		g.installed = false
		require.NoError(t, g.rebuild(t.Context(), numbers(1, 3)))
		relay.Reset()

		require.NoError(t, g.rebuild(t.Context(), numbers(1, 3+k)))

		// One for the reset, one for each bucket, one for the install.
		require.EqualError(t, oneMessage(relay), fmt.Sprintf("%d GROUP_MODs for one change", 3+k+2))
	}
}
