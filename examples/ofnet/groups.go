package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"antrea.io/libOpenflow/openflow15"
	"antrea.io/ofnet/ofctrl"

	"github.com/ofmcast/ofmcast/igmp"
	"github.com/ofmcast/ofmcast/igmp/snooper"
	"github.com/ofmcast/ofmcast/ofgroup"
)

// setUp brings a switch up to date: the groups there were, the one of the queries, and a
// flow that hands IGMP to us.
func (a *app) setUp(ctx context.Context) error {
	sw := a.current()
	if sw == nil {
		return nil // gone again; the next one is set up
	}
	if err := a.table.Replay(ctx, newSender(a.current)); err != nil {
		return err
	}
	g := ofgroup.New(queryGroup, ofgroup.All)
	for _, p := range a.members {
		g = g.AddBuckets(ofgroup.NewBucket(ofgroup.Output(p)))
	}
	if _, err := a.table.Sync(ctx, g); err != nil {
		return err
	}
	return catchIGMP(sw)
}

// catchIGMP installs, by ofnet's own means, the flow that makes packet-ins.
func catchIGMP(sw *ofctrl.OFSwitch) error {
	const ipv4, protocol = 0x0800, 2
	flow, err := sw.DefaultTable().NewFlow(ofctrl.FlowMatch{Priority: 200, Ethertype: ipv4, IpProto: protocol})
	if err != nil {
		return fmt.Errorf("flow: %w", err)
	}
	if err := flow.Controller(openflow15.R_APPLY_ACTION); err != nil {
		return fmt.Errorf("flow: %w", err)
	}
	if err := flow.Next(ofctrl.NewEmptyElem()); err != nil {
		return fmt.Errorf("flow: %w", err)
	}
	return nil
}

// ask sends queries to the member ports.
func (a *app) ask(frames [][]byte) error {
	sw := a.current()
	if sw == nil {
		return ofgroup.NotSent(ofgroup.ErrDisconnected)
	}
	var errs []error
	for _, frame := range frames {
		errs = append(errs, sw.Send(through(queryGroup, slices.Clone(frame)))) // it is encoded later
	}
	return errors.Join(errs...)
}

// heard changes the groups as hosts want it: each change is one GROUP_MOD. Who joined and
// is silent since stays here for ever; package mcast keeps that straight.
func (a *app) heard(ctx context.Context, records []snooper.Record) error {
	var errs []error
	for _, r := range records {
		joins := r.Kind == igmp.IsEx || r.Kind == igmp.ToEx
		id, known := a.groups[r.Group]
		if !known {
			if !joins {
				continue
			}
			var err error
			if id, err = a.table.Allocate(); err != nil {
				errs = append(errs, err)
				continue
			}
			a.groups[r.Group] = id
		}
		errs = append(errs, a.table.Update(ctx, id, func(old ofgroup.Group, ok bool) (ofgroup.Group, error) {
			return with(old, ok, id, ofgroup.Port(r.Port), joins), nil
		}))
		a.log.Info("membership", "group", r.Group, "port", r.Port, "joins", joins, "id", id)
	}
	return errors.Join(errs...)
}

// with is the group with, or without, a port.
func with(g ofgroup.Group, ok bool, id ofgroup.ID, port ofgroup.Port, member bool) ofgroup.Group {
	if !ok {
		g = ofgroup.New(id, ofgroup.All)
	}
	bucket := ofgroup.NewBucket(ofgroup.Output(port))
	buckets := slices.DeleteFunc(slices.Collect(g.Buckets()), func(b ofgroup.Bucket) bool { return b == bucket })
	if member {
		buckets = append(buckets, bucket)
	}
	return g.WithBuckets(buckets...)
}
