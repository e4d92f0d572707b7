package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/ofmcast/ofmcast/examples/agent/ofsink"
	"github.com/ofmcast/ofmcast/mcast"
	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
)

// errNoGateway says that the bridge has no port of the gateway's name.
var errNoGateway = errors.New("the bridge has no such port")

// onConnect brings the switch up to date before anything else is sent to it: meters, then groups,
// then the flows that need both. Nothing here depends on what the switch still holds, so it serves a
// restarted switch as well as one that was merely out of reach.
func (a *agent) onConnect(ctx context.Context, s *ofconn.Session) error {
	descs, err := s.Ports(ctx)
	if err != nil {
		return err
	}
	first := a.sink == nil
	if err := a.adoptPorts(descs); err != nil {
		return err
	}
	if first { // of an earlier process there may be flows for groups that nobody wants any more
		if _, err := s.SendMessage(ctx, ownFlows); err != nil {
			return err
		}
	}
	if err := a.clearStale(ctx, s); err != nil {
		return err
	}
	if err := a.program(ctx, s); err != nil {
		return err
	}
	if err := a.connectSink(ctx, s, first); err != nil {
		return err
	}
	a.cache.HoldAging(false)
	a.askEverybody()
	a.log.Info("switch is up to date", "members", len(a.memberPorts()), "first", first)
	return nil
}

// clearStale takes away what belonged to ports that are gone, or are other ports now: on a switch that
// was merely out of reach it is still there. What fails is left for the next connection.
func (a *agent) clearStale(ctx context.Context, s *ofconn.Session) error {
	for _, p := range a.stale {
		if err := clearPort(ctx, s, p); err != nil {
			return err
		}
	}
	a.stale = nil
	return nil
}

// program sends all that does not belong to the sink, and the table's groups.
func (a *agent) program(ctx context.Context, s *ofconn.Session) error {
	members := a.memberPorts()
	var flows []ofconn.FlowMod
	for _, p := range members {
		f, err := a.meteredFlow(ctx, s, p)
		if err != nil {
			return err
		}
		flows = append(flows, f)
	}
	if err := a.table.Replay(ctx, s); err != nil {
		return err
	}
	if err := a.putBaseGroups(ctx, s); err != nil {
		return err
	}
	for _, f := range append(flows, baseFlows(a.gatewayPort())...) {
		if _, err := s.SendMessage(ctx, f); err != nil {
			return fmt.Errorf("flow %v: %w", f, err)
		}
	}
	return nil
}

// connectSink makes the switch follow the cache from now on.
func (a *agent) connectSink(ctx context.Context, s *ofconn.Session, first bool) (err error) {
	if first {
		a.sink = ofsink.New(ofsink.Config[ofgroup.Port]{
			Table: a.table, Flows: a.conn, Layout: sinkLayout,
			Bucket: ofsink.ToPort, Common: a.commonBuckets,
		})
		a.handle, err = a.cache.AddSink("switch", a.sink, mcast.SinkConfig{})
		return err
	}
	if err := a.sink.ReplayFlows(ctx, s); err != nil {
		return err
	}
	a.handle.Resync() // what changed while the switch was away
	return nil
}

// onDisconnect: hosts cannot be heard, so their silence means nothing.
func (a *agent) onDisconnect(cause error) {
	a.cache.HoldAging(true)
	a.table.Invalidate()
	a.log.Warn("switch is away", "cause", cause)
}

// adoptPorts learns the bridge's ports. Members whose port is gone, or has its number from another port
// now, or whose link is down, are removed.
func (a *agent) adoptPorts(descs []ofconn.PortDesc) error {
	present := make(map[ofgroup.Port]ofconn.PortDesc)
	var gateway ofgroup.Port
	for _, d := range descs {
		if a.o.gateway != "" && d.Name == a.o.gateway {
			gateway = d.Number
			continue
		}
		if isMember(d.Number) {
			present[d.Number] = d
		}
	}
	if a.o.gateway != "" && gateway == 0 {
		return fmt.Errorf("gateway %s: %w", a.o.gateway, errNoGateway)
	}
	a.mu.Lock()
	if a.gateway != 0 && a.gateway != gateway {
		a.stale = append(a.stale, a.gateway)
	}
	a.gateway = gateway
	known := maps.Clone(a.members)
	a.mu.Unlock()
	now := time.Now()
	for p, name := range known {
		if d, ok := present[p]; !ok || d.Name != name {
			a.portRemoved(p, now)
			a.stale = append(a.stale, p)
		}
	}
	for p, d := range present {
		a.portAdded(p, d.Name)
		if d.State&ofconn.PortLinkDown != 0 {
			a.cache.RemoveMember(p, now)
		}
	}
	return nil
}

// commonBuckets are those that every group has besides its members'.
func (a *agent) commonBuckets(mcast.Group) []ofgroup.Bucket {
	if p := a.gatewayPort(); p != 0 {
		return []ofgroup.Bucket{ofsink.Output(p)}
	}
	return nil
}

// gatewayPort returns the number of the gateway's port, 0 if there is no gateway.
func (a *agent) gatewayPort() ofgroup.Port {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.gateway
}

// memberPorts returns the member ports in ascending order.
func (a *agent) memberPorts() []ofgroup.Port {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Sorted(maps.Keys(a.members))
}
