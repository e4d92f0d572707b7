package view

import (
	"context"
	"fmt"
	"net/netip"
	"time"

	"github.com/ofmcast/ofmcast/examples/agent/members"
	"github.com/ofmcast/ofmcast/examples/agent/policy"
	"github.com/ofmcast/ofmcast/igmp/querier"
	"github.com/ofmcast/ofmcast/igmp/snooper"
	"github.com/ofmcast/ofmcast/mcast"
	"github.com/ofmcast/ofmcast/mroute"
	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
)

// Sources are the parts of an agent that a Collector reads. Functions may be called from any goroutine,
// and must not wait but where they have a context. Those that are nil have nothing to say.
type Sources struct {
	Bridge string
	Cache  *mcast.Cache[members.Member]
	Limits mcast.Limits // the cache's, to warn before they are reached
	Ports  func() []PortInfo
	// PortName is one port's name, for what happens often.
	PortName func(ofgroup.Port) string

	// Switch is an ofconn.Conn.
	Switch interface {
		Stats() ofconn.ConnStats
		EventStats() ofconn.EventStats
		Session() (*ofconn.Session, error)
	}
	// Packets reads how many packets the switch has sent to each of the groups that members are in.
	Packets func(context.Context) (map[ofgroup.ID]uint64, error)
	// GroupMods counts the GROUP_MODs that memberships have caused.
	GroupMods func() uint64
	// GroupID is the OpenFlow group of a multicast group for a source; the zero Addr is for any other.
	GroupID func(g mcast.Group, source netip.Addr) (ofgroup.ID, bool)

	// Policy is the one in force.
	Policy  func() *policy.Policy
	Snooper func() snooper.Counters
	Querier func() (querier.State, querier.Counters)
	// Routes is an mroute.Router's Status, Check an mroute.Check; nil without routing.
	Routes func(context.Context) (mroute.Status, error)
	Check  func(context.Context) ([]mroute.Finding, error)
}

// PortInfo is a port as the agent knows it.
type PortInfo struct {
	Number        ofgroup.Port
	Name          string
	Role, VLANs   string
	Carries       []uint16 // which of the VLANs that are served, ascending
	Down, Drained bool
	Denied        uint64
}

// Collector makes States. All methods are safe for any number of goroutines.
type Collector struct {
	// Hosts is told by the agent who was heard and asked.
	Hosts Hosts

	src     Sources
	started time.Time
	events  *ring
	rates   rates
	checked findings

	turn   chan struct{} // holds one token: whoever makes a State has it
	last   State         // with the token, as all below
	flows  meters[ofgroup.ID]
	routes meters[mroute.SG]
}

const (
	maxEvents = 256
	maxRates  = 300
	// fresh is how long a State is good for whoever asks: many readers cost no more than one.
	fresh = time.Second
)

// New makes a Collector.
func New(src Sources) *Collector {
	return &Collector{
		src: src, started: time.Now(), events: newRing(maxEvents),
		rates: rates{max: maxRates}, turn: make(chan struct{}, 1),
	}
}

// Run follows events and rates, and has the checks made, until ctx ends.
func (c *Collector) Run(ctx context.Context) error {
	done := make(chan struct{}, 2)
	go func() { c.watch(ctx); done <- struct{}{} }()
	go func() { c.checks(ctx); done <- struct{}{} }()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case now := <-tick.C:
			c.rates.sample(now, c.counts())
			c.Hosts.keep(c.ports())
		case <-ctx.Done():
			<-done
			<-done
			return nil
		}
	}
}

// counts reads the counters of the chart.
func (c *Collector) counts() counts {
	s := c.src.Cache.Statistics()
	n := counts{changes: s.Joins + s.Leaves + s.Expiries + s.Removals + s.Refilters}
	if c.src.GroupMods != nil {
		n.mods = c.src.GroupMods()
	}
	return n
}

// watch makes events of what happens to members.
func (c *Collector) watch(ctx context.Context) {
	w := c.src.Cache.Watch(0)
	defer w.Close()
	for e := range w.Events(ctx) {
		c.events.add(Event{
			At: e.At, Kind: e.Kind.String(),
			Group: e.Group.Addr.String(), VLAN: e.Group.Segment,
			Port: uint32(e.Member.Port), Name: nameOf(e.Member, c.portName), Text: e.New.String(),
		}, e.Missed)
	}
}

// Note adds an event of the agent's own, such as a denied report or a lost switch. Seq is given here.
func (c *Collector) Note(e Event) {
	if e.Kind == "" {
		e.Kind = "note"
	}
	c.events.add(e, 0)
}

// Events returns those behind a sequence number, of the newest ones, and what is closed when there are
// more.
func (c *Collector) Events(after uint64) ([]Event, <-chan struct{}) { return c.events.after(after) }

// State returns what there is now, or was up to a second ago. It fails when ctx ends first.
func (c *Collector) State(ctx context.Context) (State, error) {
	select {
	case c.turn <- struct{}{}:
		defer func() { <-c.turn }()
	case <-ctx.Done():
		return State{}, fmt.Errorf("state: %w", ctx.Err())
	}
	now := time.Now()
	if now.Sub(c.last.At) >= fresh {
		c.last = c.collect(context.WithoutCancel(ctx), now) // for others too; each part has a limit of time
	}
	s := c.last // readers share its lists and do not change them
	s.Events, _ = c.events.after(0)
	s.Rates = c.rates.list()
	return s, nil
}

// collect reads everything.
func (c *Collector) collect(ctx context.Context, now time.Time) State {
	stats := c.src.Cache.Statistics()
	s := State{
		Format: Format, At: now, Started: c.started, Bridge: c.src.Bridge,
		Switch: c.switchState(), Querier: c.querierState(), Totals: c.totals(stats), Sinks: sinks(stats, now),
	}
	if c.src.Policy != nil {
		s.Policy = c.src.Policy()
	}
	ports := c.ports()
	c.readGroups(&s, names(ports), c.switchCounters(ctx))
	c.readRoutes(ctx, &s)
	c.readPorts(&s, ports)
	s.Warnings = c.warnings(s)
	return s
}

func (c *Collector) ports() []PortInfo {
	if c.src.Ports == nil {
		return nil
	}
	return c.src.Ports()
}

// portName is empty where nobody can say.
func (c *Collector) portName(p ofgroup.Port) string {
	if c.src.PortName == nil {
		return ""
	}
	return c.src.PortName(p)
}

// names are those of many ports, looked up at once.
func names(ports []PortInfo) func(ofgroup.Port) string {
	byNumber := make(map[ofgroup.Port]string, len(ports))
	for _, p := range ports {
		byNumber[p.Number] = p.Name
	}
	return func(p ofgroup.Port) string { return byNumber[p] }
}

// nameOf is a port's name, or what there is to say of another node.
func nameOf(m members.Member, port func(ofgroup.Port) string) string {
	if m.IsNode() {
		return m.String()
	}
	return port(m.Port)
}
