//go:build linux

package main

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/internal/ovslab"
)

// onceEach sends a stream from a host of node n and requires that each receiver gets each packet once,
// and the others none.
func (c *trio) onceEach(n int, from string, g netip.Addr, once map[int]string, none map[int]string) {
	c.t.Helper()
	const packets = 500
	// The kernels' first packets wait for routes, and some are lost.
	c.nodes[n].send(from, ovslab.Stream{To: g, Packets: 3, ID: 99})
	time.Sleep(300 * time.Millisecond)
	taps := map[string]*ovslab.Receiver{}
	for _, hosts := range []map[int]string{once, none} {
		for node, host := range hosts {
			taps[host] = c.nodes[node%10].tap(host, g)
		}
	}
	c.nodes[n].send(from, ovslab.Stream{To: g, Packets: packets, ID: 7})
	for _, host := range once {
		_, err := taps[host].Await(within(c.t, 5*time.Second), packets)
		require.NoError(c.t, err, "%s got %d of %s", host, len(taps[host].Arrivals()), from)
	}
	time.Sleep(200 * time.Millisecond) // for what comes by another way
	for _, host := range once {
		times := perSequence(taps[host], 7)
		require.Equal(c.t, packets, len(times), "%s gets every packet of %s", host, from)
		for seq, n := range times {
			require.Equal(c.t, 1, n, "packet %d of %s at %s", seq, from, host)
		}
	}
	for _, host := range none {
		require.Zero(c.t, len(taps[host].Arrivals()), host)
	}
}

// perSequence is how often each packet of a stream has arrived.
func perSequence(tap *ovslab.Receiver, id uint32) map[uint32]int {
	times := make(map[uint32]int)
	for _, a := range tap.Arrivals() {
		if a.ID == id {
			times[a.Seq]++
		}
	}
	return times
}

func TestMembersOnAllNodesGetEachPacketOnce(t *testing.T) {
	t.Parallel()
	c := newTrio(t)
	agents := [4]*process{}
	for n := 1; n <= 3; n++ {
		agents[n] = c.start(n)
	}
	c.nodes[1].join("out", group)
	m3 := c.nodes[3].join("m3", group)
	c.awaitSends(1, 3, group, true, 5*time.Second)
	c.settle(group, 1, 3)
	// 11 is a second host of node 1's lab: the one outside.
	c.onceEach(1, "s1", group, map[int]string{3: "m3", 11: "out"}, map[int]string{1: "m1", 2: "m2"})

	c.nodes[1].join("m1", group)
	c.nodes[2].join("m2", group)
	for n := 1; n <= 3; n++ {
		for to := 1; to <= 3; to++ {
			c.awaitSends(n, to, group, n != to, 5*time.Second)
		}
	}
	c.settle(group, 2, 1, 3)
	everybody := map[int]string{1: "m1", 2: "m2", 3: "m3", 11: "out"}
	c.onceEach(1, "s1", group, everybody, nil)
	c.onceEach(2, "s2", group, everybody, nil)
	delete(everybody, 11)
	c.onceEach(1, "out", group, everybody, nil) // each node has its own way to the outside

	// What node 3 last told is still believed when its switch has no member any more: a packet that comes
	// there goes nowhere, and not to its kernel, which could route it outside.
	_, err := c.nodes[3].lab.Ofctl(t.Context(), "del-flows", c.nodes[3].lab.Mgmt(), "table=101,ip,nw_dst="+group.String())
	require.NoError(t, err)
	require.True(t, c.sendsTo(1, 3, group))
	outwards, err := c.nodes[3].lab.Capture("gw0", isMulticast)
	require.NoError(t, err)
	c.onceEach(1, "s1", group, map[int]string{1: "m1", 2: "m2", 11: "out"}, map[int]string{3: "m3"})
	require.Zero(t, len(outwards.Frames()))
	require.NoError(t, outwards.Close())

	agents[3].kill()
	died := time.Now()
	c.awaitSends(1, 3, group, false, nodesLease+time.Second)
	c.awaitSends(2, 3, group, false, time.Second)
	t.Logf("gone %v after the death", time.Since(died).Round(10*time.Millisecond))
	require.True(t, c.sendsTo(1, 2, group), "node 2 lives")

	agents[3] = c.start(3)
	c.awaitSends(1, 3, group, true, 2*time.Second)
	c.awaitSends(3, 1, group, true, time.Second)
	c.settle(group, 1, 3)
	c.onceEach(1, "s1", group, map[int]string{1: "m1", 2: "m2", 3: "m3", 11: "out"}, nil)

	require.NoError(t, m3.Leave())
	c.awaitSends(1, 3, group, false, 5*time.Second)
}

