package view_test

import (
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/examples/agent/view"
)

func TestAFilterNamesWhatItWantsOrBlocks(t *testing.T) {
	t.Parallel()
	asked, blocked, other := netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("192.0.2.2"), netip.MustParseAddr("192.0.2.3")
	sources := []view.Source{{Addr: asked, Left: view.Seconds(time.Minute)}, {Addr: blocked}}
	wanted := func(m view.Member) (of []bool) {
		for _, source := range []netip.Addr{asked, blocked, other, {}} {
			of = append(of, m.Wants(source))
		}
		return of
	}

	include := view.Member{Mode: "INCLUDE", Sources: sources[:1]}
	require.Equal(t, []netip.Addr{asked}, include.Named())
	require.Equal(t, []bool{true, false, false, false}, wanted(include))

	exclude := view.Member{Mode: "EXCLUDE", Sources: sources}
	require.Equal(t, []netip.Addr{blocked}, exclude.Named(), "the other was asked for, and is wanted like any")
	require.Equal(t, []bool{true, false, true, true}, wanted(exclude))

	everything := view.Member{Mode: "EXCLUDE"}
	require.Empty(t, everything.Named())
	require.Equal(t, []bool{true, true, true, true}, wanted(everything))
}
