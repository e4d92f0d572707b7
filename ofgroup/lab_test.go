package ofgroup_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/internal/ovslab"
	. "github.com/ofmcast/ofmcast/ofgroup"
)

// printedShort are actions of which Open vSwitch's own printer leaves out something that
// its parser takes and the switch keeps.
var printedShort = strings.NewReplacer(
	"resubmit(2,255,ct)", "resubmit:2",
	"nat(dst,persistent)", "nat(dst)",
)

// Lines of ours go into a real switch, and it describes the same groups in the same words.
func TestARealSwitchTakesTheLinesAndDescribesTheSameGroups(t *testing.T) {
	lab := ovslab.New(t, ovslab.Config{Ports: []string{"p1", "p2", "p3", "p4"}})
	var lines, want []string
	seen := map[ID]bool{}
	for _, g := range printable() {
		if seen[g.ID()] || strings.Contains(g.String(), "meter:") { // a meter must be there first
			continue
		}
		seen[g.ID()] = true
		lines = append(lines, g.String())
		want = append(want, printedShort.Replace(decode(t, encode(t, g, Add, OpenFlow15)).Group().String()))
	}
	_, err := lab.OfctlInput(t.Context(), strings.Join(lines, "\n")+"\n", "add-groups", lab.Bridge(), "-")
	require.NoError(t, err)
	dump, err := lab.Ofctl(t.Context(), "dump-groups", lab.Bridge())
	require.NoError(t, err)
	var got []string
	for _, line := range strings.Split(strings.TrimSpace(dump), "\n") {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "group_id=") {
			got = append(got, line)
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	require.Equal(t, want, got)
}