// While a node's switch is away, the others send it nothing behind its lease, and lose nothing of theirs.
// A node whose agent leaves nothing behind takes its leave of the others, too.
func TestASwitchOfANodeThatIsKilledComesBackAndANodeTakesItsLeave(t *testing.T) {
	t.Parallel()
	c := newTrio(t)
	c.start(1)
	c.start(2)
	agent := c.start(3, "-on-exit", "clean")
	c.nodes[2].join("m2", group)
	c.nodes[3].join("m3", group)
	for _, to := range []int{2, 3} {
		c.awaitSends(1, to, group, true, 5*time.Second)
	}
	c.settle(group, 1, 2, 3)

	const packets = 5000 // 5 s
	tap, sent := c.nodes[2].tap("m2", group), make(chan error, 1)
	go func() {
		sent <- c.nodes[1].lab.Host("s1").Send(t.Context(), ovslab.Stream{To: group, Packets: packets, ID: 7})
	}()
	require.NoError(t, c.nodes[3].lab.KillSwitch())
	c.awaitSends(1, 3, group, false, nodesLease+time.Second)
	require.True(t, c.sendsTo(1, 2, group), "node 2 lives")
	require.NoError(t, <-sent)
	_, err := tap.Await(within(t, 5*time.Second), packets)
	require.NoError(t, err)
	times := perSequence(tap, 7)
	require.Len(t, times, packets)
	for seq, n := range times {
		require.Equal(t, 1, n, "packet %d", seq)
	}

	require.NoError(t, c.nodes[3].lab.RestartSwitch(within(t, 20*time.Second)))
	c.awaitSends(1, 3, group, true, 2*time.Second)
	c.settle(group, 1, 3)

	agent.stop()
	require.Contains(t, agent.said.String(), "nothing of the agent's is left")
	c.awaitSends(1, 3, group, false, time.Second)
	require.True(t, c.sendsTo(1, 2, group), "node 2 stays")
}

// Whoever makes the tunnel port anew, with another number, has lost nothing but what was sent meanwhile.
func TestATunnelPortThatComesBackWithAnotherNumberIsUsedAgain(t *testing.T) {
	t.Parallel()
	c := newTrio(t)
	for n := 1; n <= 3; n++ {
		c.start(n)
	}
	c.nodes[1].join("m1", group)
	c.nodes[3].join("m3", group)
	c.awaitSends(1, 3, group, true, 5*time.Second)
	c.settle(group, 1, 3)
	vsctl(t, c.nodes[3].lab.Lab, "del-port", "br0", "vx0")
	c.awaitSends(1, 3, group, false, nodesLease+time.Second)
	vsctl(t, c.nodes[3].lab.Lab, strings.Fields("add-port br0 vx0 -- set interface vx0 type=vxlan options:remote_ip=flow options:key=flow ofport_request=51")...)
	c.awaitSends(1, 3, group, true, 2*time.Second)
	c.awaitSends(3, 1, group, true, 2*time.Second)
	c.settle(group, 1, 3)
	c.settle(group, 3, 1)
	everybody, nobody := map[int]string{1: "m1", 3: "m3"}, map[int]string{2: "m2"}
	c.onceEach(1, "s1", group, everybody, nobody)
	c.onceEach(3, "s3", group, everybody, nobody)
}

