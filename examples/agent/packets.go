package main

import (
	"time"

	"github.com/ofmcast/ofmcast/igmp/snooper"
	"github.com/ofmcast/ofmcast/mcast"
	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
)

// onPacketIn takes in what hosts say. Queries and other signs of routers are ignored by the snooper,
// because every port has the role Member.
func (a *agent) onPacketIn(p *ofconn.PacketIn, at time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, known := a.members[p.InPort]; !known {
		return
	}
	for _, r := range a.snooper.Frame(snooper.Port(p.InPort), p.Frame, at).Records {
		// What is refused is counted by the cache; a stranger's report must not fill the log.
		_ = a.cache.Apply(mcast.Report[ofgroup.Port]{
			Group:   mcast.Group{Addr: r.Group, Segment: uint32(r.VLAN)},
			Member:  ofgroup.Port(r.Port),
			Kind:    mcast.Kind(r.Kind),
			Sources: r.Sources,
			Version: r.Version,
			At:      r.At,
		})
	}
}
