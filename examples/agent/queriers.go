package main

import (
	"maps"
	"slices"
	"time"

	"github.com/ofmcast/ofmcast/igmp/querier"
	"github.com/ofmcast/ofmcast/igmp/snooper"
	"github.com/ofmcast/ofmcast/mcast"
	"github.com/ofmcast/ofmcast/ofgroup"
)

// keepQueriers has one querier for each VLAN that is served: elections are those of a VLAN. With the
// lock held.
func (a *agent) keepQueriers() {
	maps.DeleteFunc(a.queriers, func(vlan uint16, _ *querier.Querier) bool { return !slices.Contains(a.layout.vlans, vlan) })
	for _, vlan := range a.layout.vlans {
		if a.queriers[vlan] != nil {
			continue
		}
		q, err := querier.New(querierConfig(a.o, a.log.With("vlan", vlan)))
		if err != nil { // the start has tried this configuration
			a.log.Error("no queries", "vlan", vlan, "err", err)
			continue
		}
		a.queriers[vlan] = q
		a.wake.signal()
	}
}

// heard takes in a query that came from where a router may be. With the lock held.
func (a *agent) heard(q *snooper.Query) {
	of := a.queriers[uint16(q.VLAN)]
	if of == nil {
		return
	}
	before := of.State()
	of.HandleQuery(querier.Heard{
		Src: q.Host.Addr, Version: q.Version, Group: q.Group, MaxResp: q.MaxResp, QRV: q.QRV, QQI: q.QQI, At: q.At,
	})
	if now := of.State(); now != before {
		a.log.Info("querier", "vlan", uint16(q.VLAN), "address", now.Elected, "ours", now.Querier, "port", a.layout.name(ofgroup.Port(q.Port)))
		a.wake.signal()
	}
	a.retime()
	if q.General() {
		return
	}
	a.cache.QuerySeen(mcast.SeenQuery{
		Group:   mcast.Group{Addr: q.Group, Segment: uint32(q.VLAN)},
		Sources: q.Sources, Suppress: q.SuppressRouter, MaxResponse: q.MaxResp, At: q.At,
	})
}

// retime tells the cache of the timing in force if that has changed. With the lock held.
func (a *agent) retime() {
	if t := a.timing(); t != a.timed {
		a.timed = t
		a.cache.SetTiming(t)
	}
}

// timing is that of all VLANs together, for the cache has one: the patience of the most patient. While
// we stand for the members at the routers, who hear of a leave only when we say so, leaves are ours to
// check whoever queries; otherwise they are while we are the querier of any VLAN. With the lock held.
func (a *agent) timing() mcast.Timing {
	t := mcast.Timing(a.asker.State().Timing)
	others, longest := 0, time.Duration(0)
	for _, q := range a.queriers {
		state := q.State()
		if of := mcast.Timing(state.Timing); of.GMI() > longest {
			longest = of.GMI()
			t.RV, t.QI, t.QRI = of.RV, of.QI, of.QRI
		}
		if !state.Querier {
			others++
		}
	}
	if a.o.transparent && others > 0 && others == len(a.queriers) {
		t.NonQuerier = true
	}
	return t
}

// noteRouters has the switch follow when other ports lead to routers than before. With the lock held.
func (a *agent) noteRouters() {
	if g := a.snooper.Generation(); g != a.routersSeen {
		a.routersSeen = g
		a.follow.signal()
	}
}
