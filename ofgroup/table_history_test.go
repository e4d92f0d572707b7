package ofgroup_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofgrouptest"
)

// fate is what becomes of one message in a history.
type fate struct {
	err             error
	applied, queued bool // at once; later, but before whatever comes next
}

var fates = []fate{
	{applied: true}, {applied: true}, {applied: true}, {applied: true},
	{applied: true, err: context.DeadlineExceeded}, // the answer is late
	{queued: true, err: context.DeadlineExceeded},  // the switch is
	{err: errors.New("lost")},
	{err: refusedWith(14)},
	{err: ofgroup.NotSent(context.Canceled)},
	{applied: true, err: ofgroup.ErrDisconnected},
	{err: ofgroup.ErrDisconnected},
	{err: ofgroup.NotSent(ofgroup.ErrDisconnected)},
}

// history is a table, and an in-process switch that it reaches by a Sender whose messages
// have the fates that are drawn. Over 1.3 the switch gets what 1.5 has for it.
type history struct {
	*rapid.T
	version ofgroup.Version
	sw      *ofgrouptest.Switch
	table   *ofgroup.Table
	used    map[ofgroup.ID]map[ofgroup.BucketID]string // by which key, in a group's life

	// fate is that of all messages of a group in a step, decided before, as a replay sends
	// several at a time in no order.
	fate map[ofgroup.ID]fate

	mu     sync.Mutex
	queued []*ofgroup.Mod
}

func (h *history) Version() ofgroup.Version { return h.version }

func (h *history) Send(_ context.Context, m *ofgroup.Mod) (ofgroup.Receipt, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.flush()
	f := h.fate[m.Group().ID()]
	switch {
	case f.queued:
		h.queued = append(h.queued, m)
	case f.applied:
		if err := h.obey(m); err != nil {
			return ofgroup.Receipt{}, err
		}
	}
	return ofgroup.Receipt{Confirmed: f.err == nil}, f.err
}

// flush has the switch catch up.
func (h *history) flush() {
	for _, m := range h.queued {
		_ = h.obey(m)
	}
	h.queued = nil
}

// obey is the switch's answer. It is never that a group or bucket is there already, or is
// not, for the table knows, or asks in a way that does not depend on it.
func (h *history) obey(m *ofgroup.Mod) error {
	if h.version == ofgroup.OpenFlow13 {
		var err error
		if m, err = m.Group().Mod(m.Command(), ofgroup.OpenFlow15); err != nil {
			return err
		}
	}
	err := h.sw.Preload(m)
	if err != nil {
		h.Fatalf("%v: %v", m, err)
	}
	if m.Command() == ofgroup.Delete {
		delete(h.used, m.Group().ID())
	}
	if h.version == ofgroup.OpenFlow15 {
		h.checkNumbers(m.Group())
	}
	return err
}

// checkNumbers asks that no number goes from one key to another while the switch has the
// group.
func (h *history) checkNumbers(g ofgroup.Group) {
	used := h.used[g.ID()]
	if used == nil {
		used = make(map[ofgroup.BucketID]string)
		h.used[g.ID()] = used
	}
	for b := range g.Buckets() {
		key, keyed := b.Key()
		number, numbered := b.ID()
		if !keyed || !numbered {
			continue
		}
		if by, again := used[number]; again && by != key {
			h.Fatalf("bucket %v of %v was that of key %v", number, g, by)
		}
		used[number] = key
	}
}

// listing is what the switch describes, in the history's version.
func (h *history) listing() []ofgroup.Group {
	h.flush()
	all, err := h.sw.Groups()
	if err != nil {
		h.Fatal(err)
	}
	return h.described(all...)
}

