package ofgroup_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/ofmcast/ofmcast/ofgroup"
)

// deliveryEnd is how the model's next delivery ends.
type deliveryEnd struct {
	name    string
	receipt ofgroup.Receipt
	err     error
	applied bool // the switch obeys, if its rules let it
	after   func(modelGroup, ofgroup.Command, ofgroup.Group) modelGroup
}

// modelGroup is all there is to know of one ID.
type modelGroup struct {
	state ofgroup.State
	group ofgroup.Group
	has   bool

	failed, written bool // how a delete ended that nobody confirmed
	kept            bool // though absent: its owner does not know yet
}

var deliveryEnds = []deliveryEnd{
	{"confirmed", confirmed, nil, true, func(_ modelGroup, c ofgroup.Command, g ofgroup.Group) modelGroup {
		if c == ofgroup.Delete {
			return modelGroup{state: ofgroup.Absent}
		}
		return modelGroup{state: ofgroup.Held, group: g, has: true}
	}},
	{"written", ofgroup.Receipt{}, nil, true, func(_ modelGroup, c ofgroup.Command, g ofgroup.Group) modelGroup {
		if c == ofgroup.Delete {
			return modelGroup{written: true}
		}
		return modelGroup{state: ofgroup.Assumed, group: g, has: true}
	}},
	{"lost after the switch obeyed", ofgroup.Receipt{}, errors.New("lost"), true, inDoubt},
	{"lost on the way", ofgroup.Receipt{}, errors.New("lost"), false, inDoubt},
	{"cut off", ofgroup.Receipt{}, ofgroup.ErrDisconnected, true, cutOff},
	{"not connected", ofgroup.Receipt{}, ofgroup.NotSent(ofgroup.ErrDisconnected), false, asBefore},
	{"refused", ofgroup.Receipt{}, refusedWith(14), false, asBefore},
	{"not sent", ofgroup.Receipt{}, ofgroup.NotSent(context.Canceled), false, asBefore},
}

func inDoubt(old modelGroup, c ofgroup.Command, _ ofgroup.Group) modelGroup {
	return modelGroup{group: old.group, has: old.has, failed: c == ofgroup.Delete}
}

func cutOff(old modelGroup, _ ofgroup.Command, _ ofgroup.Group) modelGroup {
	old.state, old.kept = ofgroup.Unknown, false
	return old
}

func asBefore(old modelGroup, _ ofgroup.Command, _ ofgroup.Group) modelGroup { return old }

// modelSwitch obeys by the rules of GROUP_MOD, and fails the test at a command that a real
// switch would refuse: the table is never to send one, whatever happened before.
type modelSwitch struct {
	mu    sync.Mutex // a replay sends many at a time
	held  map[ofgroup.ID]ofgroup.Group
	end   deliveryEnd
	mods  []*ofgroup.Mod
	wrong string
}

func (s *modelSwitch) Version() ofgroup.Version { return ofgroup.OpenFlow15 }

func (s *modelSwitch) Send(_ context.Context, m *ofgroup.Mod) (ofgroup.Receipt, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mods = append(s.mods, m)
	id := m.Group().ID()
	_, has := s.held[id]
	switch c := m.Command(); {
	case c == ofgroup.Add && has:
		s.wrong = fmt.Sprintf("ADD of group %v, which is there", id)
	case c == ofgroup.Modify && !has:
		s.wrong = fmt.Sprintf("MODIFY of group %v, which is not there", id)
	case !s.end.applied:
	case c == ofgroup.Delete:
		delete(s.held, id)
	default:
		s.held[id] = m.Group()
	}
	return s.end.receipt, s.end.err
}

// Against random histories: the table's state is the model's, a call is the one message the
// state asks for, no message is refused by a switch that nobody else changes, and what the
// table calls held or absent is so.
func TestTableAgreesWithAnObviousModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sw := &modelSwitch{held: make(map[ofgroup.ID]ofgroup.Group)}
		table := ofgroup.NewTable(sw, ofgroup.TableConfig{})
		model := make(map[ofgroup.ID]modelGroup)
		for range rapid.IntRange(1, 40).Draw(t, "calls") {
			id := ofgroup.ID(rapid.IntRange(1, 3).Draw(t, "id"))
			sw.end = rapid.SampledFrom(deliveryEnds).Draw(t, "end")
			sw.mods = nil
			if rapid.IntRange(0, 9).Draw(t, "disconnect") == 0 {
				table.Invalidate()
				invalidate(model)
			}
			if rapid.IntRange(0, 9).Draw(t, "replay") == 0 {
				modelReplay(t, table, sw, model)
				checkModel(t, table, sw, model)
				continue
			}
			want, commands := modelCall(t, table, model[id], id, sw.end)
			model[id] = want
			if len(sw.mods) > 0 && errors.Is(sw.end.err, ofgroup.ErrDisconnected) {
				invalidate(model)
			}
			if len(sw.mods) != len(commands) || len(commands) == 1 && sw.mods[0].Command() != commands[0] {
				t.Fatalf("sent %v, the model %v", sw.mods, commands)
			}
			checkModel(t, table, sw, model)
		}
	})
}

