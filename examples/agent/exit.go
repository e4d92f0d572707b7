package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/ofmcast/ofmcast/examples/ovsdb"
	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
)

// What -on-exit may say.
const (
	exitKeep  = "keep"
	exitClean = "clean"
)

// cleanTime bounds the cleaning: whoever waits for the agent's end waits that long at most.
const cleanTime = 10 * time.Second

// errNotOurs says that another controller has the bridge, or that it never was this agent's.
var errNotOurs = errors.New("what is there is not this agent's, and stays")

// leave does what -on-exit says, when nothing but the connection is at work any more.
func (a *agent) leave() error {
	if a.o.onExit != exitClean {
		a.saveLast()
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), cleanTime)
	defer cancel()
	if err := a.clean(ctx); err != nil {
		return fmt.Errorf("not clean: %w", err)
	}
	a.log.Info("clean: nothing of the agent's is left")
	return nil
}

// clean undoes what this agent has done. Where it was refused, or another has taken the bridge from it,
// nothing is its own: neither the bridge's settings nor the state file. The file stays as well while
// something may be on the switch that it explains.
func (a *agent) clean(ctx context.Context) error {
	if !a.tookOver() {
		if _, err := a.conn.Session(); err != nil {
			return fmt.Errorf("%w: %w", errNotOurs, err)
		}
		return errNotOurs
	}
	a.farewell(ctx) // as long as there is a way to the other nodes
	switch err := a.cleanSwitch(ctx); {
	case isSlave(err):
		return fmt.Errorf("%w: %w", errNotOurs, err)
	case err != nil:
		return errors.Join(err, a.cleanBridge(ctx))
	}
	return errors.Join(a.cleanBridge(ctx), a.forgetState())
}

// cleanSwitch takes all that is an agent's off the switch. What leads multicast to us goes first: from
// then on the bridge does with it what it would do without us, and nobody meets the half of our flows.
func (a *agent) cleanSwitch(ctx context.Context) error {
	s, err := a.conn.Session()
	if err != nil {
		return fmt.Errorf("nothing was taken off the switch: %w", err)
	}
	held, err := look(ctx, s, isOwnGroup)
	if err != nil {
		return err
	}
	hook := ownFlows
	hook.Table = tableHook
	for _, flows := range []ofconn.FlowMod{hook, ownFlows} {
		if _, err := s.SendMessage(ctx, flows); err != nil {
			return err
		}
	}
	return errors.Join(
		atOnce(held.groups, func(g ofgroup.Group) error { return deleteGroup(ctx, s, g.ID()) }),
		atOnce(held.meters, func(id uint32) error { return deleteMeter(ctx, s, id) }))
}

func deleteMeter(ctx context.Context, s sender, id uint32) error {
	_, err := s.SendMessage(ctx, ofconn.MeterMod{Command: ofconn.MeterDelete, ID: id})
	return err
}

// cleanBridge gives the bridge's own snooping the settings back that it had before an agent turned it on.
func (a *agent) cleanBridge(ctx context.Context) error {
	if a.past.Snooping == nil || a.o.ovsdb == "" {
		return nil
	}
	db, err := ovsdb.Dial(ctx, a.o.ovsdb)
	if err != nil {
		return fmt.Errorf("%w: %w", errDatabase, err)
	}
	defer func() { _ = db.Close() }()
	if _, err := db.SetSnooping(ctx, a.o.bridge, *a.past.Snooping); err != nil {
		return fmt.Errorf("%w: %w", errDatabase, err)
	}
	return nil
}

// forgetState removes the state file: there is nothing on the switch that it would explain.
func (a *agent) forgetState() error {
	if a.o.state == "" {
		return nil
	}
	if err := os.Remove(a.o.state); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
