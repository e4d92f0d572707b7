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
	retry  <-chan time.Time // when to look for the engine again
	ticks  int              // since the link was made
	heard  time.Time        // when our own lease came back from the engine last
	beat   *time.Ticker
	ready  time.Time        // when Prune may first take something away
	clock  func() time.Time // time.Now, but in tests

	link atomic.Pointer[link] // nil while the engine is away

	mu        sync.Mutex
	published map[string]struct{} // keys that this process may have written
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
		published: make(map[string]struct{}),
		clock:     time.Now,
	}
	x.peers = newPeers(&x.cfg)
	return x, nil
}

// ticksPerLease is how many ticks a lease has. It is renewed every third, and who was not heard of for
// nine is not believed any more: three renewals have not come, and the lease is not over. That is so only
// while our own renewals come back from the engine; when the newest is older than halfTicksOwn half ticks,
// it is the engine that is silent. The others' were then heard at most three ticks before it fell silent,
// so that this is found before any of them is nine ticks old.
const (
	ticksPerLease = 10
	ticksPerBeat  = 3
	ticksSilent   = 9
	halfTicksOwn  = 9
)

// retryAfter is how long after a failure the engine is looked for again.
const retryAfter = 500 * time.Millisecond

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
		select {
		case <-ctx.Done():
			return nil
		case <-status:
			x.connect(ctx)
		case <-x.retry:
			x.connect(ctx)
		case <-x.link.Load().failed():
			x.again(ErrAway)
		case e, ok := <-x.link.Load().leases():
			x.onLease(e, ok)
		case e, ok := <-x.link.Load().entries():
			x.onEntry(e, ok)
		case <-x.beat.C:
			x.tick(ctx)
		}
		if x.cfg.Conn.IsClosed() {
			return ErrClosed
		}
		x.count(func(s *Statistics) {
			s.Connected, s.Nodes, s.Alive, s.Entries = x.link.Load() != nil, len(x.peers.all), x.peers.alive, x.peers.entries
		})
	}
}

// connect makes the link to the engine, if it is there and the one that we have is not of this connection.
func (x *Exchange[M]) connect(ctx context.Context) {
	there := x.cfg.Conn.Status() == nats.CONNECTED
	if l := x.link.Load(); there && l != nil && l.reconnects == x.cfg.Conn.Stats().Reconnects {
		return
	}
	x.disconnect()
	if !there {
		return // the status will change
	}
	l, err := x.open(ctx)
	if err != nil {
		x.again(err)
		return
	}
	x.retry, x.ticks = nil, 0
	x.beat.Reset(l.lease / ticksPerLease)
	x.peers.begin(l.lease)
	x.peers.spare(x.clock())
	x.heard = x.clock()
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
	x.retry = time.After(retryAfter)
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

// tick keeps what is believed fresh, whether or not the engine is there, and ends what is not.
func (x *Exchange[M]) tick(ctx context.Context) {
	x.ticks++
	now, l := x.clock(), x.link.Load()
	if l != nil && !x.silent(now, l) {
		x.peers.expire(now, l.lease*ticksSilent/ticksPerLease, l.keep)
	}
	if l != nil && x.ticks == ticksPerLease {
		x.peers.sweep(now) // everybody had time to write anew what the engine may have lost
	}
	if x.ticks%ticksPerBeat == 0 {
		x.peers.refresh(now)
	}
	if l != nil && time.Duration(x.ticks)*l.lease/ticksPerLease > l.rewrite() {
		x.disconnect()
		x.connect(ctx)
	}
}

// onLease takes in what the engine says about the lease of a node.
func (x *Exchange[M]) onLease(e jetstream.KeyValueEntry, ok bool) {
	l := x.link.Load()
	switch {
	case !ok:
		x.again(errors.New("watch of leases ended"))
	case e == nil:
		l.caughtUp = true
	case e.Key() == nodeKey(x.cfg.Node):
		x.onOwnLease(e, l)
	default:
		node, ok := parseNodeKey(e.Key())
		if ok && e.Operation() == jetstream.KeyValuePut {
			ok = x.peers.heard(node, x.clock(), l.age())
		} else if ok {
			x.peers.lost(node)
		}
		x.took(ok, e.Key())
	}
}

// onOwnLease finds that the engine is there, and who else has our name: news of a lease that is not ours
// is not from an earlier process of ours.
func (x *Exchange[M]) onOwnLease(e jetstream.KeyValueEntry, l *link) {
	if string(e.Value()) == x.instance {
		now := x.clock()
		if x.silent(now, l) {
			x.peers.spare(now)
		}
		x.heard = now
	} else if l.caughtUp && e.Operation() == jetstream.KeyValuePut {
		x.cfg.Logger.Error("cluster: another node has the same name", "node", x.cfg.Node)
		x.count(func(s *Statistics) { s.Conflicts++ })
	}
}

// silent says that nothing comes from the engine, though the connection may look well.
func (x *Exchange[M]) silent(now time.Time, l *link) bool {
	return now.Sub(x.heard) > l.lease*halfTicksOwn/(2*ticksPerLease)
}

// onEntry takes in what the engine says about a group of a node.
func (x *Exchange[M]) onEntry(e jetstream.KeyValueEntry, ok bool) {
	if !ok {
		x.again(errors.New("watch of groups ended"))
		return
	}
	if e == nil {
		return // all that was there has come
	}
	node, group, ok := parseGroupKey(e.Key())
	ok = ok && x.cfg.Shares(group)
	if ok && node == x.cfg.Node {
		return
	}
	if ok && e.Operation() == jetstream.KeyValuePut {
		var w want
		if w, ok = parseValue(e.Value(), group.Addr); ok {
			ok = x.peers.set(node, group, w, x.clock())
		}
	} else if ok {
		x.peers.drop(node, group, x.clock())
	}
	x.took(ok, e.Key())
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
