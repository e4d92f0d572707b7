package main

import (
	"context"
	"log/slog"
	"net/netip"
	"sync"
	"time"

	"antrea.io/libOpenflow/openflow15"
	"antrea.io/ofnet/ofctrl"

	"github.com/ofmcast/ofmcast/igmp"
	"github.com/ofmcast/ofmcast/igmp/querier"
	"github.com/ofmcast/ofmcast/igmp/snooper"
	"github.com/ofmcast/ofmcast/ofgroup"
)

// app is the program that ofnet calls. Its methods for ofnet run on ofnet's receiving
// goroutine, so they only hand on.
type app struct {
	log     *slog.Logger
	members []ofgroup.Port
	table   *ofgroup.Table
	groups  map[netip.Addr]ofgroup.ID // run's own

	connected chan *ofctrl.OFSwitch
	packets   chan packet

	mu sync.Mutex
	sw *ofctrl.OFSwitch // nil while there is none
}

// packet is what came in, and when.
type packet struct {
	port  snooper.Port
	frame []byte
	at    time.Time
}

// queryGroup has a bucket for each member port.
const queryGroup ofgroup.ID = 1

func newApp(members []ofgroup.Port, log *slog.Logger) *app {
	const waiting = 256
	a := &app{
		log: log, members: members, groups: map[netip.Addr]ofgroup.ID{},
		connected: make(chan *ofctrl.OFSwitch, 1), packets: make(chan packet, waiting),
	}
	a.table = ofgroup.NewTable(newSender(a.current), ofgroup.TableConfig{IDs: ofgroup.NewIDAllocator(queryGroup, 1000)})
	return a
}

func (a *app) current() *ofctrl.OFSwitch {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.sw
}

// SwitchConnected is ofnet's.
func (a *app) SwitchConnected(sw *ofctrl.OFSwitch) {
	a.mu.Lock()
	a.sw = sw
	a.mu.Unlock()
	select {
	case a.connected <- sw:
	default: // the one before was not set up yet; run asks which there is
	}
}

// SwitchDisconnected is ofnet's.
func (a *app) SwitchDisconnected(*ofctrl.OFSwitch) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.sw = nil
}

// PacketRcvd is ofnet's.
func (a *app) PacketRcvd(_ *ofctrl.OFSwitch, p *ofctrl.PacketIn) {
	port, frame, err := received(p)
	if err != nil {
		a.log.Warn("packet not read", "err", err)
		return
	}
	select {
	case a.packets <- packet{port, frame, time.Now()}:
	default:
		a.log.Warn("packet dropped", "port", port)
	}
}

// The rest that ofnet wants to know.
func (a *app) MultipartReply(*ofctrl.OFSwitch, *openflow15.MultipartReply) {}
func (a *app) PortStatusRcvd(*openflow15.PortStatus)                       {}
func (a *app) FlowGraphEnabledOnSwitch() bool                              { return true }
func (a *app) TLVMapEnabledOnSwitch() bool                                 { return false }

// run serves a bridge until ctx ends.
func (a *app) run(ctx context.Context, bridge string) error {
	q, err := querier.New(querier.Config{MAC: igmp.MAC{2, 0, 0, 0, 0, 1}, Addrs: []netip.Addr{netip.IPv4Unspecified()}})
	if err != nil {
		return err
	}
	controller := ofctrl.NewController(a)
	ended := make(chan error, 1)
	go func() { ended <- controller.Connect(bridge) }()
	defer controller.Delete()
	s := snooper.New(snooper.Config{})
	queries := time.NewTimer(time.Hour)
	queries.Stop() // until there is a switch
	defer queries.Stop()
	for {
		select {
		case <-a.connected:
			err = a.setUp(ctx)
			q.Restart()
			queries.Reset(0)
		case p := <-a.packets:
			err = a.heard(ctx, s.Frame(p.port, p.frame, p.at).Records)
		case now := <-queries.C:
			err = a.ask(q.Advance(now))
			queries.Reset(time.Until(q.Next()))
		case err := <-ended:
			return err
		case <-ctx.Done():
			return ctx.Err()
		}
		if err != nil {
			a.log.Warn("not done", "err", err)
		}
	}
}
