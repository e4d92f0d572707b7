package ofgroup_test

import (
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/internal/ovslab"
	"github.com/ofmcast/ofmcast/ofgroup"
)

// frame is a UDP packet to a multicast group.
const frame = "01005e7c0001" + "00005e005301" + "0800" +
	"4500001c0000000008110000c000020be9fc0001" + "1388138800080000"

// counters are what a real switch has counted for each bucket of group 7, in their order.
func counters(t *testing.T, lab *ovslab.Lab) (packets []int) {
	t.Helper()
	_, err := lab.Appctl(t.Context(), "revalidator/wait") // what the datapath counted arrives then
	require.NoError(t, err)
	out, err := lab.Ofctl(t.Context(), "dump-group-stats", lab.Bridge(), "group_id=7")
	require.NoError(t, err)
	for _, m := range regexp.MustCompile(`bucket\d+:packet_count=(\d+)`).FindAllStringSubmatch(out, -1) {
		n, err := strconv.Atoi(m[1])
		require.NoError(t, err)
		packets = append(packets, n)
	}
	return packets
}

// Packets run through a group of a real switch while its members change.
func TestAMembershipChangeLeavesTheOthersCountersAlone(t *testing.T) {
	lab := ovslab.New(t, ovslab.Config{Ports: []string{"p1", "p2", "p3", "p4", "p5"}})
	session := labSession(t, lab)
	table := ofgroup.NewTable(session, ofgroup.TableConfig{})
	receive := func(n int) {
		for range n {
			_, err := lab.Appctl(t.Context(), "netdev-dummy/receive", "p1", frame)
			require.NoError(t, err)
		}
	}
	agree := func() {
		want, state := table.Lookup(7)
		require.Equal(t, ofgroup.Held, state)
		held, ok, err := session.GroupDesc(t.Context(), 7)
		require.NoError(t, err)
		require.True(t, ok && held.Equal(want), "want %v\nhave %v", want, held)
	}
	_, err := table.Sync(t.Context(), members(7, ofgroup.All, 2, 3))
	require.NoError(t, err)
	behindItsBack(t, lab, "add-flow", lab.Bridge(), "in_port=1,actions=group:7")
	receive(3)
	require.Equal(t, []int{3, 3}, counters(t, lab))

	for _, step := range []struct {
		name  string
		group ofgroup.Group
		want  []int
	}{
		{"two more", members(7, ofgroup.All, 4, 2, 3, 5), []int{3 + 2, 3 + 2, 2, 2}},
		{"one less", members(7, ofgroup.All, 4, 3, 5), []int{5 + 2, 2 + 2, 2 + 2}},
		{"and it comes back", members(7, ofgroup.All, 2, 3, 4, 5), []int{7 + 2, 4 + 2, 4 + 2, 2}},
		{"two less, which is a modify", members(7, ofgroup.All, 2, 3), []int{2, 2}},
	} {
		_, err := table.Sync(t.Context(), step.group)
		require.NoError(t, err, step.name)
		agree()
		receive(2)
		require.Equal(t, step.want, counters(t, lab), step.name)
	}

	again := ofgroup.NewTable(labSession(t, lab), ofgroup.TableConfig{}) // the agent restarts
	held, ok, err := session.GroupDesc(t.Context(), 7)
	require.NoError(t, err)
	require.True(t, ok)
	again.Adopt([]ofgroup.Group{held}, ofgroup.Full)
	sent, err := again.Sync(t.Context(), members(7, ofgroup.All, 3, 2))
	require.NoError(t, err)
	require.False(t, sent)
	_, err = again.Sync(t.Context(), members(7, ofgroup.All, 3, 2, 4))
	require.NoError(t, err)
	receive(1)
	require.ElementsMatch(t, []int{3, 3, 1}, counters(t, lab))
}
