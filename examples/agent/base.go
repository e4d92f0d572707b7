package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"

	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
)

// sender is a Session or a Conn.
type sender interface {
	ofgroup.Sender
	SendMessage(ctx context.Context, m ofconn.Message) (ofgroup.Receipt, error)
}

// base is what the switch has been told of a layout. apply sends what is missing or differs and takes
// away what is over; after an error the next apply makes up for what this one left. It is for one
// goroutine at a time.
type base struct {
	log     *slog.Logger
	rate    uint32 // of the meters, in packets a second
	groups  map[ofgroup.ID]told[ofgroup.Group]
	flows   map[flowKey]told[string]      // what the flow does, as text
	meters  map[ofgroup.Port]told[uint32] // the rate
	refused map[ofgroup.Port]error        // meters that the switch does not take
}

// told is what the switch has, if that is known.
type told[T any] struct {
	sure bool
	what T
}

// flowKey is what makes a flow another one.
type flowKey struct {
	table    uint8
	priority uint16
	match    ofgroup.Match
}

func keyOf(f ofconn.FlowMod) flowKey { return flowKey{f.Table, f.Priority, f.Match} }

func newBase(rate uint, log *slog.Logger) *base {
	return &base{
		rate: uint32(rate), log: log, groups: make(map[ofgroup.ID]told[ofgroup.Group]), flows: make(map[flowKey]told[string]),
		meters: make(map[ofgroup.Port]told[uint32]), refused: make(map[ofgroup.Port]error),
	}
}

// doubt forgets what the switch has, but not what it may have: what is in no layout any more is still
// taken away.
func (b *base) doubt() {
	clear(b.refused)
	for _, id := range slices.Collect(maps.Keys(b.groups)) {
		b.groups[id] = told[ofgroup.Group]{}
	}
	for _, key := range slices.Collect(maps.Keys(b.flows)) {
		b.flows[key] = told[string]{}
	}
	for _, p := range slices.Collect(maps.Keys(b.meters)) {
		b.meters[p] = told[uint32]{}
	}
}

// apply makes the switch agree with a layout: what flows need comes before them, and goes after them.
func (b *base) apply(ctx context.Context, s sender, l layout) error {
	steps := []func(context.Context, sender, layout) error{
		b.addMeters, b.putGroups, b.putFlows, b.takeFlows, b.takeGroups, b.takeMeters,
	}
	for _, step := range steps {
		if err := step(ctx, s, l); err != nil {
			return err
		}
	}
	return nil
}

func (b *base) putGroups(ctx context.Context, s sender, l layout) error {
	for _, g := range l.groups() {
		if have := b.groups[g.ID()]; have.sure && have.what.Equal(g) {
			continue
		}
		b.groups[g.ID()] = told[ofgroup.Group]{}
		if _, err := g.Commit(ctx, s); err != nil {
			return fmt.Errorf("group %d: %w", g.ID(), err)
		}
		b.groups[g.ID()] = told[ofgroup.Group]{sure: true, what: g}
	}
	return nil
}

func (b *base) putFlows(ctx context.Context, s sender, l layout) error {
	for _, f := range l.flows(b.unmetered) {
		key, text := keyOf(f), ofgroup.ActionsText(f.Actions...)
		if have := b.flows[key]; have.sure && have.what == text {
			continue
		}
		b.flows[key] = told[string]{}
		if _, err := s.SendMessage(ctx, f); err != nil {
			return fmt.Errorf("flow %v: %w", f, err)
		}
		b.flows[key] = told[string]{sure: true, what: text}
	}
	return nil
}

func (b *base) unmetered(p ofgroup.Port) bool { return b.refused[p] != nil }

func (b *base) takeFlows(ctx context.Context, s sender, l layout) error {
	wanted := make(map[flowKey]bool)
	for _, f := range l.flows(b.unmetered) {
		wanted[keyOf(f)] = true
	}
	for key := range b.flows {
		if wanted[key] {
			continue
		}
		f := ofconn.FlowMod{
			Command: ofconn.FlowDeleteStrict, Table: key.table, Priority: key.priority, Match: key.match,
			Cookie: cookie, CookieMask: cookieMask,
		}
		if _, err := s.SendMessage(ctx, f); err != nil {
			return fmt.Errorf("flow %v: %w", f, err)
		}
		delete(b.flows, key)
	}
	return nil
}

// takeGroups deletes groups whose VLAN is not served any more.
func (b *base) takeGroups(ctx context.Context, s sender, l layout) error {
	wanted := make(map[ofgroup.ID]bool)
	for _, g := range l.groups() {
		wanted[g.ID()] = true
	}
	for id := range b.groups {
		if wanted[id] {
			continue
		}
		if err := deleteGroup(ctx, s, id); err != nil {
			return fmt.Errorf("group %d: %w", id, err)
		}
		delete(b.groups, id)
	}
	return nil
}

// deleteGroup deletes a group, and the flows that use it with it.
func deleteGroup(ctx context.Context, s sender, id ofgroup.ID) error {
	m, err := ofgroup.New(id, ofgroup.All).Mod(ofgroup.Delete, s.Version())
	if err == nil {
		_, err = s.Send(ctx, m)
	}
	return err
}

// refused says that the switch itself said no.
func refused(err error) bool {
	e := new(ofgroup.SwitchError)
	return errors.As(err, &e)
}
