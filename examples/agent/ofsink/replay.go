package ofsink

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"sync"

	"github.com/ofmcast/ofmcast/mcast"
	"github.com/ofmcast/ofmcast/ofgroup"
)

// ReplayFlows sends the flows of all groups that the table holds through to. It belongs into a
// connection's OnConnect, after the table's Replay: a flow that names a group which the switch does
// not have is refused. Flows whose turn comes after an error are sent all the same.
func (k *Sink[M]) ReplayFlows(ctx context.Context, to Flows) error {
	named, rest := k.placed()
	// On a switch that has lost everything the row for any source must not decide about those that
	// have a row of their own.
	return errors.Join(k.replay(ctx, to, named), k.replay(ctx, to, rest))
}

// placed is where something stands that the table holds.
type placed struct {
	group  mcast.Group
	source netip.Addr
	id     ofgroup.ID
}

// replay sends flows, many at a time.
func (k *Sink[M]) replay(ctx context.Context, to Flows, flows []placed) error {
	var (
		wg     sync.WaitGroup
		errs   = make([]error, len(flows))
		places = make(chan struct{}, maxReplay)
	)
	for i, f := range flows {
		places <- struct{}{}
		wg.Go(func() {
			defer func() { <-places }()
			if err := k.sendFlow(ctx, to, f.group, f.source, f.id); err != nil {
				errs[i] = fmt.Errorf("ofsink: multicast group %v: %w", f.group, forSource(f.source, err))
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// maxReplay is how many flows of a replay are under way at a time; they share barriers.
const maxReplay = 256

// placed returns where the table holds groups: for named sources, and for any.
func (k *Sink[M]) placed() (named, rest []placed) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for g, e := range k.entries {
		for source, h := range e {
			if _, state := k.cfg.Table.Lookup(h.id); state != ofgroup.Held {
				continue
			}
			if p := (placed{g, source, h.id}); source == anySource {
				rest = append(rest, p)
			} else {
				named = append(named, p)
			}
		}
	}
	return named, rest
}
