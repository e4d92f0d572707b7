package main

import (
	"context"
	"errors"
	"net"
	"slices"
	"time"

	"github.com/ofmcast/ofmcast/examples/agent/members"
	"github.com/ofmcast/ofmcast/examples/agent/routesink"
	"github.com/ofmcast/ofmcast/mcast"
	"github.com/ofmcast/ofmcast/mroute"
)

// routes is the agent's part beyond the bridge: the kernel routes between the gateway and the uplinks.
type routes struct {
	socket  *mroute.Socket
	router  *mroute.Router
	joiner  *mroute.Joiner
	handle  *mcast.Handle[members.Member]
	uplinks []string
	end     func() error // of the socket
}

// addRoutes opens the kernel's multicast routing, or goes on with that of the process before, and makes
// it follow the cache.
func (a *agent) addRoutes() error {
	socket, err := openRouting(a.log)
	if err != nil {
		return err
	}
	router, err := mroute.NewRouter(socket, mroute.RouterConfig{
		Inputs: append(slices.Clone(a.o.uplinks), a.o.gateway),
		Policy: a.route,
		// Until hosts have answered, nobody seems to want what flows.
		KeepFor: a.timed.GMI(),
		Logger:  a.log,
	})
	if err != nil {
		return errors.Join(err, socket.Close())
	}
	a.routes = &routes{
		socket: socket, router: router, joiner: mroute.NewJoiner(), uplinks: a.o.uplinks,
		end: func() error { return endRouting(socket, a.o.onExit == exitKeep) },
	}
	sink := routesink.NewFor(members.Local, a.routes.joiner, router, a.o.uplinks...)
	a.routes.handle, err = a.cache.AddSink("routes", a.routed(sink), mcast.SinkConfig{})
	return err
}

// routed passes on the groups of the VLAN that the kernel routes.
func (a *agent) routed(to mcast.Sink[members.Member]) mcast.Sink[members.Member] {
	return mcast.SyncFunc[members.Member](func(ctx context.Context, s mcast.State[members.Member]) error {
		if s.Group().Segment != uint32(a.gatewayVLAN()) {
			return nil
		}
		return to.Sync(ctx, s)
	})
}

// run routes until ctx ends.
func (r *routes) run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		r.watchUplinks(ctx)
	}()
	err := r.router.Run(ctx)
	cancel()
	<-watched
	return errors.Join(err, r.end(), r.joiner.Close())
}

// watchUplinks has everything joined again on an uplink that returned with another index: its
// memberships went with the old interface.
func (r *routes) watchUplinks(ctx context.Context) {
	tick := time.NewTicker(2 * time.Second)
	defer tick.Stop()
	known := indexes(r.uplinks)
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if now := indexes(r.uplinks); !slices.Equal(now, known) {
			known = now
			r.handle.Resync()
		}
	}
}

// indexes are the interfaces' indexes, 0 for one that is not there.
func indexes(names []string) []int {
	out := make([]int, len(names))
	for i, name := range names {
		if link, err := net.InterfaceByName(name); err == nil {
			out[i] = link.Index
		}
	}
	return out
}

// route decides where a stream goes. What local hosts send leaves on every uplink: who wants it there
// is for the routers there to say. What comes in by an uplink goes to the bridge if a member here wants it,
// but not what another node has sent out: that comes through the tunnel too.
func (a *agent) route(f mroute.Flow) mroute.Decision {
	if f.In == a.o.gateway {
		return mroute.Decision{Out: outs(a.o.uplinks...)}
	}
	s, ok := a.cache.Lookup(mcast.Group{Addr: f.Group, Segment: uint32(a.gatewayVLAN())})
	if !ok || !members.Local(s).Accepts(f.Source) || a.o.isInside(f.Source) {
		return mroute.Decision{}
	}
	return mroute.Decision{Out: outs(a.o.gateway)}
}

func outs(names ...string) []mroute.Out {
	var out []mroute.Out
	for _, name := range names {
		out = append(out, mroute.Out{Interface: name})
	}
	return out
}
