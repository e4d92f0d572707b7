package main

import (
	"context"
	"errors"
	"slices"

	"github.com/ofmcast/ofmcast/examples/agent/routesink"
	"github.com/ofmcast/ofmcast/mcast"
	"github.com/ofmcast/ofmcast/mroute"
	"github.com/ofmcast/ofmcast/ofgroup"
)

// routes is the agent's part beyond the bridge: the kernel routes between the gateway and the uplinks.
type routes struct {
	socket *mroute.Socket
	router *mroute.Router
	joiner *mroute.Joiner
}

// addRoutes opens the kernel's multicast routing and makes it follow the cache.
func (a *agent) addRoutes() error {
	socket, err := mroute.Open(mroute.Config{})
	if err != nil {
		return err
	}
	router, err := mroute.NewRouter(socket, mroute.RouterConfig{
		Inputs: append(slices.Clone(a.o.uplinks), a.o.gateway),
		Policy: a.route,
		Logger: a.log,
	})
	if err != nil {
		return errors.Join(err, socket.Close())
	}
	a.routes = &routes{socket: socket, router: router, joiner: mroute.NewJoiner()}
	sink := routesink.New[ofgroup.Port](a.routes.joiner, router, a.o.uplinks...)
	_, err = a.cache.AddSink("routes", sink, mcast.SinkConfig{})
	return err
}

// run routes until ctx ends. Closing the socket takes every route out of the kernel.
func (r *routes) run(ctx context.Context) error {
	err := r.router.Run(ctx)
	return errors.Join(err, r.socket.Close(), r.joiner.Close())
}

// route decides where a stream goes. What local hosts send leaves on every uplink: who wants it there
// is for the routers there to say. What comes in by an uplink goes to the bridge if a member wants it.
func (a *agent) route(f mroute.Flow) mroute.Decision {
	if f.In == a.o.gateway {
		return mroute.Decision{Out: outs(a.o.uplinks...)}
	}
	members, ok := a.cache.Lookup(mcast.Group{Addr: f.Group})
	if !ok || !members.Filter().Accepts(f.Source) {
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