// described is what the history's version has of groups.
func (h *history) described(all ...ofgroup.Group) []ofgroup.Group {
	var body []byte
	var err error
	for _, g := range all {
		if h.version == ofgroup.OpenFlow13 {
			g = withoutNumbers(g)
		}
		if body, err = ofgroup.AppendGroupDesc(body, h.version, g); err != nil {
			h.Fatal(err)
		}
	}
	if all, err = ofgroup.ParseGroupDesc(h.version, body); err != nil {
		h.Fatal(err)
	}
	return all
}

// same reports whether the switch has the buckets of g: in their order, unless they are a set.
func (h *history) same(g, held ofgroup.Group) bool {
	p, err := ofgroup.PlanReconcile(h.version, []ofgroup.Group{g}, h.described(held))
	return err == nil && p.Len() == 0
}

func withoutNumbers(g ofgroup.Group) ofgroup.Group {
	var bs []ofgroup.Bucket
	for b := range g.Buckets() {
		w, weighted := b.Weight()
		n := ofgroup.NewBucket(slices.Collect(b.Actions())...)
		if weighted {
			n = n.WithWeight(w)
		}
		bs = append(bs, n)
	}
	return g.WithBuckets(bs...)
}

const historyIDs = 4

func (h *history) anyID() ofgroup.ID {
	return ofgroup.ID(rapid.IntRange(1, historyIDs).Draw(h.T, "id"))
}

// anyGroup has keys but for the ID 3, and is a select group for the ID 4.
func (h *history) anyGroup(id ofgroup.ID) ofgroup.Group {
	g := ofgroup.New(id, ofgroup.All)
	if id == 4 {
		g = ofgroup.New(id, ofgroup.Select)
	}
	for _, p := range rapid.SliceOfNDistinct(rapid.IntRange(1, 5), 0, 5, rapid.ID[int]).Draw(h.T, "ports") {
		b := ofgroup.NewBucket(ofgroup.Set(ofgroup.Reg(1).Bits(0, 3), rapid.IntRange(0, 1).Draw(h.T, "value")),
			ofgroup.Set(ofgroup.Reg(1).Bits(8, 9), 2), ofgroup.Output(ofgroup.Port(p)))
		if id != 3 {
			b = b.WithKey(fmt.Sprint(p))
		}
		g = g.AddBuckets(b)
	}
	return g
}

// step is one thing that happens.
func (h *history) step() {
	for id := range ofgroup.ID(historyIDs) {
		h.fate[id+1] = rapid.SampledFrom(fates).Draw(h.T, "fate")
	}
	ctx, id := context.Background(), h.anyID()
	switch rapid.IntRange(0, 13).Draw(h.T, "step") {
	case 0, 1:
		_, _ = h.table.Commit(ctx, h.anyGroup(id))
	case 2, 3:
		_, _ = h.table.Sync(ctx, h.anyGroup(id))
	case 4, 5:
		more := h.anyGroup(id)
		_ = h.table.Update(ctx, id, func(old ofgroup.Group, _ bool) (ofgroup.Group, error) {
			if old.Len() > 0 || more.Len() == 0 {
				return h.anyGroup(id), nil
			}
			return more.WithBuckets(more.Bucket(0)), nil
		})
	case 6:
		_ = h.table.Delete(ctx, id)
	case 7:
		_ = h.table.Replay(ctx, h)
	case 8:
		h.table.Adopt(h.listing(), ofgroup.Full)
	case 9:
		h.table.Adopt(h.listing(), ofgroup.Partial)
	case 10: // the switch restarts
		h.queued = nil
		h.sw.Restart()
		h.table.Invalidate()
		clear(h.used)
	case 11: // the agent does
		h.flush()
		h.table = ofgroup.NewTable(h, ofgroup.TableConfig{Owns: under(100)})
		clear(h.used)
	case 12:
		h.foreign(h.anyGroup(id))
	case 13:
		h.plan()
	}
}

