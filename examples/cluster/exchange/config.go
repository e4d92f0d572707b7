package exchange

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/ofmcast/ofmcast/mcast"
)

// Config is what an exchange works with. Conn, Cache, Node, Member and Local must be set.
type Config[M comparable] struct {
	// Conn is the connection to the engine. It stays the caller's, who should have made it with
	// nats.MaxReconnects(-1), so that it is never given up, and nats.RetryOnFailedConnect(true), so that the
	// engine may come later.
	Conn *nats.Conn
	// Cache is where the memberships of the others go, and where those to publish come from.
	Cache *mcast.Cache[M]
	// Node is this node's name: 1 to 64 letters, digits, dots, colons, hyphens and underscores. Two nodes
	// must not have one name; when two do, each says so in its log and in Statistics.Conflicts.
	Node string
	// Member is who in the cache stands for another node, or false if that node is none of ours. It is
	// asked once, when the node is first heard of, and must not call the exchange.
	Member func(node string) (M, bool)
	// Local says which members are this node's own: only those are published. Without it a node would
	// pass on what it was told by others.
	Local func(M) bool

	// Bucket is the name of the bucket of groups, and with "_nodes" behind it that of the leases; default
	// "ofmcast". Buckets that are there are used as they are, so that storage and replicas are the
	// operator's choice; else they are made, one replica each.
	Bucket string
	// Shares says which groups this bucket is for, nil is all. A node may have several exchanges on one
	// cache, each with a bucket and groups of its own, so that it hears only of those that concern it:
	// one for each tenant, VLAN or site.
	Shares func(mcast.Group) bool
	// Lease is how long a node that fell silent is believed; default 15 s. It is the time to live of the
	// bucket of leases: where that is there already, its lease counts.
	Lease time.Duration
	// Keep is how long the engine keeps what a dead node has written, which nobody believes; default 1 h.
	// A living node writes its groups anew every third of it. It is the time to live of the bucket of
	// groups: where that is there already, its own counts.
	Keep time.Duration
	// Limits bound what others can make us hold.
	Limits Limits
	// Sink is how the cache publishes. MinInterval bounds the rate of updates of one group, PruneDelay
	// how early what an earlier process has published is taken away: until then hosts can be asked.
	Sink mcast.SinkConfig
	// Logger gets what goes wrong; nil is silent.
	Logger *slog.Logger
}

// Limits bound the memory, because another node is not trusted with it. 0 takes the default. What is
// over a limit is refused and counted, and disturbs nothing that is there; it is taken in when the node
// writes it anew and there is room.
type Limits struct {
	// Nodes is the number of other nodes; default 8,192.
	Nodes int
	// Groups is the number of groups of one node; default 4,096.
	Groups int
	// Sources is the number of sources that one node lists, over all its groups; default 16,384.
	Sources int
	// Entries is the number of groups over all nodes; default 1,048,576. Sources are bounded by the same
	// number.
	Entries int
}

// What cannot work is said at once.
var (
	// ErrConfig says that a Config lacks something or that a name in it cannot be.
	ErrConfig = errors.New("exchange: unusable configuration")
	// ErrAway says that the engine is not there now.
	ErrAway = errors.New("exchange: no engine")
	// ErrClosed says that the connection to the engine was closed for good.
	ErrClosed = errors.New("exchange: connection closed")
)

// maxSources is how many sources one value lists. Who lists more publishes EXCLUDE: too much traffic is
// better than too little.
const maxSources = 1024

func (c *Config[M]) setDefaults() error {
	switch {
	case c.Conn == nil || c.Cache == nil || c.Member == nil || c.Local == nil:
		return fmt.Errorf("%w: Conn, Cache, Member and Local must be set", ErrConfig)
	case !validNode(c.Node):
		return fmt.Errorf("%w: Node must be 1 to 64 letters, digits, dots, colons, hyphens and underscores", ErrConfig)
	case c.Lease < 0 || c.Keep < 0:
		return fmt.Errorf("%w: Lease and Keep must not be negative", ErrConfig)
	}
	c.Bucket = cmp.Or(c.Bucket, "ofmcast")
	c.Lease = cmp.Or(c.Lease, 15*time.Second)
	c.Keep = cmp.Or(c.Keep, time.Hour)
	c.Limits = Limits{
		Nodes:   cmp.Or(c.Limits.Nodes, 8192),
		Groups:  cmp.Or(c.Limits.Groups, 4096),
		Sources: cmp.Or(c.Limits.Sources, 16384),
		Entries: cmp.Or(c.Limits.Entries, 1<<20),
	}
	if c.Shares == nil {
		c.Shares = func(mcast.Group) bool { return true }
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return nil
}
