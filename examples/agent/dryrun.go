package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/ofmcast/ofmcast/mcast"
	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
)

// dryRun prints what an agent would send to the switch as it is now: a file for ovs-ofctl bundle, with
// what that does not take, meters, in comments that are lines for ovs-ofctl add-meter. It reads the
// switch, the database and the state file, and changes nothing.
func dryRun(ctx context.Context, o options, out io.Writer, log *slog.Logger) error {
	past := recall(o, log)
	o.uplinks = nil // the kernel's routing would be taken from whoever has it
	a, err := newAgent(o, log)
	if err != nil {
		return err
	}
	a.past = past
	s, err := openSwitch(ctx, o.openflow)
	if err != nil {
		return err
	}
	defer func() { _ = s.Close() }()
	to := &printer{version: s.Version(), out: out}
	a.flows = to
	a.table = ofgroup.NewTable(to, ofgroup.TableConfig{IDs: ofgroup.NewIDAllocator(groupFirst, groupLast)})
	if err := a.plan(ctx, s, to); err != nil {
		return err
	}
	return to.err
}

// plan goes the way of onConnect, with another receiver.
func (a *agent) plan(ctx context.Context, s *ofconn.Session, to *printer) error {
	descs, err := s.Ports(ctx)
	if err != nil {
		return err
	}
	a.adoptPorts(descs)
	if err := a.readSettings(ctx); err != nil {
		return err
	}
	found, _ := a.newLayout()
	if err := a.checkGateway(found); err != nil {
		return err
	}
	a.cache.Advance(time.Now())
	sink, l, err := a.takeOver(ctx, s)
	if err != nil {
		return err
	}
	a.applyStatic(time.Now())
	if err := a.base.apply(ctx, to, l); err != nil {
		return err
	}
	// The reports to routers are none of the switch's programming.
	if a.reports != nil {
		if err := a.reports.Remove(ctx); err != nil {
			return err
		}
	}
	// What nobody wants any more is known, and pruned, only after hosts have been asked.
	if _, err := a.cache.AddSink("switch", sink, mcast.SinkConfig{PruneDelay: a.confirmTime()}); err != nil {
		return err
	}
	return a.cache.Flush(ctx)
}

// printer takes messages as a switch would, and prints them.
type printer struct {
	version ofgroup.Version

	mu  sync.Mutex
	out io.Writer
	err error // of printing
}

// Version implements ofgroup.Sender.
func (p *printer) Version() ofgroup.Version { return p.version }

// Send implements ofgroup.Sender.
func (p *printer) Send(_ context.Context, m *ofgroup.Mod) (ofgroup.Receipt, error) {
	return p.print("group", m)
}

// SendMessage is as that of a session.
func (p *printer) SendMessage(_ context.Context, m ofconn.Message) (ofgroup.Receipt, error) {
	switch m := m.(type) {
	case ofconn.MeterMod:
		return p.print("# meter", m)
	case fmt.Stringer:
		return p.print("flow", m)
	}
	return p.print("#", fmt.Sprintf("%+v", m))
}

func (p *printer) print(kind string, what any) (ofgroup.Receipt, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err == nil {
		_, p.err = fmt.Fprintln(p.out, kind, what)
	}
	return ofgroup.Receipt{Confirmed: true}, nil
}
