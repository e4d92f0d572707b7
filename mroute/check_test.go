package mroute

import (
	"errors"
	"fmt"
	"net/netip"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCheckIsUnsupportedElsewhere(t *testing.T) {
	if runtime.GOOS == "linux" {
		t.Skip("Linux has it")
	}
	all, err := Check(t.Context(), CheckConfig{})
	require.ErrorIs(t, err, errors.ErrUnsupported)
	require.Empty(t, all)
}

func TestMoreInterfacesThanVIFsAreFound(t *testing.T) {
	var names []string
	for n := range MaxVIFs {
		names = append(names, fmt.Sprint("eth", n))
	}
	o := &observations{}
	require.Empty(t, o.judge(CheckConfig{Inputs: names, Outputs: names}), "an interface counts once")
	all := o.judge(CheckConfig{Inputs: names, Outputs: []string{"eth32"}})
	require.Len(t, all, 1)
	require.Equal(t, ProblemLimit, all[0].Problem)
	require.False(t, all[0].Blocks)
}

func TestSourceOfAnUnknownInterfaceMayBeDroppedAtEach(t *testing.T) {
	o := &observations{
		settings: map[string]int{"conf/a/rp_filter": 1, "conf/b/rp_filter": 1},
		back:     map[netip.Addr]string{documented.Source: "a"},
	}
	mapped := netip.AddrFrom16(documented.Source.As16())
	all := o.judge(CheckConfig{Inputs: []string{"a", "b"}, Flows: []Flow{{Source: mapped}}})
	require.Len(t, all, 1)
	require.Equal(t, "b", all[0].Interface)
	require.False(t, all[0].Blocks, "it may arrive at a alone")
}

func TestReversePathIsNotAboutIPv6(t *testing.T) {
	o := &observations{settings: map[string]int{"conf/a/rp_filter": 1}, back: map[netip.Addr]string{}}
	cfg := CheckConfig{Inputs: []string{"a"}, Flows: []Flow{{Source: netip.MustParseAddr("2001:db8::1")}, {}}}
	require.Empty(t, o.judge(cfg))
	require.False(t, cfg.namesSourceAt("a"))
}

func TestFindingIsOneLine(t *testing.T) {
	f := Finding{
		Problem: ProblemTTL, Interface: "eth0", Source: documented.Source, Group: documented.Group,
		Detail: "it was seen", Remedy: "do this",
	}
	require.Equal(t, "ttl eth0 from "+documented.Source.String()+" to "+documented.Group.String()+": it was seen (do this)", f.String())
	require.Equal(t, "owner: another (stop it)", Finding{Problem: ProblemOwner, Detail: "another", Remedy: "stop it"}.String())
	require.Equal(t, "Problem(0x0)", Problem(0).String())
	require.Equal(t, "forwarding", ProblemForwarding.String())
	require.Equal(t, "Problem(0xff)", Problem(255).String())
}
