//go:build linux

package main

import (
	"context"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/internal/ovslab"
)

// trio is three nodes, each with a private switch, joined by VXLAN over one outer LAN. The switches run
// in userspace, so each has a second bridge, brp, that has the node's outer address and the LAN as a port.
// Behind node N are the hosts mN and sN; the host out is on the outer LAN.
type trio struct {
	t     *testing.T
	nodes [4]*rig // from 1 on
}

// nodesLease is how long a node of a trio is believed: two intervals of reports, and 2 s.
const nodesLease = 2*time.Second + 2*time.Second

func outer(n int) string { return fmt.Sprintf("172.31.0.%d", n) }

func newTrio(t *testing.T) *trio {
	t.Helper()
	c := &trio{t: t}
	for n := 1; n <= 3; n++ {
		hosts := []ovslab.HostConfig{nodeHost("m", n, 10), nodeHost("s", n, 20)}
		if n == 1 {
			hosts = append(hosts, onLAN("out", 100), onLAN("wire2", 102), onLAN("wire3", 103))
		}
		c.nodes[n] = newLab(t, hosts...)
		c.macs(n)
	}
	c.wire(2)
	c.wire(3)
	for n := 1; n <= 3; n++ {
		c.bridges(n)
	}
	return c
}

func nodeHost(name string, node, plus int) ovslab.HostConfig {
	return ovslab.HostConfig{
		Name: fmt.Sprint(name, node), Addr: netip.PrefixFrom(netip.AddrFrom4([4]byte{192, 0, 2, byte(plus + node)}), 24),
	}
}

// onLAN is a host on the outer LAN, which is behind node 1's machine.
func onLAN(name string, n int) ovslab.HostConfig {
	return ovslab.HostConfig{
		Name: name, Port: "up0", Addr: netip.MustParsePrefix(outer(n) + "/24"), Uplink: netip.MustParseAddr(outer(1)),
	}
}

// macs gives the hosts of a node addresses that no other node's have.
func (c *trio) macs(n int) {
	for _, name := range []string{"m", "s"} {
		c.run(c.nodes[n].lab.Host(fmt.Sprint(name, n)).Namespace, "ip link set dev eth0 address 02:00:00:00:0%d:%02x", n, name[0])
	}
}

func (c *trio) run(in *ovslab.Namespace, format string, args ...any) {
	c.t.Helper()
	words := strings.Fields(fmt.Sprintf(format, args...))
	_, err := in.Run(c.t.Context(), words[0], words[1:]...)
	require.NoError(c.t, err)
}

// wire plugs a node into the LAN: the host wireN is no more than a cable.
func (c *trio) wire(n int) {
	wire := c.nodes[1].lab.Host(fmt.Sprint("wire", n)).Namespace
	holder := c.nodes[n].lab.Node().Command(context.Background(), "sleep", "1000") // a name for the namespace
	require.NoError(c.t, holder.Start())
	defer func() {
		_ = holder.Process.Kill()
		_ = holder.Wait()
	}()
	for _, line := range []string{
		"ip link add name cable type bridge mcast_snooping 0", "ip addr flush dev eth0",
		"ip link add name far type veth peer name up0 netns " + strconv.Itoa(holder.Process.Pid),
		"ip link set dev eth0 master cable up", "ip link set dev far master cable up", "ip link set dev cable up",
	} {
		c.run(wire, "%s", line)
	}
}

// bridges makes a node's outer bridge, its gateway and its tunnel.
func (c *trio) bridges(n int) {
	lab := c.nodes[n].lab
	node := lab.Node()
	c.run(node, "ip addr flush dev up0")
	c.run(node, "ip link set dev up0 up")
	for _, line := range []string{
		"add-br brp -- set bridge brp datapath_type=netdev fail_mode=standalone -- add-port brp up0",
		"add-port br0 gw0 -- set interface gw0 type=internal ofport_request=" + gatewayPort,
		"add-port br0 vx0 -- set interface vx0 type=vxlan options:remote_ip=flow options:key=flow ofport_request=50",
	} {
		_, err := lab.Vsctl(c.t.Context(), strings.Fields(line)...)
		require.NoError(c.t, err)
	}
	for _, line := range []string{
		"ip addr add " + outer(n) + "/24 dev brp", "ip link set dev brp up",
		"ip addr add 192.0.2.254/24 dev gw0", "ip link set dev gw0 up",
	} {
		c.run(node, "%s", line)
	}
	// Every packet gets as far as the routes: they decide, not the filter of reverse paths.
	for _, dev := range []string{"all", "brp", "gw0"} {
		_, err := node.Run(c.t.Context(), "sh", "-c", "echo 0 > /proc/sys/net/ipv4/conf/"+dev+"/rp_filter")
		require.NoError(c.t, err)
	}
}

// start starts a node's agent.
func (c *trio) start(n int, more ...string) *process {
	c.t.Helper()
	return c.nodes[n].launch(nil, append([]string{
		"-gateway", "gw0", "-uplink", "brp", "-query-address", "192.0.2.254", "-tunnel", "vx0", "-tunnel-key", "5",
		"-node", outer(n), "-peers", outer(1) + "," + outer(2) + "," + outer(3), "-tunnel-interval", "1s",
		"-inside-prefixes", "192.0.2.0/24",
	}, more...)...)
}

// sendsTo says whether node n sends a group's packets to another node.
func (c *trio) sendsTo(n, to int, g netip.Addr) bool { return c.sendsIn(0, n, to, g) }

// sendsIn says it of the packets in a VLAN.
func (c *trio) sendsIn(vlan, n, to int, g netip.Addr) bool {
	r := c.nodes[n]
	flows, err := r.lab.Ofctl(c.t.Context(), "dump-flows", r.lab.Mgmt(), fmt.Sprintf("table=101,ip,reg0=%d,nw_dst=%v", vlan, g))
	require.NoError(c.t, err)
	_, id, ok := strings.Cut(flows, "actions=group:")
	if !ok {
		return false
	}
	dump, err := r.lab.Ofctl(c.t.Context(), "dump-groups", r.lab.Mgmt(), strings.TrimSpace(id))
	require.NoError(c.t, err)
	return strings.Contains(dump, "set_field:"+outer(to)+"->tun_dst")
}

func (c *trio) awaitSends(n, to int, g netip.Addr, want bool, within time.Duration) {
	c.t.Helper()
	eventually(c.t, func() bool { return c.sendsTo(n, to, g) == want }, within, 20*time.Millisecond, "from ", n, " to ", to)
}

// settle sends until the switches know where each node is: the first packet to one is lost.
func (c *trio) settle(g netip.Addr, from int, to ...int) {
	c.t.Helper()
	for _, n := range to {
		tap := c.nodes[n].tap(fmt.Sprint("m", n), g)
		eventually(c.t, func() bool {
			c.nodes[from].send(fmt.Sprint("s", from), ovslab.Stream{To: g, Packets: 5, ID: 99})
			return len(tap.Arrivals()) > 0
		}, 10*time.Second, 50*time.Millisecond, "no tunnel from ", from, " to ", n)
		require.NoError(c.t, tap.Close())
	}
	time.Sleep(settled)
}
