package ovslab

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// planOf is what a lab that has hosts already makes of further ones.
func planOf(hosts ...HostConfig) ([]*newPort, error) {
	l := &NetLab{Lab: &Lab{}, hosts: map[string]*Host{"old": {cfg: HostConfig{Name: "old", Port: "old"}}}, made: 1}
	return l.plan(hosts)
}

func TestHostsThatCannotBeHadAreRefused(t *testing.T) {
	v6 := netip.MustParseAddr("2001:db8::1")
	for why, hosts := range map[string][]HostConfig{
		"no name":                    {{}},
		"a name with a space":        {{Name: "a b"}},
		"a name that is an option":   {{Name: "-a"}},
		"a name of 16 bytes":         {{Name: strings.Repeat("a", 16)}},
		"a port of 16 bytes":         {{Name: "a", Port: strings.Repeat("a", 16)}},
		"the loopback's name":        {{Name: "lo"}},
		"the bridge's name":          {{Name: "br0"}},
		"IGMPv4":                     {{Name: "a", IGMPVersion: 4}},
		"an IPv6 address":            {{Name: "a", Addr: netip.PrefixFrom(v6, 64)}},
		"an IPv6 gateway":            {{Name: "a", Gateway: v6}},
		"an uplink of another net":   {{Name: "a", Uplink: netip.MustParseAddr("198.51.100.1")}},
		"two of a name":              {{Name: "a"}, {Name: "a", Port: "b"}},
		"a name that exists":         {{Name: "old", Port: "new"}},
		"a port that is not for two": {{Name: "a", Port: "old"}},
		"an uplink that is a port":   {{Name: "a", Port: "p"}, {Name: "b", Port: "p", Uplink: netip.MustParseAddr("192.0.2.254")}},
		"more than there may be":     make([]HostConfig, maxHosts),
	} {
		t.Run(why, func(t *testing.T) {
			_, err := planOf(hosts...)
			require.ErrorIs(t, err, ErrConfig)
		})
	}
}

func TestDefaultsCountTheLabsHosts(t *testing.T) {
	ports, err := planOf(HostConfig{Name: strings.Repeat("a", 15)}, HostConfig{Name: "b", Port: "p"}, HostConfig{Name: "c", Port: "p"})
	require.NoError(t, err)
	require.Len(t, ports, 2)
	require.Equal(t, strings.Repeat("a", 15), ports[0].name)
	c := ports[1].hosts[1]
	require.Equal(t, netip.MustParsePrefix("192.0.2.4/24"), c.cfg.Addr)
	require.Equal(t, "00:00:5e:00:53:04", c.MAC())
	require.Equal(t, netip.MustParseAddr("2001:db8::4"), c.Addr6())
}