// foreign is a change by somebody else, who tells.
func (h *history) foreign(g ofgroup.Group) {
	h.flush()
	cmd := rapid.SampledFrom([]ofgroup.Command{ofgroup.AddOrMod, ofgroup.Delete}).Draw(h.T, "foreign")
	m, err := g.Mod(cmd, ofgroup.OpenFlow15)
	if err == nil {
		err = h.sw.Preload(m)
	}
	if err != nil {
		h.Fatal(err)
	}
	h.table.InvalidateBy(m)
	delete(h.used, g.ID())
}

// plan reads what there is and carries out, as far as it goes, what leads elsewhere.
func (h *history) plan() {
	held := h.listing()
	h.table.Adopt(held, ofgroup.Full)
	var desired []ofgroup.Group
	for id := range ofgroup.ID(historyIDs) {
		if rapid.Bool().Draw(h.T, "desired") {
			desired = append(desired, h.anyGroup(id+1))
		}
	}
	p, err := ofgroup.PlanReconcile(h.version, desired, held)
	if err != nil {
		h.Fatal(err)
	}
	outcomes, err := h.table.Apply(context.Background(), p)
	for _, o := range outcomes {
		if o.Err != nil && err == nil {
			h.Fatalf("%v: %v, and Apply said nothing", o.Step, o.Err)
		}
	}
}

// check asks that what the table is sure of is so.
func (h *history) check() {
	for id := range ofgroup.ID(historyIDs) {
		g, state := h.table.Lookup(id + 1)
		held, there, err := h.sw.Group(id + 1)
		if err != nil {
			h.Fatal(err)
		}
		agree := there && h.same(g, held) && (h.version == ofgroup.OpenFlow13 || held.Equal(g))
		if state == ofgroup.Held && !agree || state == ofgroup.Absent && there {
			h.Fatalf("group %v is %v:\ntable  %v\nswitch %v", id+1, state, g, held)
		}
	}
}

// Whatever happens, in any order: afterwards one Sync of each group makes table and switch
// agree, in the numbers of buckets as well.
func TestAfterAnyHistoryOneSyncMakesTableAndSwitchAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := &history{T: t, used: make(map[ofgroup.ID]map[ofgroup.BucketID]string), fate: make(map[ofgroup.ID]fate)}
		for id := range ofgroup.ID(historyIDs) {
			h.fate[id+1] = fates[0]
		}
		h.version = rapid.SampledFrom([]ofgroup.Version{ofgroup.OpenFlow15, ofgroup.OpenFlow15, ofgroup.OpenFlow13}).Draw(t, "version")
		h.sw = ofgrouptest.NewSwitch(ofgrouptest.SwitchConfig{})
		defer h.sw.Close()
		h.table = ofgroup.NewTable(h, ofgroup.TableConfig{Owns: under(100)})
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			h.step()
			h.check()
		}
		h.flush()
		for id := range h.fate {
			h.fate[id] = fates[0]
		}
		var keep []ofgroup.ID
		for id := ofgroup.ID(1); id <= historyIDs; id++ {
			g := h.anyGroup(id)
			if _, err := h.table.Sync(context.Background(), g); err != nil {
				t.Fatal(err)
			}
			h.check()
			h.requireWanted(g)
			if sent, err := h.table.Sync(context.Background(), g); sent || err != nil {
				t.Fatal("twice is once", sent, err)
			}
			keep = append(keep, id)
		}
		if gone, err := h.table.Prune(context.Background(), func(yield func(ofgroup.ID) bool) { yield(keep[0]) }); err != nil || len(gone) != historyIDs-1 {
			t.Fatal(gone, err)
		}
		h.check()
	})
}

// requireWanted asks that the switch holds the buckets of g.
func (h *history) requireWanted(g ofgroup.Group) {
	held, _, err := h.sw.Group(g.ID())
	known, state := h.table.Lookup(g.ID())
	if err != nil || state != ofgroup.Held || held.Len() != g.Len() || !h.same(g, held) {
		h.Fatalf("wanted %v\nswitch %v\ntable  %v %v, %v", g, held, state, known, err)
	}
}
