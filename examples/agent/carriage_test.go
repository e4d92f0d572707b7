package main

import (
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/examples/ovsdb"
	"github.com/ofmcast/ofmcast/internal/ovslab"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
)

// settingsOfPorts are VLAN settings as ovs-vsctl takes them, some of which contradict themselves.
func settingsOfPorts() [][]string {
	return [][]string{
		nil,
		{"tag=10"}, {"tag=0"}, {"tag=10", "trunks=20"},
		{"trunks=10"}, {"trunks=0,20"}, {"trunks=10,20", "tag=30", "vlan_mode=trunk"},
		{"vlan_mode=access"}, {"vlan_mode=access", "tag=20", "trunks=10"},
		{"vlan_mode=native-untagged"}, {"vlan_mode=native-untagged", "tag=10"},
		{"vlan_mode=native-untagged", "tag=10", "trunks=20"}, {"vlan_mode=native-untagged", "tag=10", "trunks=0,20"},
		{"vlan_mode=native-tagged", "tag=10"}, {"vlan_mode=native-tagged", "tag=10", "trunks=0,10"},
		// Of a native VLAN 0 that is not listed the switch takes frames and sends none; here it is not carried.
		{"vlan_mode=native-tagged", "trunks=0,20"},
	}
}

// Beside Open vSwitch itself, which floods 224.0.0.0/24 by NORMAL within its VLAN: the flows and buckets
// of a layout take the same frames and send them with the same tags.
func TestAPortsVLANSettingsAreFollowedAsTheSwitchItselfDoes(t *testing.T) {
	t.Parallel()
	var ports []string
	for i := range settingsOfPorts() {
		ports = append(ports, fmt.Sprintf("p%d", i+1))
	}
	normal, ours := vlanLab(t, ports), vlanLab(t, ports)
	_, err := normal.Ofctl(t.Context(), "add-flow", normal.Mgmt(), "actions=NORMAL")
	require.NoError(t, err)
	programLayout(t, ours, []uint16{10, 20, 30})
	for i, set := range settingsOfPorts() {
		for _, tag := range []string{"", ",dl_vlan=0,dl_vlan_pcp=3", ",dl_vlan=10,dl_vlan_pcp=0", ",dl_vlan=20", ",dl_vlan=30"} {
			frame := fmt.Sprintf("in_port=%d%s,dl_type=0x0800,dl_dst=01:00:5e:00:00:05,nw_dst=224.0.0.5,nw_proto=89", i+1, tag)
			want := outputs(t, normal, frame)
			delete(want, "100") // the bridge's own port, which is no member
			require.Equal(t, want, outputs(t, ours, frame), "%v: %s", set, frame)
		}
	}
}

func vlanLab(t *testing.T, ports []string) *ovslab.Lab {
	lab := ovslab.New(t, ovslab.Config{Ports: ports})
	for i, set := range settingsOfPorts() {
		if set != nil {
			vsctl(t, lab, append([]string{"set", "port", ports[i]}, set...)...)
		}
	}
	return lab
}

// programLayout gives a lab's switch the layout that its ports ask for.
func programLayout(t *testing.T, lab *ovslab.Lab, vlans []uint16) {
	db, err := ovsdb.Dial(t.Context(), "unix:"+lab.Dir()+"/db.sock")
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	settings, err := db.Bridge(within(t, 5*time.Second), lab.Bridge())
	require.NoError(t, err)
	s, err := ofconn.Open(t.Context(), ofconn.Config{Dial: lab.Dial})
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	descs, err := s.Ports(t.Context())
	require.NoError(t, err)
	served, errs := servedPorts(options{}, descs, &settings)
	require.Empty(t, errs)
	require.NoError(t, newBase(100, slog.New(slog.DiscardHandler)).apply(t.Context(), s, newLayout(served, vlans, nil)))
}

// outputs are the datapath ports that a frame leaves by, each with the tag that it has then.
func outputs(t *testing.T, lab *ovslab.Lab, frame string) map[string]string {
	out, err := lab.Appctl(t.Context(), "ofproto/trace", lab.Bridge(), frame)
	require.NoError(t, err)
	_, actions, ok := strings.Cut(strings.TrimSpace(out), "Datapath actions: ")
	require.True(t, ok, out)
	tag := ""
	if _, in, tagged := strings.Cut(frame, "dl_vlan="); tagged {
		tag, _, _ = strings.Cut(in, ",")
	}
	to := map[string]string{}
	for _, action := range strings.Split(strings.ReplaceAll(actions, ",pcp=", ";pcp="), ",") {
		switch vid, push := strings.CutPrefix(action, "push_vlan(vid="); {
		case action == "drop":
		case action == "pop_vlan":
			tag = ""
		case push:
			tag, _, _ = strings.Cut(vid, ";")
		default:
			to[action] = strings.TrimPrefix(tag, "0") // a priority tag says nothing of a VLAN, and ours is off
		}
	}
	return to
}

func TestAPortThatCannotBeFollowedCarriesNothing(t *testing.T) {
	for _, mode := range []string{"dot1q-tunnel", "later"} {
		c, err := carriageOf(ovsdb.Port{Name: "p1", VLANMode: mode, HasTag: true, Tag: 10})
		require.ErrorContains(t, err, "p1")
		require.False(t, c.plain(), "or it would be in the one segment")
		for vlan := range uint16(4096) {
			require.False(t, c.carries(vlan))
		}
	}
}

func TestOutputsInSeveralVLANModesAreOneList(t *testing.T) {
	l := layout{ports: []port{member(1, trunk(10)), member(2, access(10)), member(3, trunk(10))}}
	var text []string
	for _, a := range outAll(l.ports, 10) {
		text = append(text, a.String())
	}
	require.Equal(t, []string{"output:2", "push_vlan:0x8100", "set_field:4106->vlan_vid", "output:1", "output:3"}, text)
}

func TestRolesHaveNames(t *testing.T) {
	for name, r := range roleNames() {
		require.Equal(t, name, r.String())
	}
	require.Equal(t, "role(0x0)", role(0).String())
	require.Len(t, slices.Compact(slices.Sorted(maps.Values(roleNames()))), len(roleNames()))
}
