//go:build linux

package main

import (
	"net"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/igmp"
	"github.com/ofmcast/ofmcast/internal/ovslab"
)

// newVLANRig is a lab whose ports have these VLAN settings, each as ovs-vsctl takes them, and an agent
// that reads them.
func newVLANRig(t *testing.T, settings map[string][]string, args ...string) *rig {
	t.Helper()
	var hosts []ovslab.HostConfig
	for name := range settings {
		hosts = append(hosts, ovslab.HostConfig{Name: name})
	}
	slices.SortFunc(hosts, func(a, b ovslab.HostConfig) int { return len(a.Name) - len(b.Name) })
	r := newLab(t, hosts...)
	for name, set := range settings {
		if len(set) > 0 {
			r.setPort(name, set...)
		}
	}
	r.startAgent(append([]string{"-ovsdb", "unix:" + r.lab.Dir() + "/db.sock"}, args...))
	return r
}

func (r *rig) setPort(name string, settings ...string) {
	r.t.Helper()
	_, err := r.lab.Vsctl(r.t.Context(), append([]string{"set", "port", name}, settings...)...)
	require.NoError(r.t, err)
}

// joinTagged has a host behind a trunk say what a member in a VLAN says. Nothing repeats it.
func (r *rig) joinTagged(host string, g netip.Addr, vlan uint16) {
	r.t.Helper()
	h := r.lab.Host(host)
	mac, err := net.ParseMAC(h.MAC())
	require.NoError(r.t, err)
	frame, err := igmp.AppendFrame(nil, igmp.Header{EthSrc: igmp.MAC(mac), Src: h.Addr(), VLANs: []igmp.VLAN{{ID: vlan}}},
		&igmp.ReportV3{Records: []igmp.Record{{Type: igmp.ToEx, Group: g}}})
	require.NoError(r.t, err)
	require.NoError(r.t, h.Inject(frame))
}

