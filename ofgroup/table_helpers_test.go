package ofgroup_test

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
	"github.com/ofmcast/ofmcast/ofgroup/ofgrouptest"
)

// toPorts is a group with a bucket for each port.
func toPorts(id ofgroup.ID, typ ofgroup.Type, ports ...ofgroup.Port) ofgroup.Group {
	g := ofgroup.New(id, typ)
	for _, p := range ports {
		g = g.AddBuckets(ofgroup.NewBucket(ofgroup.Output(p)).WithID(ofgroup.BucketID(p)))
	}
	return g
}

// switchAndSession are an in-process switch and a connection to it.
func switchAndSession(tb testing.TB) (*ofgrouptest.Switch, *ofconn.Session) {
	tb.Helper()
	sw := ofgrouptest.NewSwitch(ofgrouptest.SwitchConfig{})
	tb.Cleanup(func() { require.NoError(tb, sw.Close()) })
	return sw, connect(tb, sw)
}

func connect(tb testing.TB, sw *ofgrouptest.Switch) *ofconn.Session {
	tb.Helper()
	s, err := ofconn.Open(tb.Context(), ofconn.Config{Dial: sw.Dial})
	require.NoError(tb, err)
	tb.Cleanup(func() { require.NoError(tb, s.Close()) })
	return s
}

// requireHolds asks that the switch holds exactly g under its ID.
func requireHolds(tb testing.TB, sw *ofgrouptest.Switch, g ofgroup.Group) {
	tb.Helper()
	held, ok, err := sw.Group(g.ID())
	require.NoError(tb, err)
	require.True(tb, ok, "switch has no group %v", g.ID())
	require.True(tb, g.Equal(held), "want %v\nhave %v", g, held)
}

// received are the GROUP_MODs that reached the switch, decoded.
func received(tb testing.TB, sw *ofgrouptest.Switch) []*ofgroup.Mod {
	tb.Helper()
	var mods []*ofgroup.Mod
	for _, l := range sw.GroupModLog() {
		mods = append(mods, decode(tb, l.Message))
	}
	return mods
}

func requireState(tb testing.TB, want ofgroup.State, t *ofgroup.Table, id ofgroup.ID) {
	tb.Helper()
	_, got := t.Lookup(id)
	require.Equal(tb, want, got)
}

// scripted is a Sender whose deliveries end as the test says.
type scripted struct {
	answer func(context.Context, *ofgroup.Mod) (ofgroup.Receipt, error)

	mu   sync.Mutex
	mods []*ofgroup.Mod
}

func (s *scripted) Version() ofgroup.Version { return ofgroup.OpenFlow15 }

func (s *scripted) Send(ctx context.Context, m *ofgroup.Mod) (ofgroup.Receipt, error) {
	s.mu.Lock()
	s.mods = append(s.mods, m)
	s.mu.Unlock()
	return s.answer(ctx, m)
}

// last is the newest message, and how many there were.
func (s *scripted) last() (*ofgroup.Mod, int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.mods) == 0 {
		return nil, 0
	}
	return s.mods[len(s.mods)-1], len(s.mods)
}

// ending is a Sender all of whose deliveries end alike.
func ending(r ofgroup.Receipt, err error) *scripted {
	return &scripted{answer: func(context.Context, *ofgroup.Mod) (ofgroup.Receipt, error) { return r, err }}
}

// then makes later deliveries end so.
func (s *scripted) then(r ofgroup.Receipt, err error) {
	s.answer = func(context.Context, *ofgroup.Mod) (ofgroup.Receipt, error) { return r, err }
}

func refusedWith(code uint16) error { return &ofgroup.SwitchError{Type: 6, Code: code} }
