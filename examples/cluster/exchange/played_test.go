package exchange

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/mcast"
)

// played is node a, whose engine and whose clock are the test's. A lease is ten seconds, a tick one.
type played struct {
	*Exchange[member]
	t      *testing.T
	time   time.Time
	away   bool
	bucket *playedBucket
}

func play(t *testing.T, change ...func(*Config[member])) *played {
	t.Helper()
	cfg := config(&nats.Conn{}, "a")
	cfg.Lease = 10 * time.Second
	cfg.Sink.MinInterval = -1
	for _, f := range change {
		f(&cfg)
	}
	x, err := New(cfg)
	require.NoError(t, err)
	p := &played{Exchange: x, t: t, time: time.Unix(1e9, 0), bucket: &playedBucket{held: map[string]string{}}}
	x.clock = func() time.Time { return p.time }
	p.cfg.Cache.Advance(p.time)
	p.connect()
	return p
}

// connect is a new link.
func (p *played) connect() {
	p.away, p.ticks = false, 0
	p.peers.connected(p.cfg.Lease, time.Hour, p.time)
	p.link.Store(&link{ctx: p.t.Context(), groups: p.bucket})
	p.renew("a")
}

// renew is the lease of each that comes from the engine.
func (p *played) renew(nodes ...string) {
	for _, n := range nodes {
		p.found(n, 0)
	}
}

// found is a lease of that age.
func (p *played) found(node string, age time.Duration) {
	p.onLease(update{key: node, value: []byte(map[bool]string{true: p.instance}[node == p.cfg.Node]), age: age})
}

func (p *played) put(key, value string) { p.onGroup(update{key: key, value: []byte(value)}) }

// pass lets time pass, in which these renew their leases every third second.
func (p *played) pass(d time.Duration, renewing ...string) {
	p.t.Helper()
	require.Zero(p.t, d%time.Second)
	for range d / time.Second {
		p.time = p.time.Add(time.Second)
		if p.ticks++; p.ticks%ticksPerBeat == 0 {
			p.renew(renewing...)
		}
		p.peers.tick(p.time, !p.away)
		p.cfg.Cache.Advance(p.time)
	}
}

func (p *played) knows() string { return describe(p.cfg.Cache) }

// knowsOf are the groups that the node believes others to want, without what is in front of their last byte.
func (p *played) knowsOf() string {
	var got []string
	for line := range strings.Lines(p.knows()) {
		g, who, _ := strings.Cut(strings.TrimSpace(line), ": ")
		got = append(got, strings.TrimPrefix(g, "239.1.1.")+" "+strings.ReplaceAll(who, " EXCLUDE{}", ""))
	}
	return strings.Join(got, ", ")
}

// publishes adds the sink, and says what is written to the bucket for what the cache is told.
func (p *played) publishes() *mcast.Handle[member] {
	p.t.Helper()
	h, err := p.cfg.Cache.AddSink("exchange", p.Exchange, p.cfg.Sink)
	require.NoError(p.t, err)
	return h
}

func (p *played) apply(r mcast.Report[member]) {
	p.t.Helper()
	require.NoError(p.t, p.cfg.Cache.Apply(r))
}

// writes is what was written to the bucket since it was asked last.
func (p *played) writes() []string {
	p.t.Helper()
	p.cfg.Cache.Advance(p.time)
	ctx, cancel := context.WithTimeout(p.t.Context(), patience)
	defer cancel()
	_ = p.cfg.Cache.Flush(ctx) // what failed is seen in what was written
	p.bucket.writes, p.bucket.last = nil, p.bucket.writes
	return p.bucket.last
}

// playedBucket is a bucket of groups. It belongs to one goroutine at a time: to the cache's while that is
// flushed.
type playedBucket struct {
	jetstream.KeyValue
	held   map[string]string
	writes []string // "key=value", deleted: "key"
	last   []string
	fails  bool // the answer gets lost
}

var errLost = errors.New("answer lost")

func (b *playedBucket) PutString(_ context.Context, key, value string) (uint64, error) {
	b.held[key] = value
	b.writes = append(b.writes, key+"="+value)
	if b.fails {
		return 0, errLost
	}
	return 1, nil
}

func (b *playedBucket) Delete(_ context.Context, key string, _ ...jetstream.KVDeleteOpt) error {
	delete(b.held, key)
	b.writes = append(b.writes, key)
	if b.fails {
		return errLost
	}
	return nil
}

func (b *playedBucket) Watch(ctx context.Context, keys string, _ ...jetstream.WatchOpt) (jetstream.KeyWatcher, error) {
	w := playedWatch{updates: make(chan jetstream.KeyValueEntry, len(b.held)+1)}
	for _, key := range slices.Sorted(maps.Keys(b.held)) {
		if strings.HasPrefix(key, strings.TrimSuffix(keys, ">")) {
			w.updates <- playedEntry{key: key}
		}
	}
	w.updates <- nil
	context.AfterFunc(ctx, func() { close(w.updates) })
	return w, nil
}

// playedWatch ends with its context.
type playedWatch struct {
	jetstream.KeyWatcher
	updates chan jetstream.KeyValueEntry
}

func (w playedWatch) Updates() <-chan jetstream.KeyValueEntry { return w.updates }

// playedEntry is what a watch hands over.
type playedEntry struct {
	jetstream.KeyValueEntry
	key     string
	created time.Time
}

func (e playedEntry) Key() string                     { return e.key }
func (e playedEntry) Value() []byte                   { return nil }
func (e playedEntry) Operation() jetstream.KeyValueOp { return jetstream.KeyValuePut }
func (e playedEntry) Created() time.Time              { return e.created }
