package ofsink

import (
	"context"
	"errors"
	"fmt"

	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
)

// Confirmed is how many flows the switch has confirmed, to be compared with how many it has.
func (k *Sink[M]) Confirmed() int { return len(k.confirmed()) }

// Missing looks for flows that the switch has confirmed and has no more, because somebody deleted them or
// their groups, and returns how many there are. The next Sync of their multicast groups sends them again,
// each after its group, which may be gone as well: have the cache resync. It may run beside Syncs: what is
// under way may count as missing, and is sent once more, which changes nothing.
func (k *Sink[M]) Missing(ctx context.Context, from Reader) (int, error) {
	before := k.confirmed()
	flows, err := from.FlowStats(ctx, ofconn.FlowFilter{
		Table: k.cfg.Layout.Table, Cookie: k.cfg.Layout.Cookie, CookieMask: ^uint64(cookieOfGroup),
	})
	if err != nil {
		return 0, fmt.Errorf("ofsink: reading flows: %w", err)
	}
	for i := range flows {
		if row, ok := k.rowOf(&flows[i], ofgroup.ID(flows[i].Cookie&cookieOfGroup)); ok {
			delete(before, row)
		}
	}
	missing := 0
	for row, flow := range before {
		if k.doubt(row, flow) {
			missing++
		}
	}
	return missing, nil
}

// confirmed are the rows whose flow the switch has confirmed, each with what it does.
func (k *Sink[M]) confirmed() map[Row]string {
	k.mu.Lock()
	defer k.mu.Unlock()
	rows := make(map[Row]string)
	for g, e := range k.entries {
		for source, h := range e {
			if h.flow != "" {
				rows[Row{g, source, h.id}] = h.flow
			}
		}
	}
	return rows
}

// doubt forgets that the switch has a row's flow and group, and says whether this was the row's flow still.
func (k *Sink[M]) doubt(row Row, flow string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	h := k.entries[row.Group][row.Source]
	if h == nil || h.id != row.ID || h.flow != flow {
		return false
	}
	h.flow = ""
	k.cfg.Table.Invalidate(row.ID)
	return true
}

// regroup doubts the group of a flow that the switch has refused: somebody may have deleted it since it was
// sent, and it is sent again before the flow is.
func (k *Sink[M]) regroup(err error, id ofgroup.ID) {
	if e := new(ofgroup.SwitchError); errors.As(err, &e) {
		k.cfg.Table.Invalidate(id)
	}
}
