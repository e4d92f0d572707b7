package ofsink

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"

	"github.com/ofmcast/ofmcast/mcast"
	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
)

// Reader tells what a switch holds. ofconn.Conn and ofconn.Session do.
type Reader interface {
	Version() ofgroup.Version
	FlowStats(ctx context.Context, f ofconn.FlowFilter) ([]ofconn.FlowStats, error)
	GroupStats(ctx context.Context, id ofgroup.ID) ([]ofgroup.GroupStats, error)
	GroupDesc(ctx context.Context, id ofgroup.ID) (ofgroup.Group, bool, error)
}

// Adopt takes over what an earlier process has left on the switch, without changing anything there:
// the groups that owns says are the table's, which must be those of the sink alone, and the flows with
// the layout's cookie and the number of a group. It comes before the sink's first Sync, on a switch
// that nobody else changes meanwhile, as in a connection's OnConnect.
//
// From then on the sink goes on as the one that made them: the first Sync of a group sends what has
// changed since, and nothing if that is nothing. What stands for no group of the cache is for Prune.
func (k *Sink[M]) Adopt(ctx context.Context, from Reader, owns func(ofgroup.ID) bool) error {
	if k.cfg.Flows == nil || k.cfg.Layout.Cookie&^cookieOfGroup == 0 {
		return ErrNoCookie
	}
	flows, err := from.FlowStats(ctx, ofconn.FlowFilter{
		Table: ofconn.AllTables, Cookie: k.cfg.Layout.Cookie, CookieMask: ^uint64(cookieOfGroup),
	})
	if err != nil {
		return fmt.Errorf("ofsink: reading flows: %w", err)
	}
	groups, err := readGroups(ctx, from, owns)
	if err != nil {
		return fmt.Errorf("ofsink: reading groups: %w", err)
	}
	k.cfg.Table.Adopt(groups, ofgroup.Full)
	var left strays
	pointed := make(map[ofgroup.ID]bool)
	for i := range flows {
		f := &flows[i]
		id := ofgroup.ID(f.Cookie & cookieOfGroup)
		if id == 0 { // it is the host's own
			continue
		}
		if row, ok := k.rowOf(f, id); ok && !pointed[id] {
			pointed[id] = true
			k.adopt(row, f, from.Version())
		} else {
			left.addFlow(f)
		}
	}
	for _, g := range groups {
		if !pointed[g.ID()] {
			left.groups = append(left.groups, g.ID())
		}
	}
	k.addStrays(left)
	return nil
}

// ErrNoCookie is returned by Adopt of a sink that sends no flows, or whose Layout has no cookie in the
// upper 32 bits: it would take flows of others for its own.
var ErrNoCookie = errors.New("ofsink: no cookie to know flows by")

// cookieOfGroup are the bits of a flow's cookie that have the number of the group.
const cookieOfGroup = 0xffffffff

// readGroups reads the descriptions of groups, one by one: that of all at once can be more than a
// switch has words for.
func readGroups(ctx context.Context, from Reader, owns func(ofgroup.ID) bool) ([]ofgroup.Group, error) {
	all, err := from.GroupStats(ctx, ofgroup.AllGroups)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(s ofgroup.GroupStats) bool { return !owns(s.ID) })
	groups, there := make([]ofgroup.Group, len(all)), make([]bool, len(all))
	err = parallel(ctx, len(all), func(i int) (err error) {
		groups[i], there[i], err = from.GroupDesc(ctx, all[i].ID)
		return err
	})
	var held []ofgroup.Group
	for i, g := range groups {
		if there[i] {
			held = append(held, g)
		}
	}
	return held, err
}

// rowOf is what a flow stands for, if it stands where the layout would have it and its group is there.
func (k *Sink[M]) rowOf(f *ofconn.FlowStats, id ofgroup.ID) (row Row, ok bool) {
	match, err := ofgroup.ParseMatch(f.Match)
	if err != nil {
		return row, false
	}
	g, source, ok := k.cfg.Layout.parse(match)
	if !ok {
		return row, false
	}
	would := k.cfg.Layout.Flow(g, source, id)
	_, state := k.cfg.Table.Lookup(id)
	return Row{g, source, id}, state == ofgroup.Held && would.Match == match && would.Table == f.Table && would.Priority == f.Priority
}

// parse is the reverse of match, for what match has made.
func (l Layout) parse(m ofgroup.Match) (g mcast.Group, source netip.Addr, ok bool) {
	dst, ok := m.AsPrefix(ofgroup.IPDst)
	src, hasSource := m.AsPrefix(ofgroup.IPSrc)
	if !ok {
		dst, ok = m.AsPrefix(ofgroup.IPv6Dst)
		src, hasSource = m.AsPrefix(ofgroup.IPv6Src)
	}
	if hasSource {
		source = src.Addr()
	}
	segment, _ := m.AsUint(l.Segment)
	return mcast.Group{Addr: dst.Addr(), Segment: uint32(segment)}, source, ok
}

// adopt notes what there is for a row. A flow that does something else than it shall do now is sent
// again with the next Sync.
func (k *Sink[M]) adopt(row Row, f *ofconn.FlowStats, v ofgroup.Version) {
	h := &held{id: row.ID}
	actions := outputs(row.ID, k.also(row.Group))
	if f.Does(v, actions...) && f.IdleTimeout == 0 && f.HardTimeout == 0 {
		h.flow = ofgroup.ActionsText(actions...)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.entries[row.Group] == nil {
		k.entries[row.Group] = entry{}
	}
	k.entries[row.Group][row.Source] = h
}