// membersIn returns the names of the ports that the group of an address copies to in a VLAN.
func (r *rig) membersIn(vlan int, g netip.Addr) []string {
	flows, err := r.lab.Ofctl(r.t.Context(), "dump-flows", r.lab.Mgmt(), "table=101,ip,reg0="+strconv.Itoa(vlan)+",nw_dst="+g.String())
	require.NoError(r.t, err)
	id := regexp.MustCompile(`actions=group:(\d+)`).FindStringSubmatch(flows)
	if id == nil {
		return nil
	}
	var names []string
	for _, port := range r.groupPorts(id[1]) {
		for _, name := range r.hosts {
			if strconv.Itoa(int(r.lab.PortNumber(name))) == port {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return names
}

func (r *rig) awaitMembersIn(vlan int, g netip.Addr, within time.Duration, names ...string) {
	r.t.Helper()
	slices.Sort(names)
	var have []string
	for end := time.Now().Add(within); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if have = r.membersIn(vlan, g); slices.Equal(have, names) {
			time.Sleep(settled)
			return
		}
	}
	require.Equal(r.t, names, have, "VLAN %d", vlan)
}

func access10and20() map[string][]string {
	return map[string][]string{
		"a10": {"tag=10"}, "s10": {"tag=10"}, "b20": {"tag=20"}, "trunk": {"trunks=10,20"},
	}
}

// requireTags says that a host got n packets once each, all with this tag.
func requireTags(t *testing.T, tap *ovslab.Receiver, n int, tag ovslab.Tag) {
	t.Helper()
	requireOnce(t, tap, n)
	for _, a := range tap.Arrivals() {
		require.Equal(t, tag, a.Tag)
	}
}

func TestOneGroupInTwoVLANsIsTwoGroups(t *testing.T) {
	t.Parallel()
	r := newVLANRig(t, access10and20())
	r.join("a10", group)
	r.join("b20", group)
	r.joinTagged("trunk", group, 20)
	r.awaitMembersIn(10, group, 5*time.Second, "a10")
	r.awaitMembersIn(20, group, 5*time.Second, "b20", "trunk")

	taps := map[string]*ovslab.Receiver{}
	for _, h := range []string{"a10", "b20", "trunk"} {
		taps[h] = r.tap(h, group)
	}
	r.send("s10", ovslab.Stream{To: group, Packets: 500})
	requireTags(t, taps["a10"], 500, ovslab.Tag{})
	require.Empty(t, taps["b20"].Arrivals(), "VLAN 10 has not reached VLAN 20")
	require.Empty(t, taps["trunk"].Arrivals(), "nor a trunk where it is wanted in VLAN 20 only")

	r.joinTagged("trunk", group, 10)
	r.awaitMembersIn(10, group, 5*time.Second, "a10", "trunk")
	again := map[string]*ovslab.Receiver{"a10": r.tap("a10", group), "trunk": r.tap("trunk", group)}
	r.send("s10", ovslab.Stream{To: group, Packets: 500})
	requireTags(t, again["a10"], 500, ovslab.Tag{})
	requireTags(t, again["trunk"], 500, ovslab.Tag{Tagged: true, VLAN: 10})
	require.Empty(t, taps["b20"].Arrivals())
}

func TestWhatATrunkSendsReachesItsVLANOnly(t *testing.T) {
	t.Parallel()
	r := newVLANRig(t, access10and20())
	r.join("a10", group)
	r.join("b20", group)
	r.awaitMembersIn(10, group, 5*time.Second, "a10")
	r.awaitMembersIn(20, group, 5*time.Second, "b20")
	for vlan, want := range map[uint16]map[string]int{20: {"b20": 200}, 10: {"a10": 200}, 30: {}} {
		taps := map[string]*ovslab.Receiver{"a10": r.tap("a10", group), "b20": r.tap("b20", group), "s10": r.tap("s10", group)}
		r.send("trunk", ovslab.Stream{To: group, Packets: 200, VLAN: vlan})
		for host, tap := range taps {
			requireTags(t, tap, want[host], ovslab.Tag{})
		}
	}
	// Without a tag a listed trunk carries nothing, and an access port takes no tag, not even its own.
	taps := []*ovslab.Receiver{r.tap("a10", group), r.tap("b20", group)}
	r.send("trunk", ovslab.Stream{To: group, Packets: 20})
	r.send("s10", ovslab.Stream{To: group, Packets: 20, VLAN: 10})
	r.send("s10", ovslab.Stream{To: group, Packets: 20, VLAN: 20})
	time.Sleep(settled)
	for _, tap := range taps {
		require.Empty(t, tap.Arrivals())
	}
	// A priority tag says nothing of a VLAN.
	r.send("s10", ovslab.Stream{To: group, Packets: 20, PriorityTag: true})
	requireTags(t, taps[0], 20, ovslab.Tag{})
	require.Empty(t, taps[1].Arrivals())
}

func TestNativeVLANs(t *testing.T) {
	t.Parallel()
	r := newVLANRig(t, map[string][]string{
		"a10": {"tag=10"}, "untag": {"tag=10", "trunks=20", "vlan_mode=native-untagged"}, "intag": {"tag=10", "vlan_mode=native-tagged"},
	})
	for _, h := range []string{"a10", "untag", "intag"} {
		r.join(h, group) // without a tag: in VLAN 10
	}
	r.awaitMembersIn(10, group, 5*time.Second, "a10", "untag", "intag")
	untag, intag := r.tap("untag", group), r.tap("intag", group)
	r.send("a10", ovslab.Stream{To: group, Packets: 100})
	requireTags(t, untag, 100, ovslab.Tag{})
	requireTags(t, intag, 100, ovslab.Tag{Tagged: true, VLAN: 10})
	a10 := r.tap("a10", group)
	r.send("untag", ovslab.Stream{To: group, Packets: 100})
	requireTags(t, a10, 100, ovslab.Tag{})
	r.send("intag", ovslab.Stream{To: group, Packets: 100, VLAN: 10})
	_, err := a10.Await(within(t, 5*time.Second), 200)
	require.NoError(t, err)
}

func TestAPriorityTagIsNoVLANWithoutVLANsEither(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil, versions...)
	r.join("v3", group)
	r.awaitBuckets(group, 5*time.Second, "3")
	tap := r.tap("v3", group)
	r.send("sender", ovslab.Stream{To: group, Packets: 50, PriorityTag: true})
	requireTags(t, tap, 50, ovslab.Tag{})
}

func TestQueriesGoToThePortsOfTheirVLAN(t *testing.T) {
	t.Parallel()
	r := newVLANRig(t, access10and20())
	caught := map[string]*ovslab.Capture{}
	for _, h := range []string{"a10", "b20", "trunk"} {
		c, err := r.lab.Host(h).Capture(isGeneralQuery)
		require.NoError(t, err)
		caught[h] = c
	}
	frames, err := caught["trunk"].Await(within(t, 10*time.Second), atLeast(6))
	require.NoError(t, err)
	tags := map[ovslab.Tag]int{}
	for _, f := range frames {
		tags[f.Tag]++
	}
	require.Len(t, tags, 2)
	require.NotZero(t, tags[ovslab.Tag{Tagged: true, VLAN: 10}])
	require.NotZero(t, tags[ovslab.Tag{Tagged: true, VLAN: 20}])
	for _, h := range []string{"a10", "b20"} {
		require.NotEmpty(t, caught[h].Frames())
		for _, f := range caught[h].Frames() {
			require.Equal(t, ovslab.Tag{}, f.Tag)
		}
		require.InDelta(t, len(frames)/2, len(caught[h].Frames()), 2, "one query for each on the trunk, not two")
	}
}

func TestAPortsNewVLANIsFollowedWhileRunning(t *testing.T) {
	t.Parallel()
	r := newVLANRig(t, access10and20())
	r.join("a10", group)
	r.join("b20", group)
	r.awaitMembersIn(10, group, 5*time.Second, "a10")
	r.awaitMembersIn(20, group, 5*time.Second, "b20")
	r.setPort("b20", "tag=10")
	r.awaitMembersIn(20, group, 1500*time.Millisecond) // a question would take 2 s to remain unanswered
	r.awaitMembersIn(10, group, 5*time.Second, "a10", "b20")
	tap := r.tap("b20", group)
	r.send("s10", ovslab.Stream{To: group, Packets: 100})
	requireOnce(t, tap, 100)
	flows, err := r.lab.Ofctl(t.Context(), "dump-flows", r.lab.Mgmt(), "table=0,in_port="+strconv.Itoa(int(r.lab.PortNumber("b20"))))
	require.NoError(t, err)
	require.NotContains(t, flows, "set_field:0x14", "nothing of the old VLAN is left")
}

// From one VLAN of a trunk to the other, what is not touched goes on without a loss.
func TestATrunkThatLosesAVLANKeepsTheOther(t *testing.T) {
	t.Parallel()
	r := newVLANRig(t, access10and20())
	for _, vlan := range []uint16{10, 20} {
		r.joinTagged("trunk", group, vlan)
	}
	r.awaitMembersIn(10, group, 5*time.Second, "trunk")
	r.awaitMembersIn(20, group, 5*time.Second, "trunk")
	tap := r.tap("trunk", group)
	sent := make(chan error, 1)
	go func() {
		sent <- r.lab.Host("s10").Send(t.Context(), ovslab.Stream{To: group, Packets: 2000})
	}()
	_, err := tap.Await(within(t, 5*time.Second), 100)
	require.NoError(t, err)
	r.setPort("trunk", "trunks=10")
	r.awaitMembersIn(20, group, time.Second)
	require.NoError(t, <-sent)
	requireTags(t, tap, 2000, ovslab.Tag{Tagged: true, VLAN: 10})
}

func TestTheFirstTagAndTheLastChangeTheLayout(t *testing.T) {
	t.Parallel()
	r := newVLANRig(t, map[string][]string{"a": nil, "bb": nil, "ccc": nil})
	for _, h := range []string{"a", "bb"} {
		r.join(h, group)
	}
	r.awaitMembersIn(0, group, 5*time.Second, "a", "bb")
	r.setPort("bb", "tag=10")
	r.awaitMembersIn(0, group, 1500*time.Millisecond, "a")
	r.awaitMembersIn(10, group, 5*time.Second, "bb")
	tap := r.tap("bb", group)
	r.send("ccc", ovslab.Stream{To: group, Packets: 50})
	time.Sleep(settled)
	require.Empty(t, tap.Arrivals())

	_, err := r.lab.Vsctl(t.Context(), "clear", "port", "bb", "tag")
	require.NoError(t, err)
	r.awaitMembersIn(0, group, 5*time.Second, "a", "bb")
	eventually(t, func() bool {
		groups, err := r.lab.Ofctl(t.Context(), "dump-groups", r.lab.Mgmt())
		return err == nil && !regexp.MustCompile(`group_id=1001\d\d`).MatchString(groups)
	}, 5*time.Second, 50*time.Millisecond, "the base groups of VLAN 10 are gone")
	r.send("ccc", ovslab.Stream{To: group, Packets: 50})
	requireOnce(t, tap, 50)
}
