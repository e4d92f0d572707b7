package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/ofmcast/ofmcast/examples/agent/members"
	"github.com/ofmcast/ofmcast/examples/agent/ofsink"
	"github.com/ofmcast/ofmcast/examples/agent/view"
	"github.com/ofmcast/ofmcast/examples/ovsdb"
	"github.com/ofmcast/ofmcast/igmp"
	"github.com/ofmcast/ofmcast/igmp/querier"
	"github.com/ofmcast/ofmcast/igmp/snooper"
	"github.com/ofmcast/ofmcast/mcast"
	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
)

// agent is the wiring of the packages. Packet-ins become records (igmp/snooper), records become
// memberships (mcast), memberships become groups and flows (ofsink, ofgroup, ofconn); queries go the
// other way (igmp/querier). A member is a port of the bridge, or another node.
type agent struct {
	o      options
	log    *slog.Logger
	calm   *slog.Logger // for what may be said any number of times
	conn   *ofconn.Conn
	table  *ofgroup.Table
	cache  *mcast.Cache[members.Member]
	routes *routes // nil without uplinks

	policy policyState     // who may join what
	mods   *countedSender  // what the table sends by
	flows  ofsink.Flows    // what the sink sends flows by
	view   *view.Collector // for people

	mac     igmp.MAC                      // of what we send
	reach   *reach                        // of the hosts
	nodes   *nodes                        // nil without others
	reports *mcast.Handle[members.Member] // nil where reports are passed on as they come

	programming sync.Mutex                   // held while the switch is told of a layout
	base        *base                        // what it was told
	sink        *ofsink.Sink[members.Member] // nil before the first connection
	handle      *mcast.Handle[members.Member]
	untold      news // what the last connection has found, for when it can be told

	past     memory        // of the agent before
	restored chan struct{} // closed when the cache has it
	saving   sync.Mutex    // held while the state file is written
	unsaved  bool          // with saving: the last write failed

	// Of queryLoop alone: general queries that the switch did not take, and where the last was one.
	failedQueries int
	unasked       map[uint16]bool

	restart trigger // tells the query loop that hosts were out of reach
	wake    trigger // tells it that queriers have changed
	follow  trigger // tells the follow loop that ports, settings or routers have changed

	broughtUp trigger // says that the switch was brought up to date
	returned  trigger // says that the bridge's settings are to be looked at

	mu          sync.Mutex // never held while something is sent
	descs       map[ofgroup.Port]ofconn.PortDesc
	settings    *ovsdb.Bridge // nil before they are read, and without a database
	layout      layout
	said        map[string]bool // what is known to be wrong with the settings
	snooper     *snooper.Snooper
	routersSeen uint64 // the snooper's generation
	inherited   inherited
	queriers    map[uint16]*querier.Querier
	asker       *querier.Querier      // renders what is asked whoever is the querier; it hears nothing
	timed       mcast.Timing          // what the cache was told
	versions    map[upstreamKey]uint8 // of the last query that came from there
}

func newAgent(o options, log *slog.Logger) (*agent, error) {
	a := &agent{
		o: o, log: log, calm: calm(log), base: newBase(o.packetRate, log),
		restart: newTrigger(), wake: newTrigger(), follow: newTrigger(), broughtUp: newTrigger(), returned: newTrigger(),
		unasked: make(map[uint16]bool), descs: make(map[ofgroup.Port]ofconn.PortDesc),
		restored: make(chan struct{}),
		queriers: make(map[uint16]*querier.Querier), versions: make(map[upstreamKey]uint8),
	}
	cfg := querierConfig(o, log)
	var err error
	if a.asker, err = querier.New(cfg); err != nil {
		return nil, err
	}
	a.mac = cfg.MAC
	// A router is there for as long as another querier would be taken to be.
	a.snooper = snooper.New(snooper.Config{RouterTimeout: a.asker.State().Timing.OtherQuerierPresent(), Validator: a.validate})
	a.timed = a.timing()
	a.cache = mcast.New(mcast.Config[members.Member]{
		Timing: a.timed,
		Query:  a.askMember,
		Order:  members.Compare, // so the same members make the same group after a restart
		Limits: o.limits(),
		Logger: a.calm,
	})
	a.reach = newReach(a.cache.HoldAging)
	a.initPolicy()
	if !o.transparent {
		if a.reports, err = a.cache.AddSink("reports", reporter{a}, mcast.SinkConfig{}); err != nil {
			return nil, err
		}
	}
	if o.node.IsValid() {
		if err = a.newNodes(cfg.MAC); err != nil {
			return nil, err
		}
	}
	a.conn = ofconn.New(ofconn.Config{
		Dial:         a.dialSwitch,
		OnConnect:    a.onConnect,
		OnDisconnect: a.onDisconnect,
		Events: ofconn.Events{
			PacketIn:     a.onPacketIn,
			PortStatus:   a.onPortStatus,
			ControllerID: controllerID,
			Format:       ofconn.FormatPacketIn2,
		},
		NoFence: o.noFence,
		Logger:  log,
	})
	a.mods, a.flows = &countedSender{Conn: a.conn}, a.conn
	a.view = view.New(a.sources())
	a.table = ofgroup.NewTable(a.mods, ofgroup.TableConfig{IDs: ofgroup.NewIDAllocator(groupFirst, groupLast)})
	if len(o.uplinks) > 0 {
		return a, a.addRoutes()
	}
	return a, nil
}

// run works until ctx ends or a part of the agent fails for good. The connection outlives the other
// parts: what they are about to send still arrives, and what -on-exit says can be done.
func (a *agent) run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	connected, hangUp := context.WithCancel(context.WithoutCancel(ctx))
	defer hangUp()
	conn := make(chan error, 1)
	go func() {
		conn <- a.conn.Run(connected)
		cancel()
	}()
	err := a.work(ctx)
	err = errors.Join(err, a.leave())
	hangUp()
	return errors.Join(err, <-conn)
}

// work runs all parts of the agent but the connection. When one ends, so do the others.
func (a *agent) work(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	parts := []func(context.Context) error{a.cache.Run, a.queryLoop, a.followLoop, a.watchSettings, a.logChanges,
		a.attach, a.keepIntact, a.remember, a.endUnconfirmed, a.checkBridges, a.view.Run, a.serveHTTP, a.keepPolicy}
	if a.routes != nil {
		parts = append(parts, a.routes.run)
	}
	if a.nodes != nil {
		parts = append(parts, a.exchangeLoop, a.watchPeers)
	}
	results := make(chan error, len(parts))
	for _, part := range parts {
		go func() {
			results <- part(ctx)
			cancel()
		}()
	}
	var errs []error
	for range parts {
		errs = append(errs, <-results)
	}
	return errors.Join(errs...)
}

// logChanges logs who joins and leaves, for people who asked for it.
func (a *agent) logChanges(ctx context.Context) error {
	if !a.o.verbose {
		<-ctx.Done()
		return nil
	}
	w := a.cache.Watch(0)
	defer w.Close()
	for e := range w.Events(ctx) {
		a.log.Debug("membership", "group", e.Group, "member", a.memberName(e.Member), "change", e.Kind, "filter", e.New, "missed", e.Missed)
	}
	return nil
}

// dial connects to a socket of Open vSwitch.
func dial(ctx context.Context, address string) (net.Conn, error) {
	network, where, ok := strings.Cut(address, ":")
	if !ok || (network != "unix" && network != "tcp") {
		return nil, fmt.Errorf("%q is neither unix:PATH nor tcp:HOST:PORT", address)
	}
	d := net.Dialer{Timeout: 5 * time.Second}
	return d.DialContext(ctx, network, where)
}