// modelCall draws one call, makes it, and says what the model makes of it.
func modelCall(t *rapid.T, table *ofgroup.Table, old modelGroup, id ofgroup.ID, end deliveryEnd) (modelGroup, []ofgroup.Command) {
	ctx := context.Background()
	g := toPorts(id, ofgroup.All, ofgroup.Port(rapid.IntRange(1, 3).Draw(t, "port")))
	switch rapid.SampledFrom([]string{"commit", "sync", "update", "delete", "forget"}).Draw(t, "call") {
	case "commit":
		_, _ = table.Commit(ctx, g)
	case "sync":
		_, _ = table.Sync(ctx, g)
		if known(old) && old.group.Equal(g) {
			return old, nil
		}
	case "update":
		_ = table.Update(ctx, id, func(got ofgroup.Group, ok bool) (ofgroup.Group, error) {
			if ok != old.has || ok && !got.Equal(old.group) {
				t.Errorf("update got %v, %v", got, ok)
			}
			return g, nil
		})
		if known(old) && old.group.Equal(g) {
			return old, nil
		}
	case "delete":
		_ = table.Delete(ctx, id)
		if old.state == ofgroup.Absent {
			return modelGroup{state: ofgroup.Absent}, nil
		}
		return end.after(old, ofgroup.Delete, g), []ofgroup.Command{ofgroup.Delete}
	default:
		table.Forget(id)
		if old.state == ofgroup.Absent && !old.kept {
			return old, nil // it was let go already, and the allocator knows
		}
		return modelGroup{}, nil
	}
	c := nextCommand[old.state]
	return end.after(old, c, g), []ofgroup.Command{c}
}

// modelReplay makes a replay, all of whose deliveries end alike.
func modelReplay(t *rapid.T, table *ofgroup.Table, sw *modelSwitch, model map[ofgroup.ID]modelGroup) {
	invalidate(model)
	err := table.Replay(context.Background(), sw)
	want := make(map[ofgroup.ID]ofgroup.Command)
	for id, old := range model {
		c := ofgroup.AddOrMod
		switch {
		case old.failed || old.written:
			c = ofgroup.Delete
		case !old.has:
			continue
		}
		want[id] = c
		model[id] = sw.end.after(old, c, old.group)
		if m := model[id]; m.state == ofgroup.Absent {
			m.kept = old.failed
			model[id] = m
		}
	}
	for _, m := range sw.mods {
		if c, ok := want[m.Group().ID()]; !ok || c != m.Command() {
			t.Fatalf("replay sent %v, the model %v", m, c)
		}
		delete(want, m.Group().ID())
	}
	lost := errors.Is(sw.end.err, ofgroup.ErrDisconnected)
	if len(want) > 0 && !lost || (err == nil) != (sw.end.err == nil || len(sw.mods) == 0) {
		t.Fatalf("replay left out %v, %v", want, err)
	}
	if lost {
		invalidate(model)
	}
}

func invalidate(model map[ofgroup.ID]modelGroup) {
	for id, m := range model {
		m.state, m.kept = ofgroup.Unknown, false
		model[id] = m
	}
}

func known(m modelGroup) bool { return m.state == ofgroup.Held || m.state == ofgroup.Assumed }

func checkModel(t *rapid.T, table *ofgroup.Table, sw *modelSwitch, model map[ofgroup.ID]modelGroup) {
	if sw.wrong != "" {
		t.Fatal(sw.wrong)
	}
	for id, m := range model {
		g, state := table.Lookup(id)
		if state != m.state || m.has && !g.Equal(m.group) {
			t.Fatalf("group %v: table says %v %v, the model %v %v", id, state, g, m.state, m.group)
		}
		held, has := sw.held[id]
		if state == ofgroup.Held && (!has || !held.Equal(g)) || state == ofgroup.Absent && has {
			t.Fatalf("group %v is %v as %v, and the switch holds %v", id, state, g, held)
		}
	}
}
