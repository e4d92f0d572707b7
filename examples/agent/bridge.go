package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"github.com/ofmcast/ofmcast/examples/ovsdb"
)

// errTagged says that a port of the bridge belongs to a VLAN. A group's output ignores that, so
// traffic of one VLAN would leave in another.
var errTagged = errors.New("ports with VLAN tags are not supported")

// errDatabase marks what is wrong with the bridge's settings or the way to them.
var errDatabase = errors.New("bridge settings")

// prepareBridge looks at the bridge's settings and, if asked to, turns its own snooping on.
func prepareBridge(ctx context.Context, o options, log *slog.Logger) error {
	if o.ovsdb == "" {
		return nil
	}
	db, err := ovsdb.Dial(ctx, o.ovsdb)
	if err != nil {
		return fmt.Errorf("%w: %w", errDatabase, err)
	}
	defer func() { _ = db.Close() }()
	b, err := db.Bridge(ctx, o.bridge)
	if err != nil {
		return fmt.Errorf("%w: %w", errDatabase, err)
	}
	if err := refuseTags(b); err != nil {
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

func refuseTags(b ovsdb.Bridge) error {
	var tagged []string
	for _, p := range b.Ports {
		if p.Tagged() {
			tagged = append(tagged, p.Name)
		}
	}
	if len(tagged) > 0 {
		return fmt.Errorf("bridge %s: %w: %s", b.Name, errTagged, strings.Join(tagged, ", "))
	}
	return nil
}
