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

// prepareBridge looks at the bridge's settings and, if asked to, turns its own snooping on.
func prepareBridge(ctx context.Context, o options, log *slog.Logger) error {
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
	if b.FailMode != "secure" {
		log.Warn("the bridge floods after a restart of the switch until it is programmed again; fail_mode=secure does not",
			"bridge", b.Name)
	}
	if !o.ovsSnooping {
		return nil
	}
	log.Warn("turning on the bridge's own snooping: IPv6 neighbour discovery between hosts breaks once its entries age",
		"bridge", b.Name)
	_, err = db.SetSnooping(ctx, b.Name, ovsdb.SnoopingState{Enabled: true, DisableFloodUnregistered: "true"})
	if err != nil {
		return fmt.Errorf("%w: %w", errDatabase, err)
	}
	return nil
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
