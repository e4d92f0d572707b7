//go:build linux

package main

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/igmp"
)

// isReport says whether a frame is an IGMPv3 report that names the source-specific group.
func isReport(frame []byte) bool {
	var d igmp.Decoder
	v, err := d.Frame(frame)
	if err != nil {
		return false
	}
	for r := range v.Records() {
		if r.Group == single {
			return true
		}
	}
	return false
}

// requireSingle checks that a report asks for one source of the group, and for no other.
func requireSingle(t *testing.T, frame []byte, source netip.Addr) {
	t.Helper()
	var d igmp.Decoder
	v, err := d.Frame(frame)
	require.NoError(t, err)
	for r := range v.Records() {
		if r.Group != single {
			continue
		}
		require.Contains(t, []igmp.RecordType{igmp.Allow, igmp.IsIn, igmp.ToIn}, r.Type)
		for s := range r.Sources() {
			require.Equal(t, source, s)
		}
	}
}
