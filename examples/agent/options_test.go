package main

import (
	"bytes"
	"flag"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestDefaults(t *testing.T) {
	o, err := parseOptions(nil, io.Discard)
	require.NoError(t, err)
	require.Equal(t, "unix:/var/run/openvswitch/br0.mgmt", o.openflow)
	require.Equal(t, []uint8{3}, o.queryVersions)
	require.Equal(t, 125*time.Second, o.queryInterval)
	require.False(t, o.ovsSnooping, "it breaks IPv6")
	require.Equal(t, "/var/run/ofmcast/br0.state", o.state)
	require.Equal(t, exitKeep, o.onExit)
}

func TestTheStateOfAnotherSwitchIsKeptOnlyWhereAFlagSays(t *testing.T) {
	o, err := parseOptions([]string{"-openflow", "tcp:192.0.2.1:6653"}, io.Discard)
	require.NoError(t, err)
	require.Empty(t, o.state)
	o, err = parseOptions([]string{"-openflow", "tcp:192.0.2.1:6653", "-state", "file"}, io.Discard)
	require.NoError(t, err)
	require.Equal(t, "file", o.state)
	o, err = parseOptions([]string{"-state", ""}, io.Discard)
	require.NoError(t, err)
	require.Empty(t, o.state)
}

func TestQueryVersions(t *testing.T) {
	o, err := parseOptions([]string{"-query-versions", "1,2,3"}, io.Discard)
	require.NoError(t, err)
	require.Equal(t, []uint8{1, 2, 3}, o.queryVersions)
	for _, wrong := range []string{"", "0", "4", "2,", "two"} {
		_, err := parseOptions([]string{"-query-versions", wrong}, io.Discard)
		require.Error(t, err, wrong)
	}
}

func TestWhatMakesNoSenseIsRefused(t *testing.T) {
	for name, args := range map[string][]string{
		"an uplink without a gateway": {"-uplink", "eth1"},
		"no packets at all":           {"-packet-rate", "0"},
		"no time between changes":     {"-group-interval", "0s"},
		"no source at all":            {"-sources-per-group", "0"},
		"an uplink that is gateway":   {"-gateway", "gw0", "-uplink", "gw0"},
		"an uplink named twice":       {"-gateway", "gw0", "-uplink", "up0", "-uplink", "up0"},
		"a socket without a kind":     {"-openflow", "br0.mgmt"},
		"a host without a port":       {"-openflow", "tcp:localhost"},
		"snooping without a database": {"-ovs-snooping", "-ovsdb", ""},
		"a role without a port":       {"-role", "=router"},
		"a role that is none":         {"-role", "eth1=king"},
		"a gateway by role":           {"-role", "eth1=gateway"},
		"two roles of a port":         {"-router-port", "eth1", "-tunnel", "eth1"},
		"a gateway that is a router":  {"-gateway", "gw0", "-router-port", "gw0"},
		"a VLAN that is reserved":     {"-vlan", "4095"},
		"a third way to report":       {"-report", "loudly"},
		"an argument that is no flag": {"br0"},
		"neither keep nor clean":      {"-on-exit", "flush"},
		"an address that is none":     {"-query-address", "gw0"},
	} {
		_, err := parseOptions(args, io.Discard)
		require.Error(t, err, name)
	}
}

func TestHelpSaysWhatIsTheAgentsOnTheSwitch(t *testing.T) {
	var help bytes.Buffer
	_, err := parseOptions([]string{"-help"}, &help)
	require.ErrorIs(t, err, flag.ErrHelp)
	for _, word := range []string{"0x6f666d63", "tables 100 and 101", "\n1 to 5 and 1000 to 65535", "100011 to 140944", "ofmcast-role", "-router-port", "SIGTERM", "-query-versions"} {
		require.Contains(t, help.String(), word)
	}
}

func TestPortsAndVLANsOfTheFlags(t *testing.T) {
	o, err := parseOptions([]string{"-router-port", "r1", "-role", "r1=router", "-vlan", "20", "-vlan", "10", "-vlan", "20", "-report", "transparent"}, io.Discard)
	require.NoError(t, err)
	require.Equal(t, map[string]role{"r1": roleRouter}, o.roles)
	require.Equal(t, []uint16{20, 10}, o.vlans)
	require.True(t, o.transparent)
}
