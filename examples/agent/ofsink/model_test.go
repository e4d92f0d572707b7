package ofsink_test

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/ofmcast/ofmcast/examples/agent/ofsink"
	"github.com/ofmcast/ofmcast/mcast"
	"github.com/ofmcast/ofmcast/ofgroup"
)

const (
	routerGroup    = ofgroup.ID(4)
	routerPort     = ofgroup.Port(4)
	gatewayOfModel = ofgroup.Port(5)
)

var modelLayout = ofsink.Layout{Table: 101, Priority: 100, Cookie: 0x6f666d63 << 32, Segment: ofgroup.Reg(0)}

// modelMember is a host; of two behind one port each has a filter of its own, so that rows of different
// members can have equal buckets.
type modelMember struct {
	Port ofgroup.Port
	Host int
}

var (
	modelMembers = []modelMember{{1, 1}, {1, 2}, {2, 1}, {3, 1}, {routerPort, 1}, {gatewayOfModel, 1}}
	modelGroups  = []mcast.Group{group, {Addr: group.Addr, Segment: 10}}
	modelSources = []netip.Addr{s1, s1.Next(), s1.Next().Next()}
	// A packet may also come from somebody whom no member ever names.
	modelSenders = append(modelSources[:3:3], netip.MustParseAddr("198.51.100.99"))
)

// forwarding is how often each port gets a packet, by sender.
type forwarding map[netip.Addr]map[ofgroup.Port]int

// model plays a history of reports on a sink behind a switch on which messages fail.
type model struct {
	t          *rapid.T
	sw         *modelSwitch
	cache      *mcast.Cache[modelMember]
	sink       *ofsink.Sink[modelMember]
	table      *ofgroup.Table
	handle     *mcast.Handle[modelMember]
	maxSources int
	failing    bool
	now        time.Time

	// Of the Sync under way.
	group        mcast.Group
	before, then forwarding

	fault error // the last expectation that was not met: the cache would survive a panic
}

func newModel(t *rapid.T) *model {
	m := &model{t: t, sw: newModelSwitch(), now: start, maxSources: rapid.SampledFrom([]int{0, 0, 1, -1}).Draw(t, "max sources")}
	m.sw.fate = m.fate
	m.sw.changed = m.check
	m.cache = mcast.New(mcast.Config[modelMember]{Leave: func(modelMember) mcast.LeavePolicy { return mcast.Immediate }})
	m.newAgent()
	return m
}

// newAgent begins as an agent does: it knows nothing of the switch, and takes over what is there.
func (m *model) newAgent() {
	m.table = ofgroup.NewTable(m.sw, ofgroup.TableConfig{IDs: ofgroup.NewIDAllocator(1000, 1099)})
	m.sink = ofsink.New(ofsink.Config[modelMember]{
		Table: m.table, Flows: m.sw, Layout: modelLayout, MaxSources: m.maxSources,
		Bucket: func(_ mcast.Group, h modelMember) (ofgroup.Bucket, bool) {
			return ofsink.Output(h.Port), h.Port != routerPort
		},
		Common: func(mcast.Group) []ofgroup.Bucket { return []ofgroup.Bucket{ofsink.Output(gatewayOfModel)} },
		Also:   func(mcast.Group) []ofgroup.ID { return []ofgroup.ID{routerGroup} },
	})
	require.NoError(m.t, m.sink.Adopt(context.Background(), m.sw, func(id ofgroup.ID) bool { return id >= 1000 }))
	var err error
	m.handle, err = m.cache.AddSink("model", expecting{m}, mcast.SinkConfig{
		MinInterval: -1, MinRetry: time.Second, MaxRetry: time.Second, Timeout: -1,
		Jitter: func(d time.Duration) time.Duration { return d },
	})
	require.NoError(m.t, err)
}

// expecting is the model's sink with the expectations around it.
type expecting struct{ m *model }

func (e expecting) Sync(ctx context.Context, s mcast.State[modelMember]) error {
	return e.m.sync(ctx, s)
}

func (e expecting) Prune(ctx context.Context, keep iter.Seq[mcast.Group]) error {
	return e.m.sink.Prune(ctx, keep)
}

// fate lets some messages fail while failing is set.
func (m *model) fate() fate {
	if !m.failing {
		return obeyed
	}
	return rapid.SampledFrom([]fate{obeyed, obeyed, obeyed, refused, unsent, lost, late}).Draw(m.t, "fate")
}

// forwarded is what the switch does with the packets of a group.
func (m *model) forwarded(g mcast.Group) forwarding {
	f := forwarding{}
	for _, sender := range modelSenders {
		f[sender] = m.sw.copies(g, sender)
	}
	return f
}

// wanted is what it shall do, once for each port, by the state's own words.
func (m *model) wanted(s mcast.State[modelMember]) forwarding {
	everybody := map[ofgroup.Port]int{}
	for member := range s.Members() {
		everybody[member.Port] = 1
	}
	rows := map[netip.Addr]map[ofgroup.Port]int{}
	for source, members := range s.Forwarding() {
		rows[source] = map[ofgroup.Port]int{}
		for member := range members {
			rows[source][member.Port] = 1
		}
	}
	f := forwarding{}
	for _, sender := range modelSenders {
		row, ok := rows[sender]
		if !ok {
			row = rows[netip.Addr{}]
		}
		if m.maxSources < 0 {
			row = everybody
		}
		f[sender] = map[ofgroup.Port]int{gatewayOfModel: 1, routerPort: 1}
		maps.Copy(f[sender], row)
	}
	return f
}

