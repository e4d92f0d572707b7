//go:build linux

package main

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Somebody else's group or meter may have a number of the agent's. As long as flows of theirs use it
// nothing is changed; when they are gone the agent goes to work.
func TestFlowsOfOthersThatUseNumbersOfTheAgentsKeepItOut(t *testing.T) {
	t.Parallel()
	for what, theirs := range map[string][2]string{
		"group 2":    {"add-group group_id=2,type=select,bucket=actions=output:1", "actions=group:2"},
		"group 1007": {"add-group group_id=1007,type=all,bucket=actions=output:1", "actions=output:2,group:1007"},
		"meter 12":   {"add-meter meter=12,pktps,bands=type=drop,rate=7", "actions=meter:12,normal"},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			r := newLab(t, versions...)
			command, args, _ := strings.Cut(theirs[0], " ")
			r.ofctl(command, r.lab.Mgmt(), args)
			r.ofctl("add-flow", r.lab.Mgmt(), "cookie=0x77,priority=5,udp,"+theirs[1])
			before := r.everything()
			p := r.begin(nil, "-on-exit", "clean")
			p.await(what + " is used by what is not the agent's")
			require.Equal(t, before, r.everything())
			r.ofctl("del-flows", r.lab.Mgmt(), "cookie=0x77/-1")
			p.await("switch is up to date")
			p.kill()
			r.ofctl("add-flow", r.lab.Mgmt(), "cookie=0x77,priority=5,udp,actions=meter:12,group:2")
			r.launch(nil) // those numbers are an agent's now
		})
	}
}

func (r *rig) ofctl(args ...string) {
	r.t.Helper()
	_, err := r.lab.Ofctl(r.t.Context(), args...)
	require.NoError(r.t, err)
}

// What cannot be read counts for nothing, and nothing is read beyond a length.
func TestReferencesOfAFlowAreThoseOfItsActions(t *testing.T) {
	apply := "0004002000000000" + "0000001000000001ffff000000000000" // output:1, and 8 bytes to come
	for name, c := range map[string]struct {
		instructions string
		want         map[reference]bool
	}{
		"actions":             {apply + "00160008000003ef", map[reference]bool{{actionGroup, 1007}: true}},
		"a meter of 1.3":      {"000600080000000c", map[reference]bool{{actionMeter, 12}: true}},
		"a meter of 1.5":      {"0004001000000000" + "001d00080000000c", map[reference]bool{{actionMeter, 12}: true}},
		"a goto":              {"0001000801000000", map[reference]bool{}},
		"a length too large":  {apply + "00160009000003ef", map[reference]bool{}},
		"a length of nothing": {apply + "00160000000003ef", map[reference]bool{}},
	} {
		t.Run(name, func(t *testing.T) {
			raw, err := hex.DecodeString(c.instructions)
			require.NoError(t, err)
			have := make(map[reference]bool)
			addReferences(have, raw)
			require.Equal(t, c.want, have)
		})
	}
}
