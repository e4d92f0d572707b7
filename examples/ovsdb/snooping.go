package ovsdb

import (
	"context"
	"errors"
	"fmt"
)

// disableFlood is the key of Bridge.OtherConfig that keeps multicast for groups
// which nobody joined from going everywhere.
const disableFlood = "mcast-snooping-disable-flood-unregistered"

// SnoopingState is the setting of a bridge's own multicast snooping. Two can be
// compared with ==.
type SnoopingState struct {
	Enabled bool // mcast_snooping_enable
	// DisableFloodUnregistered is the value of
	// other_config:mcast-snooping-disable-flood-unregistered: "true", or
	// anything else for false. Empty: there is no such key.
	DisableFloodUnregistered string
}

// Snooping is the part of the settings that SetSnooping changes.
func (b Bridge) Snooping() SnoopingState {
	return SnoopingState{Enabled: b.McastSnooping, DisableFloodUnregistered: b.OtherConfig[disableFlood]}
}

// SetSnooping changes a bridge's own multicast snooping in one transaction,
// touches no other setting, waits until the switch has taken it over, and
// returns what was there before: setting that again restores it.
//
// An error wraps ErrNoBridge if there is no such bridge, and ErrNotApplied if
// the wait was in vain: then previous is valid all the same. After the error of
// a context that ended earlier, it is not known whether the change was made.
func (c *Client) SetSnooping(ctx context.Context, bridge string, s SnoopingState) (previous SnoopingState, err error) {
	ctx, cancel := bounded(ctx)
	defer cancel()
	previous, config, err := c.writeSnooping(ctx, bridge, s)
	if err == nil {
		err = c.awaitSwitch(ctx, config)
	}
	if err != nil {
		err = fmt.Errorf("ovsdb: snooping of bridge %q: %w", bridge, err)
	}
	return previous, err
}

// countersRow is of the table Open_vSwitch, which has one row.
type countersRow struct {
	Next int `json:"next_cfg"`
	Cur  int `json:"cur_cfg"`
}

// writeSnooping also returns the number of the configuration that it made.
func (c *Client) writeSnooping(ctx context.Context, bridge string, s SnoopingState) (previous SnoopingState, config int, err error) {
	// An insertion alone would leave a key that is there as it is.
	flood := [][3]any{{"other_config", "delete", disableFlood}}
	if v := s.DisableFloodUnregistered; v != "" {
		flood = append(flood, [3]any{"other_config", "insert", []any{"map", [][2]string{{disableFlood, v}}}})
	}
	results, err := c.transact(ctx,
		// Without the bridge this is refused at once, and the rest is not done.
		waitOp(0, "Bridge", named(bridge), "name", "==", bridge),
		selectOp("Bridge", named(bridge), "mcast_snooping_enable", "other_config"),
		op{"op": "update", "table": "Bridge", "where": named(bridge), "row": op{"mcast_snooping_enable": s.Enabled}},
		op{"op": "mutate", "table": "Bridge", "where": named(bridge), "mutations": flood},
		op{"op": "mutate", "table": "Open_vSwitch", "where": condition{}, "mutations": [][3]any{{"next_cfg", "+=", 1}}},
		selectOp("Open_vSwitch", condition{}, "next_cfg"))
	if timedOut(err) {
		return previous, 0, ErrNoBridge
	}
	if err != nil {
		return previous, 0, err
	}
	before, err := row[bridgeRow](results[1])
	if err != nil {
		return previous, 0, err
	}
	counters, err := row[countersRow](results[5])
	return before.bridge().Snooping(), counters.Next, err
}

// awaitSwitch returns when the switch works by the configuration of that
// number, or a later one. It asks for a change of the counter, a second at a
// time, for the server goes on waiting after a call that has ended.
func (c *Client) awaitSwitch(ctx context.Context, config int) error {
	for cur := -1; cur < config; {
		results, err := c.transact(ctx,
			waitOp(1000, "Open_vSwitch", condition{}, "cur_cfg", "!=", cur),
			selectOp("Open_vSwitch", condition{}, "cur_cfg"))
		if timedOut(err) {
			continue
		}
		var counters countersRow
		if err == nil {
			counters, err = row[countersRow](results[1])
		}
		if err != nil {
			return fmt.Errorf("%w: %w", ErrNotApplied, err)
		}
		cur = counters.Cur
	}
	return nil
}

// timedOut says whether a transaction was refused by the waitOp that it begins
// with.
func timedOut(err error) bool {
	var refused *ServerError
	return errors.As(err, &refused) && refused.Op == 0 && refused.Code == "timed out"
}
