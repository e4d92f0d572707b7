package mroute

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEntryOfARouterInWords(t *testing.T) {
	e := Entry{SG: documented, In: "eth0", Out: []string{"eth1", "eth2"}}
	require.Equal(t, "(198.51.100.1, 233.252.0.1) eth0 > eth1 eth2", e.String())
	require.False(t, e.Negative())
	e.Out = nil
	require.Equal(t, "(198.51.100.1, 233.252.0.1) eth0 >", e.String())
	require.True(t, e.Negative())
}
