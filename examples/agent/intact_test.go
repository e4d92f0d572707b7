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
	flows, err := r.lab.Ofctl(r.t.Context(), "--no-stats", "--sort", "dump-flows", r.lab.Mgmt(), "cookie=0x6f666d6300000000/0xffffffff00000000")
	require.NoError(r.t, err)
	return slices.DeleteFunc(slices.Collect(strings.Lines(flows)), func(line string) bool { return !strings.Contains(line, "actions=") })
}

func TestOnlyWhatWasThereIsMissed(t *testing.T) {
	had := stock{connection: 1, told: 10, had: 9}
	require.False(t, had.lost(stock{}))
	require.False(t, had.lost(had), "whatever it was told")
	require.False(t, stock{1, 8, 8}.lost(had), "it was told of fewer")
	require.False(t, stock{2, 10, 8}.lost(had), "it is another switch, perhaps")
	require.False(t, stock{1, 10, 10}.lost(had))
	require.False(t, stock{1, 0, 0}.lost(stock{}))
	require.True(t, stock{1, 10, 8}.lost(had))
	require.True(t, stock{1, 10, 0}.lost(stock{}))
}
