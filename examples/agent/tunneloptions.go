package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/netip"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/ofmcast/ofmcast/examples/agent/peers"
	"github.com/ofmcast/ofmcast/igmp"
)

// errNoTunnel says that the bridge has no port of the tunnel's name now.
var errNoTunnel = errors.New("the bridge has no such tunnel")

// tunnelOptions are what the command line says of other nodes.
type tunnelOptions struct {
	node      netip.Addr // this one; without it there are no others
	tunnel    string     // the port that leads to them
	peers     string     // addresses, or @FILE
	tunnelKey uint64
	tunnelMTU int
	interval  time.Duration
	inside    []netip.Prefix
}

const tunnelUsage = `Several nodes, each with an agent, serve their members together through a tunnel port that takes its
destination from flows:

  ovs-vsctl add-port br0 vx0 -- set interface vx0 type=vxlan options:remote_ip=flow options:key=flow
  agent -bridge br0 -tunnel vx0 -node 192.0.2.1 -peers 192.0.2.1,192.0.2.2,192.0.2.3

Each tells the others what its members want, by IGMPv3 reports inside the tunnel, and sends a packet of
theirs to each node that wants it. Nothing goes on from one tunnel to another, from the gateway or a router
into a tunnel, or the other way round: every node has its own way to the outside. Link-local groups stay on
their node. A node is believed by its address inside the tunnel, and for two -tunnel-interval and 2 s; who
can write there as he likes can be any node. -groups-per-port bounds what one node may want, too.
Flows in tables 110 and 111 are the agent's as well; group 5 sends reports to the other nodes.

`

// tunnelFlags are the flags about other nodes.
func (o *options) tunnelFlags(fs *flag.FlagSet) {
	fs.Func("node", "`ADDRESS` of this node among others; with it, -tunnel leads to them", func(s string) (err error) {
		o.node, err = netip.ParseAddr(s)
		return err
	})
	fs.StringVar(&o.peers, "peers", "", "`ADDRESSES` of the nodes, A,B,...; this one's is skipped; or @FILE, which has them by white space\nand commas and is followed while the agent runs")
	fs.Uint64Var(&o.tunnelKey, "tunnel-key", 0, "`KEY` of the tunnels (VXLAN: the VNI)")
	fs.IntVar(&o.tunnelMTU, "tunnel-mtu", 1450, "largest IPv4 packet, in `BYTES`, that they carry")
	fs.DurationVar(&o.interval, "tunnel-interval", 10*time.Second, "time between two reports to the other nodes of all that is wanted")
	fs.Func("inside-prefixes", "`PREFIXES` of the nodes' own sources, A/N,...: streams from there that come in by an -uplink are\nnot routed, as they come through the tunnel too. Where traffic to the outside is masqueraded,\nthe nodes' outer addresses", func(s string) (err error) {
		o.inside, err = parsePrefixes(s)
		return err
	})
}

func parsePrefixes(s string) ([]netip.Prefix, error) {
	var all []netip.Prefix
	for _, word := range strings.Split(s, ",") {
		p, err := netip.ParsePrefix(word)
		if err != nil {
			return nil, err
		}
		all = append(all, p.Masked())
	}
	return all, nil
}

func (o *options) isInside(source netip.Addr) bool {
	return slices.ContainsFunc(o.inside, func(p netip.Prefix) bool { return p.Contains(source) })
}

// completeTunnel finds the tunnel, and checks what the flags say of it.
func (o *options) completeTunnel() error {
	if !o.node.IsValid() {
		if o.peers != "" {
			return o.wrong("peers", "-peers needs -node: whose peers?")
		}
		return nil
	}
	for name, r := range o.roles {
		if r != roleTunnel {
			continue
		}
		if o.tunnel != "" {
			return o.wrong("tunnel role node", "-node needs one -tunnel, not two")
		}
		o.tunnel = name
	}
	if o.tunnel == "" {
		return o.wrong("node", "-node needs a -tunnel")
	}
	if o.tunnelKey >= 1<<24 {
		return o.wrong("tunnel-key", "-tunnel-key must be below %d", 1<<24)
	}
	if _, err := peers.New(o.exchange(igmp.MAC{2})); err != nil {
		return o.wrong("tunnel-mtu tunnel-interval node", "%w", err)
	}
	if strings.HasPrefix(o.peers, "@") {
		return nil
	}
	list, err := o.peerList()
	if err == nil {
		_, err = peers.Clean(o.node, list)
	}
	return o.file.Blame(err, "peers")
}

func (o *options) exchange(mac igmp.MAC) peers.Config {
	return peers.Config{Node: o.node, MAC: mac, MTU: o.tunnelMTU, Interval: o.interval}
}

// peerList reads the addresses of the nodes.
func (o *options) peerList() ([]netip.Addr, error) {
	text := o.peers
	if file, ok := strings.CutPrefix(text, "@"); ok {
		content, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("-peers: %w", err)
		}
		text = string(content)
	}
	var all []netip.Addr
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(", \t\r\n", r) }) {
		a, err := netip.ParseAddr(word)
		if err != nil {
			return nil, fmt.Errorf("-peers: %w", err)
		}
		all = append(all, a)
	}
	return all, nil
}

// peersEvery is how often a file of peers is looked at.
const peersEvery = time.Second

// watchPeers follows a file of peers. What cannot be used is said once, and changes nothing.
func (a *agent) watchPeers(ctx context.Context) error {
	var said string
	seen := a.nodes.list()
	for strings.HasPrefix(a.o.peers, "@") && ctx.Err() == nil {
		pause(ctx, peersEvery)
		var err error
		seen, err = a.lookAtPeers(seen)
		if text := fmt.Sprint(err); err != nil && text != said {
			said = text
			a.log.Error("the nodes stay as they are", "err", err)
		}
	}
	<-ctx.Done()
	return nil
}

// lookAtPeers reads the file of peers, and takes the list if the last look has seen the same: one look
// alone may come while the file is being written, and would forget who is not yet in it.
func (a *agent) lookAtPeers(last []netip.Addr) (now []netip.Addr, err error) {
	if now, err = a.o.peerList(); err != nil {
		return last, err
	}
	if now, err = peers.Clean(a.o.node, now); err != nil {
		return last, err
	}
	if slices.Equal(now, last) && !slices.Equal(now, a.nodes.list()) {
		a.log.Info("other nodes", "peers", len(now))
		return now, a.setPeers(now)
	}
	return now, nil
}
