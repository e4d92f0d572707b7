package ovsdb_test

import (
	"net"
	"testing"

	"github.com/ofmcast/ofmcast/examples/ovsdb"
	"github.com/stretchr/testify/require"
)

func TestABridgeIsReadAsVsctlSetIt(t *testing.T) {
	l := newLab(t, "p1", "p2")
	l.vsctl("set", "bridge", "br0", "fail_mode=standalone", "protocols=OpenFlow13,OpenFlow15", "mcast_snooping_enable=true",
		`other_config:note=a "b" \\ ä`, "other_config:mcast-snooping-disable-flood-unregistered=false")
	br := l.bridge()
	require.Equal(t, "br0", br.Name)
	require.Equal(t, "standalone", br.FailMode)
	require.Equal(t, []string{"OpenFlow13", "OpenFlow15"}, br.Protocols)
	require.Equal(t, "dummy", br.DatapathType)
	require.True(t, br.McastSnooping)
	require.Equal(t, `"a \"b\" \\\\ ä"`, l.vsctl("get", "bridge", "br0", "other_config:note"))
	require.Equal(t, map[string]string{
		"note": `a "b" \\ ä`, "mcast-snooping-disable-flood-unregistered": "false"}, br.OtherConfig)
	require.Equal(t, ovsdb.SnoopingState{Enabled: true, DisableFloodUnregistered: "false"}, br.Snooping())
}

func TestWhatABridgeLacksIsEmpty(t *testing.T) {
	l := newLab(t)
	l.vsctl("clear", "bridge", "br0", "fail_mode", "--", "clear", "bridge", "br0", "protocols")
	br := l.bridge()
	require.Empty(t, br.FailMode)
	require.Empty(t, br.Protocols)
	require.Empty(t, br.OtherConfig)
	require.Zero(t, br.Snooping())
	require.Len(t, br.Ports, 1) // the bridge's own
	require.Equal(t, "br0", br.Ports[0].Name)
	require.Equal(t, "internal", br.Ports[0].Interfaces[0].Type)
	require.Equal(t, 65534, br.Ports[0].Interfaces[0].OFPort)
}

func TestVLANSettingsOfPorts(t *testing.T) {
	l := newLab(t, "p1")
	for _, c := range []struct {
		set    []string
		want   ovsdb.Port
		tagged bool
	}{
		{nil, ovsdb.Port{}, false},
		{[]string{"vlan_mode=trunk"}, ovsdb.Port{VLANMode: "trunk"}, false},
		{[]string{"tag=0"}, ovsdb.Port{HasTag: true}, true},
		{[]string{"tag=4095"}, ovsdb.Port{HasTag: true, Tag: 4095}, true},
		{[]string{"trunks=7"}, ovsdb.Port{Trunks: []uint16{7}}, true},
		{[]string{"trunks=20,10,4094"}, ovsdb.Port{Trunks: []uint16{10, 20, 4094}}, true},
		{[]string{"vlan_mode=access"}, ovsdb.Port{VLANMode: "access"}, true},
		{[]string{"tag=10", "trunks=10,11", "vlan_mode=native-untagged"},
			ovsdb.Port{HasTag: true, Tag: 10, Trunks: []uint16{10, 11}, VLANMode: "native-untagged"}, true},
	} {
		l.vsctl("clear", "port", "p1", "tag", "--", "clear", "port", "p1", "trunks", "--", "clear", "port", "p1", "vlan_mode")
		if c.set != nil {
			l.vsctl(append([]string{"set", "port", "p1"}, c.set...)...)
		}
		got := l.port("p1")
		require.Equal(t, c.tagged, got.Tagged(), c.set)
		require.Equal(t, c.want.HasTag, got.HasTag, c.set)
		require.Equal(t, c.want.Tag, got.Tag, c.set)
		require.ElementsMatch(t, c.want.Trunks, got.Trunks, c.set)
		require.Equal(t, c.want.VLANMode, got.VLANMode, c.set)
	}
}

func TestPortsHaveTheirInterfacesInOrder(t *testing.T) {
	l := newLab(t, "p2", "p1")
	l.vsctl("add-bond", "br0", "bond", "d2", "d1", "--", "set", "interface", "d1", "type=dummy", "--", "set", "interface", "d2", "type=dummy",
		"--", "add-port", "br0", "vx", "--", "set", "interface", "vx", "type=vxlan", "options:remote_ip=192.0.2.1",
		"--", "add-br", "other", "--", "set", "bridge", "other", "datapath_type=dummy",
		"--", "add-port", "other", "theirs", "--", "set", "interface", "theirs", "type=dummy")

	var names []string
	for _, p := range l.bridge().Ports {
		names = append(names, p.Name)
	}
	require.Equal(t, []string{"bond", "br0", "p1", "p2", "vx"}, names)
	p1, p2 := l.port("p1").Interfaces, l.port("p2").Interfaces
	require.Len(t, p1, 1)
	require.Equal(t, 2, p1[0].OFPort)
	require.Equal(t, 1, p2[0].OFPort)
	require.Equal(t, "dummy", p1[0].Type)
	require.Equal(t, `"`+p1[0].MAC+`"`, l.vsctl("get", "interface", "p1", "mac_in_use"))
	mac, err := net.ParseMAC(p1[0].MAC)
	require.NoError(t, err)
	require.Len(t, mac, 6)
	bond := l.port("bond").Interfaces
	require.Len(t, bond, 2)
	require.Equal(t, "d1", bond[0].Name)
	require.Equal(t, "d2", bond[1].Name)
	require.Equal(t, "vxlan", l.port("vx").Interfaces[0].Type)
}

func TestADeviceThatDoesNotOpenHasPortMinusOne(t *testing.T) {
	l := newLab(t)
	// A patch port without a peer: ovs-vsctl warns, and has succeeded.
	l.vsctl("add-port", "br0", "bad", "--", "set", "interface", "bad", "type=patch")
	require.Equal(t, "-1", l.vsctl("get", "interface", "bad", "ofport"))
	require.Equal(t, -1, l.port("bad").Interfaces[0].OFPort)
	require.Empty(t, l.port("bad").Interfaces[0].MAC)
}

func TestAPortOfAStoppedSwitchHasNoNumberYet(t *testing.T) {
	l := newLab(t)
	require.NoError(t, l.KillSwitch())
	l.vsctl("--no-wait", "add-port", "br0", "new", "--", "set", "interface", "new", "type=dummy")
	require.Equal(t, ovsdb.Interface{Name: "new", Type: "dummy", ExternalIDs: map[string]string{}}, l.port("new").Interfaces[0])
}

func TestThereIsNoOtherBridge(t *testing.T) {
	l := newLab(t, "p1")
	before := l.vsctl("get", "open_vswitch", ".", "next_cfg")
	for _, name := range []string{"", "br1", "p1", "BR0", `br0","x":"`, "\xff"} {
		_, err := l.Client.Bridge(t.Context(), name)
		require.ErrorIs(t, err, ovsdb.ErrNoBridge, "%q", name)
		_, err = l.SetSnooping(t.Context(), name, ovsdb.SnoopingState{Enabled: true})
		require.ErrorIs(t, err, ovsdb.ErrNoBridge, "%q", name)
	}
	require.Equal(t, before, l.vsctl("get", "open_vswitch", ".", "next_cfg"), "nothing was written")
	require.Zero(t, l.bridge().Snooping())
}
