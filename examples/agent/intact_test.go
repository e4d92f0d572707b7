//go:build linux

package main

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestFlowsThatSomebodyDeletesAreBack(t *testing.T) {
	t.Parallel()
	for name, do := range map[string]func(r *rig){
		"with the fail mode": func(r *rig) { vsctl(t, r.lab.Lab, "set-fail-mode", "br0", "standalone") },
		"by hand": func(r *rig) {
			_, err := r.lab.Ofctl(t.Context(), "del-flows", r.lab.Mgmt())
			require.NoError(t, err)
		},
		"with their groups": func(r *rig) {
			_, err := r.lab.Ofctl(t.Context(), "del-groups", r.lab.Mgmt())
			require.NoError(t, err)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newLab(t, versions...)
			p := r.launch(nil)
			r.join("v3", group)
			r.awaitBuckets(group, 5*time.Second, "3")
			if name == "with their groups" { // some stay: how many there were has to be known
				time.Sleep(intactEvery + time.Second)
			}
			before := r.owned()
			do(r)
			require.NotEqual(t, before, r.owned())
			p.await("somebody has deleted flows")
			eventually(t, func() bool { return slices.Equal(before, r.owned()) }, 5*time.Second, 50*time.Millisecond)
			r.awaitBuckets(group, 5*time.Second, "3")
		})
	}
}

// owned are the agent's flows.
func (r *rig) owned() []string {
	r.t.Helper()
	flows, err := r.lab.Ofctl(r.t.Context(), "--no-stats", "dump-flows", r.lab.Mgmt(), "cookie=0x6f666d6300000000/0xffffffff00000000")
	require.NoError(r.t, err)
	// ovs-ofctl leaves those of one priority in whatever order.
	return slices.DeleteFunc(slices.Sorted(strings.Lines(flows)), func(line string) bool { return !strings.Contains(line, "actions=") })
}

func TestASingleFlowThatSomebodyDeletesIsBack(t *testing.T) {
	t.Parallel()
	for name, do := range map[string]func(r *rig){
		"by hand": func(r *rig) {
			_, err := r.lab.Ofctl(t.Context(), "del-flows", r.lab.Mgmt(), "table=101,ip,nw_dst="+group.String())
			require.NoError(t, err)
		},
		"with its group": func(r *rig) {
			_, err := r.lab.Ofctl(t.Context(), "del-groups", r.lab.Mgmt(), "group_id="+r.groupOf(group))
			require.NoError(t, err)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newLab(t, versions...)
			p := r.launch(nil)
			r.join("v3", group)
			r.join("v3", other)
			r.awaitBuckets(group, 5*time.Second, "3")
			r.awaitBuckets(other, 5*time.Second, "3")
			before := r.owned()
			do(r)
			require.Len(t, r.owned(), len(before)-1)
			p.await("missing=1")
			r.awaitBuckets(group, 5*time.Second, "3")
			require.Equal(t, before, r.owned())
			require.NotContains(t, p.said.String(), "everything is sent again")
		})
	}
}

func TestOnlyWhatWasThereIsMissed(t *testing.T) {
	base := func(connection uint64, told int, had uint32) stock {
		return stock{connection: connection, told: told, had: had}
	}
	had := base(1, 10, 9)
	require.False(t, had.lost(stock{}))
	require.False(t, had.lost(had), "whatever it was told")
	require.False(t, base(1, 8, 8).lost(had), "it was told of fewer")
	require.False(t, base(2, 10, 8).lost(had), "it is another switch, perhaps")
	require.False(t, base(1, 10, 10).lost(had))
	require.False(t, base(1, 0, 0).lost(stock{}))
	require.True(t, base(1, 10, 8).lost(had))
	require.True(t, base(1, 10, 0).lost(stock{}))
}