// sync is the sink with the expectations around it.
func (m *model) sync(ctx context.Context, s mcast.State[modelMember]) error {
	m.group, m.before, m.then = s.Group(), m.forwarded(s.Group()), m.wanted(s)
	err := m.sink.Sync(ctx, s)
	if now := m.forwarded(s.Group()); err == nil && !m.right(s, now) {
		m.fault = fmt.Errorf("after %v: %v, want %v", s, now, m.then)
	}
	m.group = mcast.Group{}
	return err
}

// right says whether the switch does what it shall: to the letter, or, where there is room for one source,
// that nobody misses anything, and those get nothing else who name no source or are alone in naming one.
func (m *model) right(s mcast.State[modelMember], now forwarding) bool {
	want := m.wanted(s)
	if m.maxSources != 1 {
		return assert.ObjectsAreEqual(want, now)
	}
	exact := map[ofgroup.Port]bool{} // unless another member shares the port
	for member, f := range s.All() {
		_, shared := exact[member.Port]
		exact[member.Port] = !shared && (f.Len() == 0 || f.Len() == 1 && s.Len() == 1)
	}
	for _, sender := range modelSenders {
		for p := ofgroup.Port(1); p <= gatewayOfModel; p++ {
			if want, now := want[sender][p], now[sender][p]; now < want || exact[p] && now != want {
				return false
			}
		}
	}
	return true
}

// check: in the middle of a Sync, whoever got a source's packets before and shall get them gets each of
// them once, and nobody gets what he did not get before and shall not get, unless there are too many
// sources.
func (m *model) check() {
	if m.group == (mcast.Group{}) {
		return
	}
	now := m.forwarded(m.group)
	for _, sender := range modelSenders {
		for p := ofgroup.Port(1); p <= gatewayOfModel; p++ {
			before, then, n := m.before[sender][p], m.then[sender][p], now[sender][p]
			lost, unwanted := before+then == 2 && n == 0, before+then == 0 && n > 0 && m.maxSources != 1
			if lost || unwanted || n > 1 {
				m.fault = fmt.Errorf("port %d gets %d copies of what %v sends; before %d, then %d", p, n, sender, before, then)
			}
		}
	}
}

// restart is another process, with the memberships of the one before or without.
func (m *model) restart(t *rapid.T) {
	require.NoError(t, m.handle.Remove(context.Background()))
	if rapid.Bool().Draw(t, "forgetful") {
		m.cache = mcast.New(mcast.Config[modelMember]{Leave: func(modelMember) mcast.LeavePolicy { return mcast.Immediate }})
		m.cache.Advance(m.now)
	}
	m.newAgent()
}

// report is what a host says.
func (m *model) report(t *rapid.T) {
	kind := mcast.Kind(rapid.IntRange(1, 6).Draw(t, "kind"))
	r := mcast.Report[modelMember]{
		Group:  rapid.SampledFrom(modelGroups).Draw(t, "group"),
		Member: rapid.SampledFrom(modelMembers).Draw(t, "member"),
		Kind:   kind, At: m.now,
	}
	for _, s := range modelSources {
		if rapid.Bool().Draw(t, fmt.Sprint("source ", s)) {
			r.Sources = append(r.Sources, s)
		}
	}
	require.NoError(t, m.cache.Apply(r))
}

// flush lets the cache call the sink, as it does all the time.
func (m *model) flush() {
	m.now = m.now.Add(time.Second)
	m.cache.Advance(m.now)
	err := m.cache.Flush(context.Background())
	require.NoError(m.t, m.fault)
	if !m.failing {
		require.NoError(m.t, err)
	}
}

// reconnect does what OnConnect does, after a switch that was restarted or merely away.
func (m *model) reconnect(t *rapid.T) {
	if rapid.Bool().Draw(t, "restarted") {
		m.sw.reset()
	}
	m.table.Invalidate()
	failing := m.failing
	m.failing = false // a replay that fails is made again
	require.NoError(t, m.table.Replay(context.Background(), m.sw))
	require.NoError(t, m.sink.ReplayFlows(context.Background(), m.sw))
	m.failing = failing
}

// deleteGroup is what somebody else does to a group of ours, and the table hears of.
func (m *model) deleteGroup(t *rapid.T) {
	id := ofgroup.ID(rapid.IntRange(1000, 1003).Draw(t, "group"))
	mod, err := ofgroup.New(id, ofgroup.All).Mod(ofgroup.Delete, ofgroup.OpenFlow15)
	require.NoError(t, err)
	require.NoError(t, m.sw.groupMod(mod))
	m.table.InvalidateBy(mod)
	m.handle.Resync()
}

func TestWhateverHappensTheSwitchForwardsAsTheCacheSays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := newModel(t)
		t.Repeat(map[string]func(*rapid.T){
			"report":    m.report,
			"report2":   m.report,
			"flush":     func(*rapid.T) { m.flush() },
			"trouble":   func(t *rapid.T) { m.failing = rapid.Bool().Draw(t, "failing") },
			"reconnect": m.reconnect,
			"delete":    m.deleteGroup,
			"restart":   m.restart,
		})
		m.failing = false
		for range 3 { // what failed is tried again
			m.flush()
		}
		for s := range m.cache.Groups() {
			require.True(t, m.right(s, m.forwarded(s.Group())), "at the end: %v", s)
		}
		for _, member := range modelMembers {
			m.cache.RemoveMember(member, m.now)
		}
		m.flush()
		require.Empty(t, m.sw.flows)
		require.Len(t, m.sw.groups, 1, "the host's own")
	})
}
