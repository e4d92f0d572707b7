package main

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/ofmcast/ofmcast/examples/agent/routesink"
	"github.com/ofmcast/ofmcast/mcast"
	"github.com/ofmcast/ofmcast/mroute"
)

// kernel is the routing and the joins outside.
type kernel struct {
	socket   *mroute.Socket
	router   *mroute.Router
	upstream *upstream

	stop  context.CancelFunc
	ended chan error // the Router's Run
}

// openKernel becomes the router of the table, and begins to route as the proxy's policy says.
func openKernel(p *proxy, log *slog.Logger) (*kernel, error) {
	socket, err := mroute.Open(mroute.Config{Table: uint32(p.opts.table)})
	if err != nil {
		return nil, err
	}
	router, err := mroute.NewRouter(socket, mroute.RouterConfig{
		Inputs: slices.Concat(p.opts.inside, p.opts.outside), Policy: p.policy.route, Logger: log,
	})
	if err != nil {
		return nil, errors.Join(err, socket.Close())
	}
	k := &kernel{socket: socket, router: router, upstream: newUpstream(p.opts.outside), ended: make(chan error, 1)}
	ctx, stop := context.WithCancel(context.Background())
	k.stop = stop
	go func() { k.ended <- router.Run(ctx) }()
	return k, nil
}

// follow makes joins and routes follow the memberships.
func (k *kernel) follow(p *proxy) (err error) {
	sink := routesink.New[string](k.upstream, k.router, p.opts.outside...)
	p.handle, err = p.cache.AddSink("routes", sink, mcast.SinkConfig{MinRetry: time.Second, MaxRetry: time.Minute})
	return err
}

// close ends the routing, and leaves what was joined. Closing the socket takes every route out of the kernel.
func (k *kernel) close() error {
	k.stop()
	return errors.Join(<-k.ended, k.socket.Close(), k.upstream.joiner.Close())
}

// listening is how long a check listens for streams with TTL 1.
const listening = 3 * time.Second

// check looks for what keeps multicast away silently.
func (k *kernel) check(ctx context.Context, o options) ([]mroute.Finding, error) {
	// Once the Router answers, the table has its rules.
	if _, err := k.router.Status(ctx); err != nil {
		return nil, nil // the loop hears of it
	}
	all := slices.Concat(o.inside, o.outside)
	found, err := mroute.Check(ctx, mroute.CheckConfig{Socket: k.socket, Inputs: all, Outputs: all, Listen: listening})
	if ctx.Err() != nil {
		return found, nil
	}
	return found, err
}
