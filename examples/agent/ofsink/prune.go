package ofsink

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/ofmcast/ofmcast/mcast"
	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
)

// strays are what Adopt has found on the switch that is the sink's and stands for nothing.
type strays struct {
	groups []ofgroup.ID
	flows  []ofconn.FlowMod // as their deletions
}

// addFlow takes a flow in. One whose match nobody here can have made stays where it is.
func (s *strays) addFlow(f *ofconn.FlowStats) {
	match, err := ofgroup.ParseMatch(f.Match)
	if err != nil {
		return
	}
	s.flows = append(s.flows, ofconn.FlowMod{
		Command: ofconn.FlowDeleteStrict, Table: f.Table, Priority: f.Priority, Match: match,
		Cookie: f.Cookie, CookieMask: ^uint64(0),
	})
}

// Prune takes away what the sink has on the switch for other multicast groups than those of keep, and
// what Adopt has found that stands for none. The cache calls it, see mcast.Pruner and
// mcast.SinkConfig.PruneDelay.
func (k *Sink[M]) Prune(ctx context.Context, keep iter.Seq[mcast.Group]) error {
	kept := make(map[mcast.Group]bool)
	for g := range keep {
		kept[g] = true
	}
	gone, left := k.unkept(kept)
	err := parallel(ctx, len(gone), func(i int) error {
		if err := k.apply(ctx, gone[i], nil); err != nil {
			return fmt.Errorf("ofsink: multicast group %v: %w", gone[i], err)
		}
		return nil
	})
	return errors.Join(err, k.pruneStrays(ctx, left))
}

// unkept are the groups that the sink has on the switch and that shall not stay, and the strays, which
// it does not know any more then.
func (k *Sink[M]) unkept(kept map[mcast.Group]bool) (gone []mcast.Group, left strays) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for g := range k.entries {
		if !kept[g] {
			gone = append(gone, g)
		}
	}
	left, k.strays = k.strays, strays{}
	return gone, left
}

// pruneStrays takes what stands for nothing away, and remembers what could not be.
func (k *Sink[M]) pruneStrays(ctx context.Context, s strays) error {
	flows, flowErr := takeAway(ctx, s.flows, func(f ofconn.FlowMod) error {
		if _, err := k.cfg.Flows.SendMessage(ctx, f); err != nil {
			return fmt.Errorf("ofsink: stray flow: %w", err)
		}
		return nil
	})
	groups, groupErr := takeAway(ctx, s.groups, func(id ofgroup.ID) error {
		if err := k.cfg.Table.Delete(ctx, id); err != nil {
			return fmt.Errorf("ofsink: stray group: %w", err)
		}
		return nil
	})
	k.addStrays(strays{groups: groups, flows: flows})
	return errors.Join(flowErr, groupErr)
}

// addStrays keeps what is to be taken away with the next Prune.
func (k *Sink[M]) addStrays(s strays) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.strays.flows = append(k.strays.flows, s.flows...)
	k.strays.groups = append(k.strays.groups, s.groups...)
}
