package ofsink

import (
	"context"
	"errors"
	"fmt"

	"github.com/ofmcast/ofmcast/ofgroup"
)

// ReplayFlows sends the flows of all groups that the table holds through to. It belongs into a
// connection's OnConnect, after the table's Replay: a flow that names a group which the switch does
// not have is refused. One that is does not keep the others from being sent.
func (k *Sink[M]) ReplayFlows(ctx context.Context, to Flows) error {
	var named, rest []Row
	for _, r := range k.Rows() {
		_, state := k.cfg.Table.Lookup(r.ID)
		switch {
		case state != ofgroup.Held:
		case r.Source == anySource:
			rest = append(rest, r)
		default:
			named = append(named, r)
		}
	}
	// On a switch that has lost everything the row for any source must not decide about those that
	// have a row of their own.
	return errors.Join(k.replay(ctx, to, named), k.replay(ctx, to, rest))
}

func (k *Sink[M]) replay(ctx context.Context, to Flows, rows []Row) error {
	return parallel(ctx, len(rows), func(i int) error {
		r := rows[i]
		if err := k.sendFlow(ctx, to, r.Group, r.Source, r.ID); err != nil {
			return fmt.Errorf("ofsink: multicast group %v: %w", r.Group, forSource(r.Source, err))
		}
		return nil
	})
}