// A VLAN is one across the nodes, and the tunnel keeps it apart from the others.
func TestAVLANOfOneNodeIsThatOfTheOthers(t *testing.T) {
	t.Parallel()
	c := newTrio(t)
	for n, vlan := range map[int]int{1: 10, 2: 20, 3: 10} {
		for _, host := range []string{"m", "s"} {
			c.nodes[n].setPort(fmt.Sprint(host, n), fmt.Sprint("tag=", vlan))
		}
		c.start(n, "-ovsdb", "unix:"+c.nodes[n].lab.Dir()+"/db.sock")
	}
	c.nodes[2].join("m2", group)
	c.nodes[3].join("m3", group)
	awaitIn := func(vlan, to int) {
		t.Helper()
		eventually(t, func() bool { return c.sendsIn(vlan, 1, to, group) }, 5*time.Second, 20*time.Millisecond)
	}
	awaitIn(20, 2)
	awaitIn(10, 3)
	require.False(t, c.sendsIn(10, 1, 2, group))
	require.False(t, c.sendsIn(20, 1, 3, group))
	c.settle(group, 1, 3)
	c.onceEach(1, "s1", group, map[int]string{3: "m3"}, map[int]string{1: "m1", 2: "m2"})

	c.nodes[1].setPort("s1", "tag=20")
	c.settle(group, 1, 2)
	c.onceEach(1, "s1", group, map[int]string{2: "m2"}, map[int]string{1: "m1", 3: "m3"})
}

// A join and a leave take effect on the other nodes as soon as on the own one: streams from a local and
// from a remote sender begin and end together.
func TestJoinsAndLeavesReachOtherNodesAtOnce(t *testing.T) {
	c := newTrio(t)
	c.start(1)
	c.start(3)
	first := c.nodes[3].join("m3", group)
	c.awaitSends(1, 3, group, true, 5*time.Second)
	c.settle(group, 1, 3)
	require.NoError(t, first.Leave())
	c.awaitSends(1, 3, group, false, 5*time.Second)

	tap := c.nodes[3].tap("m3", group)
	wire, err := c.nodes[1].lab.Host("wire3").Capture(isTunnelled)
	require.NoError(t, err)
	sent := make(chan error, 2)
	for n, id := range map[int]uint32{1: 1, 3: 3} {
		go func() {
			sent <- c.nodes[n].lab.Host(fmt.Sprint("s", n)).Send(t.Context(), ovslab.Stream{To: group, Packets: 6000, ID: id})
		}()
	}
	time.Sleep(500 * time.Millisecond)
	m := c.nodes[3].join("m3", group)
	_, err = tap.Await(within(t, 10*time.Second), 2000)
	require.NoError(t, err)
	require.NoError(t, m.Leave())
	require.NoError(t, <-sent)
	require.NoError(t, <-sent)

	var begin, end [4]time.Time
	for _, a := range tap.Arrivals() {
		if begin[a.ID].IsZero() {
			begin[a.ID] = a.At
		}
		end[a.ID] = a.At
	}
	frames := wire.Frames()
	require.NotEmpty(t, frames)
	remoteEnd := frames[len(frames)-1].At
	t.Logf("remote join %v after the local one, leave %v", begin[1].Sub(begin[3]), remoteEnd.Sub(end[3]))
	require.Less(t, begin[1].Sub(begin[3]), 100*time.Millisecond)
	require.Less(t, remoteEnd.Sub(end[3]), 100*time.Millisecond)
	for _, id := range []uint32{1, 3} {
		for seq, times := range perSequence(tap, id) {
			require.Equal(t, 1, times, "packet %d of stream %d", seq, id)
		}
	}
}

// isMulticast says whether a frame is a packet of group.
func isMulticast(f ovslab.Frame) bool {
	const dst, minimum = 14 + 16, 14 + 20
	return len(f.Data) >= minimum && netip.AddrFrom4([4]byte(f.Data[dst:])) == group
}

// isTunnelled says whether a frame is a packet of group in VXLAN.
func isTunnelled(f ovslab.Frame) bool {
	const vxlan, innerDst, minimum = 4789, 14 + 20 + 8 + 8 + 14 + 16, 14 + 20 + 8 + 8 + 14 + 20
	if len(f.Data) < minimum || f.Data[23] != 17 || binary.BigEndian.Uint16(f.Data[36:]) != vxlan {
		return false
	}
	return netip.AddrFrom4([4]byte(f.Data[innerDst:])) == group
}
