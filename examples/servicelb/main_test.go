package main

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/internal/ovslab"
)

func TestOneGroupModAChange(t *testing.T) {
	text := play10(t, "")
	require.Contains(t, text, "10 changes, 10 GROUP_MODs to a switch in this process\n")
	mods := regexp.MustCompile(`(?m)^    (add_or_mod|modify) group_id=(10|11),`).FindAllStringSubmatch(text, -1)
	var got []string
	for _, m := range mods {
		got = append(got, m[1]+" "+m[2])
	}
	require.Equal(t, []string{
		"add_or_mod 10", "modify 10", "modify 10", "modify 10", "modify 10",
		"add_or_mod 11", "modify 11", "modify 11", "modify 11", "modify 11",
	}, got)
}

func TestNoEndpointsIsAnEmptyGroupNotADelete(t *testing.T) {
	text := play10(t, "")
	require.Contains(t, text, "  3 → 0 endpoints: one GROUP_MOD of 24 bytes\n    modify group_id=10,type=select\n")
	require.NotContains(t, text, "delete")
}

func TestBucketsNoteTheEndpointAndResubmit(t *testing.T) {
	text := play10(t, "")
	require.Contains(t, text, "bucket=weight:100,actions=set_field:0xc0000201->reg3,set_field:0x1f90/0xffff->reg4,resubmit(,6)")
	require.Contains(t, text, "bucket=weight:100,actions=set_field:0x20010db8000000000000000000000003->xxreg3,set_field:0x1f90/0xffff->reg4,resubmit(,6)")
	require.Contains(t, text, "set_field:0x1f90/0xffff->reg4,resubmit(,5)", "session affinity goes elsewhere")
}

func TestARealSwitchEndsUpWithBothGroups(t *testing.T) {
	lab := ovslab.New(t, ovslab.Config{})
	text := play10(t, "unix:"+lab.Mgmt())
	require.Contains(t, text, "10 changes, 10 GROUP_MODs to the switch at unix:")
	dump, err := lab.Ofctl(t.Context(), "dump-groups", lab.Mgmt())
	require.NoError(t, err)
	for _, table := range []string{"resubmit(,6)", "resubmit(,5)"} {
		require.Equal(t, 3, strings.Count(dump, table), dump)
	}
}

func TestGroupsThatAreThereAreNotTouched(t *testing.T) {
	lab := ovslab.New(t, ovslab.Config{})
	const theirs = "group_id=10,type=all,bucket=bucket_id:0,actions=output:77"
	_, err := lab.Ofctl(t.Context(), "add-group", lab.Mgmt(), theirs)
	require.NoError(t, err)
	text := play10(t, "unix:"+lab.Mgmt())
	require.Contains(t, text, "web: group 11,")
	dump, err := lab.Ofctl(t.Context(), "dump-groups", lab.Mgmt())
	require.NoError(t, err)
	require.Contains(t, dump, theirs+"\n")
}

func play10(t *testing.T, address string) string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, run(t.Context(), address, &out))
	return out.String()
}
