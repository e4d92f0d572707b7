//go:build linux

package ovslab

import (
	"net/netip"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// switchHas says whether the switch lists a port of that number.
func switchHas(t *testing.T, lab *NetLab, number string) bool {
	t.Helper()
	dump, err := lab.Ofctl(t.Context(), "dump-ports-desc", lab.Bridge())
	require.NoError(t, err)
	return strings.Contains(dump, " "+number+": addr:") || strings.Contains(dump, " "+number+"(")
}

func TestADeletedPortComesBackWithItsNumber(t *testing.T) {
	lab := NewNet(t, NetConfig{Hosts: []HostConfig{{Name: "a"}, {Name: "b"}}})
	a, b := lab.Host("a"), lab.Host("b")
	normal(t, lab)
	requireStream(t, a, b)

	require.NoError(t, lab.DelPort(t.Context(), "a"))
	require.False(t, switchHas(t, lab, "1"))
	require.True(t, switchHas(t, lab, "2"))
	require.NoError(t, lab.AddPort(t.Context(), "a"))

	require.True(t, switchHas(t, lab, "1"))
	requireStream(t, b, a)
	require.ErrorIs(t, lab.AddPort(t.Context(), "other"), os.ErrNotExist)
	require.Zero(t, lab.PortNumber("other"))
}

func TestTrafficFlowsAgainAfterARestart(t *testing.T) {
	lab := NewNet(t, NetConfig{FailMode: "standalone", Hosts: []HostConfig{{Name: "a"}, {Name: "b"}}})
	a, b := lab.Host("a"), lab.Host("b")
	requireStream(t, a, b)
	lost := tap(t, b)

	require.NoError(t, lab.KillSwitch())
	require.NoError(t, a.Send(t.Context(), Stream{To: group, Packets: 10}))
	require.NoError(t, lab.RestartSwitch(t.Context()))

	require.Empty(t, lost.Arrivals(), "nothing passes while the switch is dead")
	requireStream(t, a, b)
	require.Equal(t, uint32(2), b.PortNumber())
	require.True(t, switchHas(t, lab, "2"))
}

func TestHostsJoinARunningLab(t *testing.T) {
	lab := NewNet(t, NetConfig{Hosts: []HostConfig{{Name: "a", Port: "shared"}, {Name: "b", Port: "shared"}, {Name: "c"}}})
	normal(t, lab)
	require.NoError(t, lab.AddHosts(t.Context(), HostConfig{Name: "d"}, HostConfig{Name: "e", Port: "shared"}))
	require.Equal(t, uint32(3), lab.Host("d").PortNumber())
	require.Equal(t, uint32(1), lab.Host("e").PortNumber())
	require.Equal(t, netip.MustParseAddr("192.0.2.5"), lab.Host("e").Addr())
	requireStream(t, lab.Host("d"), lab.Host("e"))
	requireStream(t, lab.Host("a"), lab.Host("e"))

	require.ErrorIs(t, lab.AddHosts(t.Context(), HostConfig{Name: "d", Port: "x"}), ErrConfig, "the name is taken")
	require.ErrorIs(t, lab.AddHosts(t.Context(), HostConfig{Name: "f", Port: "c"}), ErrConfig, "c has its port alone")
	require.Nil(t, lab.Host("f"))
}

// The switch's machine routes between the hosts behind the switch and a machine
// outside, to which the switch has no port.
func TestAMachineOutsideIsReachedThroughTheNode(t *testing.T) {
	inside, outside := netip.MustParseAddr("192.0.2.254"), netip.MustParseAddr("198.51.100.1")
	lab := NewNet(t, NetConfig{Hosts: []HostConfig{
		{Name: "a", Gateway: inside},
		{Name: "out", Port: "up0", Addr: netip.MustParsePrefix("198.51.100.2/24"), Uplink: outside, Gateway: outside},
	}})
	normal(t, lab)
	require.Zero(t, lab.Host("out").PortNumber())
	node := lab.Node()
	for _, args := range [][]string{{"addr", "add", inside.String() + "/24", "dev", "br0"}, {"link", "set", "dev", "br0", "up"}} {
		_, err := node.Run(t.Context(), "ip", args...)
		require.NoError(t, err)
	}
	require.NoError(t, node.setting("ipv4/ip_forward", "1"))

	requireStream(t, lab.Host("out"), lab.Host("a"))
	requireReach(t, lab.Host("a"), lab.Host("out"), lab.Host("out").Addr())
}
