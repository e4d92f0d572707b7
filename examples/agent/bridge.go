package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/ofmcast/ofmcast/examples/ovsdb"
)

// errDatabase marks what is wrong with the bridge's settings or the way to them.
var errDatabase = errors.New("bridge settings")

// prepareBridge looks at the bridge's settings and, if asked to, turns its own snooping on. What that is
// before it hands to note.
func prepareBridge(ctx context.Context, o options, note func(ovsdb.SnoopingState), log *slog.Logger) error {
	if o.ovsdb == "" {
		return nil
	}
	db, err := openDatabase(ctx, o)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	b, err := db.bridge(ctx)
	if err != nil {
		return err
	}
	sayFailMode(b, log)
	if !o.ovsSnooping || b.Snooping() == wantedSnooping {
		return nil
	}
	log.Warn("turning on the bridge's own snooping: IPv6 neighbour discovery between hosts breaks once its entries age",
		"bridge", b.Name)
	note(b.Snooping())
	if _, err = db.SetSnooping(ctx, b.Name, wantedSnooping); err != nil {
		return fmt.Errorf("%w: %w", errDatabase, err)
	}
	return nil
}

// wantedSnooping is what -ovs-snooping asks for.
var wantedSnooping = ovsdb.SnoopingState{Enabled: true, DisableFloodUnregistered: "true"}

// sayFailMode says what the bridge does while the switch is up and not programmed, as after a restart.
func sayFailMode(b ovsdb.Bridge, log *slog.Logger) {
	if b.FailMode == "secure" {
		log.Info("fail mode secure: after a restart of the switch the bridge is silent until it is programmed again", "bridge", b.Name)
		return
	}
	log.Warn("fail mode standalone: after a restart of the switch the bridge floods until it is programmed again;"+
		" with fail_mode=secure it would be silent", "bridge", b.Name)
}

// checkBridges looks at the bridge's settings after each connection: whatever made the switch go away may
// have changed them, and before the first one the bridge is not ours to change.
func (a *agent) checkBridges(ctx context.Context) error {
	for failed := false; ; {
		select {
		case <-ctx.Done():
			return nil
		case <-a.returned:
		}
		err := prepareBridge(ctx, a.o, a.noteSnooping, a.log)
		if err != nil && ctx.Err() == nil {
			if !failed {
				a.log.Warn("bridge settings not checked; trying until they are", "err", err)
			}
			pause(ctx, followRetry)
			a.returned.signal()
		}
		failed = err != nil
	}
}

// noteSnooping keeps what the bridge's own snooping was before the first change, and writes it down before
// there is one: whoever undoes it may be another process.
func (a *agent) noteSnooping(before ovsdb.SnoopingState) {
	a.mu.Lock()
	known := a.past.Snooping != nil
	if !known {
		a.past.Snooping = &before
	}
	a.mu.Unlock()
	if !known && a.o.state != "" {
		a.save()
	}
}

// database is a connection to the database that a bridge is in.
type database struct {
	*ovsdb.Client
	name string
}

func openDatabase(ctx context.Context, o options) (database, error) {
	c, err := ovsdb.Dial(ctx, o.ovsdb)
	if err != nil {
		return database{}, fmt.Errorf("%w: %w", errDatabase, err)
	}
	return database{c, o.bridge}, nil
}

// bridge reads the bridge's settings and its ports'.
func (d database) bridge(ctx context.Context) (ovsdb.Bridge, error) {
	b, err := d.Bridge(ctx, d.name)
	if err != nil {
		return b, fmt.Errorf("%w: %w", errDatabase, err)
	}
	return b, nil
}
