//go:build linux

package main

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net"
	"net/netip"
	"slices"
	"time"

	"github.com/ofmcast/ofmcast/examples/agent/members"
	"github.com/ofmcast/ofmcast/igmp"
	"github.com/ofmcast/ofmcast/internal/ovslab"
	"github.com/ofmcast/ofmcast/mcast"
	"github.com/ofmcast/ofmcast/ofgroup"
)

// crowd are hosts, one behind each port of a dummy switch, that want this and that. They speak IGMPv3,
// into a switch that may be away, and repeat themselves as hosts that are asked do.
type crowd struct {
	lab    *ovslab.Lab
	random *rand.Rand
	names  map[ofgroup.Port]string // of the ports that are there
	wants  map[ofgroup.Port]map[netip.Addr]want
}

// want is the filter of a host for a group.
type want struct {
	exclude bool
	sources []netip.Addr
}

func newCrowd(lab *ovslab.Lab, random *rand.Rand) *crowd {
	c := &crowd{lab: lab, random: random, names: make(map[ofgroup.Port]string), wants: make(map[ofgroup.Port]map[netip.Addr]want)}
	for p := range ofgroup.Port(soakPorts) {
		c.add(p+1, fmt.Sprintf("p%d", p+1))
	}
	return c
}

func (c *crowd) add(p ofgroup.Port, name string) {
	c.names[p], c.wants[p] = name, make(map[netip.Addr]want)
}

// remove forgets a port and its host, and returns its name, empty if there was none.
func (c *crowd) remove(p ofgroup.Port) string {
	name := c.names[p]
	delete(c.names, p)
	delete(c.wants, p)
	return name
}

func (c *crowd) anyPort() ofgroup.Port { return ofgroup.Port(1 + c.random.IntN(soakPorts)) }

// change has a host change its mind about a group, and say so.
func (c *crowd) change() {
	p, g := c.anyPort(), netip.AddrFrom4([4]byte{239, 8, 0, byte(c.random.IntN(soakGroups))})
	if c.names[p] == "" {
		return
	}
	w, kind := want{exclude: c.random.IntN(2) == 0}, igmp.ToIn
	if c.random.IntN(2) == 0 {
		for n := range 3 {
			if c.random.IntN(2) == 0 {
				w.sources = append(w.sources, netip.AddrFrom4([4]byte{198, 51, 100, byte(n + 1)}))
			}
		}
	}
	if w.exclude {
		kind = igmp.ToEx
	}
	c.wants[p][g] = w
	if !w.exclude && len(w.sources) == 0 {
		delete(c.wants[p], g)
	}
	c.say(p, igmp.Record{Type: kind, Group: g, Sources: w.sources})
}

// refresh has every host say all that it wants.
func (c *crowd) refresh() {
	for p, wants := range c.wants {
		var records []igmp.Record
		for g, w := range wants {
			kind := igmp.IsIn
			if w.exclude {
				kind = igmp.IsEx
			}
			records = append(records, igmp.Record{Type: kind, Group: g, Sources: w.sources})
		}
		c.say(p, records...)
	}
}

// say sends a report into a port. Where there is no switch nobody hears it.
func (c *crowd) say(p ofgroup.Port, records ...igmp.Record) {
	h := igmp.Header{EthSrc: igmp.MAC{2, 0, 0, 0, 0, byte(p)}, Src: netip.AddrFrom4([4]byte{192, 0, 2, byte(p)})}
	for part := range slices.Chunk(records, 60) {
		frame, err := igmp.AppendFrame(nil, h, &igmp.ReportV3{Records: part})
		if err != nil {
			panic(err)
		}
		c.inject(c.names[p], frame)
	}
}

func (c *crowd) inject(port string, frame []byte) {
	conn, err := net.DialTimeout("unix", c.lab.Dir()+"/vswitchd.ctl", time.Second)
	if err != nil {
		return
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(5 * time.Second))
	call := map[string]any{"id": 0, "method": "netdev-dummy/receive", "params": []string{port, hex.EncodeToString(frame)}}
	if json.NewEncoder(conn).Encode(call) == nil {
		var reply any
		_ = json.NewDecoder(conn).Decode(&reply)
	}
}

// truth is a cache that knows what every host wants.
func (c *crowd) truth() *mcast.Cache[members.Member] {
	cache := mcast.New(mcast.Config[members.Member]{})
	for p, wants := range c.wants {
		for g, w := range wants {
			r := mcast.Report[members.Member]{
				Group: mcast.Group{Addr: g}, Member: members.Port(p), Kind: mcast.ModeIsInclude, Sources: w.sources, At: noon,
			}
			if w.exclude {
				r.Kind = mcast.ModeIsExclude
			}
			if err := cache.Apply(r); err != nil {
				panic(err)
			}
		}
	}
	return cache
}

// forwardings are where a cache has packets sent, group by group, as text.
func forwardings(c *mcast.Cache[members.Member]) map[mcast.Group]string {
	rows := make(map[mcast.Group]map[netip.Addr][]ofgroup.Port)
	for s := range c.Groups() {
		of := make(map[netip.Addr][]ofgroup.Port)
		for source, to := range s.Forwarding() {
			of[source] = nil
			for m := range to {
				of[source] = append(of[source], m.Port)
			}
		}
		rows[s.Group()] = of
	}
	return describeRows(rows)
}

func describeRows(rows map[mcast.Group]map[netip.Addr][]ofgroup.Port) map[mcast.Group]string {
	out := make(map[mcast.Group]string)
	for g, of := range rows {
		for _, source := range slices.SortedFunc(maps.Keys(of), netip.Addr.Compare) {
			out[g] += fmt.Sprintf("%v > %v; ", source, slices.Sorted(slices.Values(of[source])))
		}
	}
	return out
}
