package exchange

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"

	"github.com/ofmcast/ofmcast/mcast"
)

// Exchange shares the memberships of one node. It is a sink of the cache, which Run adds and takes out.
type Exchange[M comparable] struct {
	cfg      Config[M]
	js       jetstream.JetStream
	instance string // tells this process from another one of the same name

	// What follows is Run's alone.
	peers  *peers[M]
	handle *mcast.Handle[M]
	relink <-chan time.Time // when another link is to be made
	beat   *time.Ticker
	ticks  int              // since the link was made
	ready  time.Time        // when Prune may first take something away
	clock  func() time.Time // time.Now, but in tests

	link atomic.Pointer[link] // nil while the engine is away

	mu        sync.Mutex
	published map[string]string // keys that this process may have written; "" while nobody knows what is there
	stats     Statistics
}

// New makes an exchange. Nothing happens before Run.
func New[M comparable](cfg Config[M]) (*Exchange[M], error) {
	if err := cfg.setDefaults(); err != nil {
		return nil, err
	}
	js, err := jetstream.New(cfg.Conn)
	if err != nil {
		return nil, err
	}
	x := &Exchange[M]{
		cfg:       cfg,
		js:        js,
		instance:  nuid.Next(),
		published: make(map[string]string),
		clock:     time.Now,
	}
	x.peers = newPeers(&x.cfg)
	return x, nil
}

// relinkAfter is how long after a failure another link is tried.
const relinkAfter = 500 * time.Millisecond

// Run shares memberships until the context ends; then it returns nil, and what this node has published
// is believed for a lease more: a restart within that time loses nothing. Call Leave when the node goes
// for good. It returns ErrClosed when the connection was closed. It may be called again, not twice at a
// time.
func (x *Exchange[M]) Run(ctx context.Context) error {
	status := x.cfg.Conn.StatusChanged()
	defer x.cfg.Conn.RemoveStatusListener(status)
	x.beat = time.NewTicker(x.cfg.Lease / ticksPerLease)
	defer x.beat.Stop()
	x.ready = x.clock().Add(x.cfg.Sink.PruneDelay)
	defer x.stop()
	x.connect(ctx)
	for {
		leases, groups := x.link.Load().updates()
		select {
		case <-ctx.Done():
			return nil
		case <-status:
			if !x.link.Load().isOf(x.cfg.Conn) {
				x.connect(ctx)
			}
		case <-x.relink:
			x.connect(ctx)
		case e, ok := <-leases:
			x.take(e, ok, x.onLease)
		case e, ok := <-groups:
			x.take(e, ok, x.onGroup)
		case <-x.beat.C:
			x.tick()
		}
		if x.cfg.Conn.IsClosed() {
			return ErrClosed
		}
		x.count(func(s *Statistics) {
			s.Connected, s.Nodes, s.Alive, s.Entries = x.link.Load() != nil, len(x.peers.all), x.peers.alive, x.peers.entries
		})
	}
}

// connect makes a link to the engine, if it is there, in the place of the one that we have. A link that
// serves well is replaced now and then too: its successor writes anew what the engine would let go.
func (x *Exchange[M]) connect(ctx context.Context) {
	x.disconnect()
	if x.cfg.Conn.Status() != nats.CONNECTED {
		return // the status will change
	}
	l, err := x.open(ctx)
	if err != nil {
		x.again(err)
		return
	}
	x.relink, x.ticks = time.After(l.rewrite()), 0
	x.beat.Reset(l.lease / ticksPerLease)
	x.peers.connected(l.lease, l.keep, x.clock())
	x.link.Store(l)
	if x.handle != nil {
		x.handle.Resync()
	} else if x.handle, err = x.cfg.Cache.AddSink("cluster "+x.cfg.Bucket, x, x.cfg.Sink); err != nil {
		x.again(err)
	}
}

// disconnect ends the link. What was learned by it stays.
func (x *Exchange[M]) disconnect() {
	if l := x.link.Swap(nil); l != nil {
		l.close()
	}
}

// again ends the link because of a failure and has another one made soon.
func (x *Exchange[M]) again(why error) {
	x.cfg.Logger.Warn("cluster: engine away", "error", why)
	x.disconnect()
	x.relink = time.After(relinkAfter)
}

// stop leaves nothing behind that runs.
func (x *Exchange[M]) stop() {
	x.disconnect()
	if x.handle != nil {
		_ = x.handle.Remove(context.Background()) // its calls have ended with the link
		x.handle = nil
	}
	x.count(func(s *Statistics) { s.Connected = false })
}

// tick renews our lease, finds that it does not come back, and lets time pass for the others.
func (x *Exchange[M]) tick() {
	now, l := x.clock(), x.link.Load()
	x.peers.tick(now, l != nil)
	if l == nil {
		return
	}
	if now.Sub(x.peers.own) > l.lease {
		x.again(errors.New("our lease does not come back"))
		return
	}
	if x.ticks++; x.ticks%ticksPerBeat == 0 {
		// Nobody waits for an answer: it is the watch that tells.
		_ = x.cfg.Conn.Publish(leaseSubject(x.cfg.Bucket, x.cfg.Node), []byte(x.instance))
	}
}

// take hands on what a watch says.
func (x *Exchange[M]) take(e jetstream.KeyValueEntry, ok bool, to func(update)) {
	switch {
	case !ok:
		x.again(errors.New("a watch ended"))
	case e != nil: // nil is where all that was there has come
		to(x.link.Load().update(e))
	}
}

// onLease takes in what the engine says about the lease of a node. The watch of them began after our own
// was written: another one under our name is news, and not from an earlier process of ours.
func (x *Exchange[M]) onLease(u update) {
	node, ok := parseNodeKey(u.key)
	switch {
	case ok && node != x.cfg.Node && !u.gone:
		ok = x.peers.heard(node, x.clock(), u.age)
	case ok && node != x.cfg.Node:
		x.peers.lost(node)
	case ok && string(u.value) == x.instance:
		x.peers.heardUs(x.clock())
		return
	case ok:
		if !u.gone {
			x.cfg.Logger.Error("cluster: another node has the same name", "node", node)
			x.count(func(s *Statistics) { s.Conflicts++ })
		}
		return
	}
	x.took(ok, u.key)
}

// onGroup takes in what the engine says about a group of a node.
func (x *Exchange[M]) onGroup(u update) {
	node, group, ok := parseGroupKey(u.key)
	ok = ok && x.cfg.Shares(group)
	switch {
	case ok && node == x.cfg.Node:
		return
	case ok && u.gone:
		x.peers.drop(node, group, x.clock())
	case ok:
		var w want
		if w, ok = parseValue(u.value, group.Addr); ok {
			ok = x.peers.set(node, group, w, x.clock())
		}
	}
	x.took(ok, u.key)
}

// took counts an update.
func (x *Exchange[M]) took(ok bool, key string) {
	if !ok {
		x.cfg.Logger.Debug("cluster: refused", "key", key)
	}
	x.count(func(s *Statistics) {
		s.Received++
		if !ok {
			s.Refused++
		}
	})
}
