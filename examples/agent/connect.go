package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"

	"github.com/ofmcast/ofmcast/examples/agent/members"
	"github.com/ofmcast/ofmcast/examples/agent/ofsink"
	"github.com/ofmcast/ofmcast/mcast"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
)

// errNoGateway says that the bridge has no port of the gateway's name.
var errNoGateway = errors.New("the bridge has no such port")

// dialSwitch connects to the switch, for the first time not before the database is there: without it
// nothing could be done there.
func (a *agent) dialSwitch(ctx context.Context) (net.Conn, error) {
	a.mu.Lock()
	known := a.settings != nil
	a.mu.Unlock()
	if !known {
		if err := a.readSettings(ctx); err != nil {
			return nil, err
		}
	}
	return dial(ctx, a.o.openflow)
}

// onConnect brings the switch up to date before anything else is sent to it: meters, then groups,
// then the flows that need both. Nothing here depends on what the switch still holds, so it serves a
// restarted switch as well as one that was merely out of reach.
func (a *agent) onConnect(ctx context.Context, s *ofconn.Session) error {
	descs, err := s.Ports(ctx)
	if err != nil {
		return err
	}
	a.adoptPorts(descs)
	if err := a.settingsForStart(ctx); err != nil {
		return err
	}
	a.programming.Lock()
	defer a.programming.Unlock()
	l, n := a.newLayout()
	if err := a.checkGateway(l); err != nil {
		return err
	}
	if err := a.bringUp(ctx, s, l); err != nil {
		return err
	}
	a.untold = n
	a.reach.connected()
	a.broughtUp.signal()
	return nil
}

// attach has the cache tell the switch what has changed since, and the hosts asked, after each connection.
// Nobody can send before the connection counts as one, which is a moment after onConnect.
func (a *agent) attach(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-a.broughtUp:
		}
		if a.conn.WaitConnected(ctx) != nil {
			return nil // at the end
		}
		connection := a.reach.current()
		first, err := a.tellEverybody()
		if err != nil {
			return err
		}
		a.reach.tellDone(connection)
		if first {
			close(a.restored)
		}
		a.returned.signal()
		a.note("the switch is up to date")
		a.log.Info("switch is up to date", "ports", len(a.portNames()), "first", first)
	}
}

// tellEverybody has hosts asked, routers told, and the sink see every group, and says whether it is for
// the first time.
func (a *agent) tellEverybody() (first bool, err error) {
	a.programming.Lock()
	defer a.programming.Unlock()
	a.untold.ask, a.untold.nodes = true, true
	a.tell(a.untold)
	a.untold = news{}
	if a.handle != nil {
		a.handle.Resync()
		return false, nil
	}
	a.past.Memberships = mcast.Snapshot[members.Member]{} // which may be large, and are the cache's now
	a.handle, err = a.cache.AddSink("switch", a.sink, mcast.SinkConfig{
		MinInterval: a.o.groupInterval, PruneDelay: a.confirmTime(),
	})
	return true, err
}

// bringUp makes the switch what it should be. At first, what it holds is an earlier agent's work; later
// it is ours or, on a switch that was restarted, gone, and is sent whatever the switch still has. What
// belonged to ports that are gone, or are other ports now, is taken away.
func (a *agent) bringUp(ctx context.Context, s *ofconn.Session, l layout) error {
	if a.sink == nil {
		sink, l, err := a.takeOver(ctx, s)
		if err == nil {
			err = a.base.apply(ctx, s, l)
		}
		if err == nil {
			a.sink = sink
		}
		return err
	}
	a.base.doubt()
	if err := a.table.Replay(ctx, s); err != nil {
		return err
	}
	if err := a.base.apply(ctx, s, l); err != nil {
		return err
	}
	return a.sink.ReplayFlows(ctx, s)
}

// newSink makes the sink that has the switch follow the cache.
func (a *agent) newSink() *ofsink.Sink[members.Member] {
	return ofsink.New(ofsink.Config[members.Member]{
		Table: a.table, Flows: a.flows, Layout: sinkLayout,
		Bucket: a.bucketOf, Common: a.commonBuckets, Also: a.routerGroups,
		MaxSources: a.o.maxSources, Logger: a.calm,
	})
}

// onDisconnect: hosts cannot be heard, so their silence means nothing. Of attempts that fail one after
// the other the connection itself says enough.
func (a *agent) onDisconnect(cause error) {
	was := a.reach.disconnected()
	a.table.Invalidate()
	if was {
		a.note("the switch is away")
		a.log.Warn("switch is away; silence ends no membership until it is back", "cause", cause)
	}
}

// settingsForStart reads the settings. Where they were read before, the database's being away now does
// not keep the switch from being served.
func (a *agent) settingsForStart(ctx context.Context) error {
	err := a.readSettings(ctx)
	a.mu.Lock()
	defer a.mu.Unlock()
	if err != nil && a.settings != nil {
		a.log.Warn("settings of the bridge not read again", "err", err)
		return nil
	}
	return err
}

// checkGateway refuses to begin without the gateway that the flags name: without it, what local hosts
// send would silently stay here.
func (a *agent) checkGateway(l layout) error {
	if a.o.gateway == "" || slices.ContainsFunc(l.ports, func(p port) bool { return p.name == a.o.gateway }) {
		return nil
	}
	return fmt.Errorf("gateway %s: %w", a.o.gateway, errNoGateway)
}
