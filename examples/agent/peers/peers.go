// Package peers tells other nodes what is wanted on this one, and hears it from them, by IGMPv3 reports
// through the tunnels between them: one host, as it were, that wants what all members here want together.
//
// What a node wants is said at once when it changes, several times, as packets get lost, and all of it
// again every Interval; who is silent for a Lease is believed no more. Who starts asks with a general
// query, and each node answers him alone.
//
// A change is said as the whole of what is wanted, TO_EX or TO_IN, so that the last report to arrive is
// right whatever became of those before.
package peers

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"time"

	"github.com/ofmcast/ofmcast/igmp"
	"github.com/ofmcast/ofmcast/mcast"
)

// Max is how many other nodes there can be: a group that copies a packet to more tunnels is executed by
// Open vSwitch up to some bucket, and silently not beyond.
const Max = 700

// ErrConfig says what cannot work.
var ErrConfig = errors.New("unusable configuration of tunnels")

// Config is what an exchange works with. Node and MAC must be set.
type Config struct {
	// Node is this node's address, and the source of what it says.
	Node netip.Addr
	// MAC is the source of its frames.
	MAC igmp.MAC
	// Peers are the addresses of the other nodes, at most Max; see SetPeers.
	Peers []netip.Addr
	// MTU is the largest IPv4 packet that the tunnel carries; default 1450, VXLAN's on Ethernet.
	MTU int
	// Interval is the time between two reports of everything; default 10 s.
	Interval time.Duration
	// Robustness is how often a change is said; default 2.
	Robustness int
	// Jitter picks a time below a limit, for answers; default at random.
	Jitter func(time.Duration) time.Duration
}

const (
	// repeatAfter is the time between two reports of one change, and between the queries of a start.
	repeatAfter = 500 * time.Millisecond
	// pace is the least time between two reports of changes: of a storm each has many.
	pace = 10 * time.Millisecond
	// maxResponse is how long an answer may take.
	maxResponse = time.Second
	// grace is how much longer than its reports take a node is believed.
	grace = 2 * time.Second
)

// Lease is how long a node is believed that has fallen silent.
func (c Config) Lease() time.Duration {
	c.setDefaults()
	return time.Duration(c.Robustness)*c.Interval + grace
}

func (c *Config) setDefaults() {
	c.MTU = cmp.Or(c.MTU, 1450)
	c.Interval = cmp.Or(c.Interval, 10*time.Second)
	c.Robustness = cmp.Or(c.Robustness, 2)
	if c.Jitter == nil {
		c.Jitter = rand.N[time.Duration]
	}
}

// Packet is a frame to be sent to another node, or with the zero Addr to each of them.
type Packet struct {
	To    netip.Addr
	Frame []byte
}

// Exchange is what one node says and hears. It has no clock and sends nothing itself: input carries its
// time, and Advance returns what is to be sent. It is for one goroutine at a time.
type Exchange struct {
	cfg     Config
	peers   []netip.Addr // ascending
	decoder igmp.Decoder

	wants   map[mcast.Group]*want
	changed map[mcast.Group]*want // those that have reports left
	asks    series                // our own general queries
	answers map[netip.Addr]time.Time
	all     time.Time // when everything is reported next
	quiet   time.Time // no report of changes before
}

// want is what is wanted here of a group.
type want struct {
	filter mcast.Filter
	series
}

// series is what is sent several times.
type series struct {
	left int
	due  time.Time
}

// New makes an exchange that has nothing to say yet. The error wraps ErrConfig.
func New(cfg Config) (*Exchange, error) {
	cfg.setDefaults()
	x := &Exchange{
		cfg: cfg, wants: make(map[mcast.Group]*want), changed: make(map[mcast.Group]*want), answers: make(map[netip.Addr]time.Time),
	}
	if !cfg.Node.Is4() || cfg.Node.IsMulticast() || cfg.Node.IsUnspecified() {
		return nil, fmt.Errorf("%w: %v is no address of a node", ErrConfig, cfg.Node)
	}
	if cfg.MAC == (igmp.MAC{}) || cfg.MAC[0]&1 != 0 {
		return nil, fmt.Errorf("%w: %v is no source of a frame", ErrConfig, cfg.MAC)
	}
	if cfg.Interval < time.Second || cfg.Robustness < 1 || cfg.MTU < 68 {
		return nil, fmt.Errorf("%w: interval %v, robustness %d, MTU %d", ErrConfig, cfg.Interval, cfg.Robustness, cfg.MTU)
	}
	return x, x.SetPeers(cfg.Peers)
}

// Clean returns the peers among these addresses of nodes, in ascending order, each once and without node
// itself, so that all nodes can be given one list. The error wraps ErrConfig: an address that cannot be
// a node's, or more than Max.
func Clean(node netip.Addr, addrs []netip.Addr) ([]netip.Addr, error) {
	var peers []netip.Addr
	for _, a := range addrs {
		if !a.Is4() || a.IsMulticast() || a.IsUnspecified() {
			return nil, fmt.Errorf("%w: %v is no address of a node", ErrConfig, a)
		}
		if a != node {
			peers = append(peers, a)
		}
	}
	slices.SortFunc(peers, netip.Addr.Compare)
	if peers = slices.Compact(peers); len(peers) > Max {
		return nil, fmt.Errorf("%w: %d other nodes, and at most %d can be sent one packet", ErrConfig, len(peers), Max)
	}
	return peers, nil
}

// SetPeers says who the other nodes are from now on; see Clean. What a node wants that is none any more
// is for the caller to end. After an error nothing has changed.
func (x *Exchange) SetPeers(addrs []netip.Addr) error {
	peers, err := Clean(x.cfg.Node, addrs)
	if err != nil {
		return err
	}
	x.peers = peers
	for a := range x.answers {
		if !x.isPeer(a) {
			delete(x.answers, a)
		}
	}
	return nil
}

func (x *Exchange) isPeer(a netip.Addr) bool {
	_, ok := slices.BinarySearchFunc(x.peers, a, netip.Addr.Compare)
	return ok
}

// Set says what is wanted here of a group: at once, and Robustness times.
func (x *Exchange) Set(g mcast.Group, f mcast.Filter, at time.Time) {
	w := x.wants[g]
	switch {
	case w == nil && f.IsNone(), w != nil && w.filter.Equal(f):
		return
	case w == nil:
		w = &want{}
		x.wants[g] = w
	}
	w.filter, w.left, w.due = f, x.cfg.Robustness, at
	x.changed[g] = w
}

// Begin asks the others what they want, and tells them everything: for a start, and for when the tunnels
// were out of reach.
func (x *Exchange) Begin(at time.Time) {
	x.asks = series{x.cfg.Robustness, at}
	x.all = at
}

// Leave says that nothing is wanted here any more, as often as any change; then Next has nothing more,
// unless a peer asks. It is for the end: what is Set afterwards is said again.
func (x *Exchange) Leave(at time.Time) {
	for g := range x.wants {
		x.Set(g, mcast.Filter{}, at)
	}
	x.asks, x.all = series{}, time.Time{}
}
