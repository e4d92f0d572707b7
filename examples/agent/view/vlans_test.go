package view_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/examples/agent/view"
)

func TestVLANsThatFollowEachOtherAreOneRange(t *testing.T) {
	p := view.Port{Carries: view.Ranges([]uint16{0, 1, 10, 11, 13, 4094})}
	require.Equal(t, []view.VLANRange{{0, 0}, {1, 1}, {10, 11}, {13, 13}, {4094, 4094}}, p.Carries)
	for vlan, want := range map[uint32]bool{0: true, 1: true, 2: false, 10: true, 11: true, 12: false, 13: true, 4094: true, 65536: false} {
		require.Equal(t, want, p.Carried(vlan), vlan)
	}
	require.NotNil(t, view.Ranges(nil), "lists are never null")
}
