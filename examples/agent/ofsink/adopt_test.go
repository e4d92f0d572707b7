package ofsink_test

import (
	"context"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/examples/agent/ofsink"
	"github.com/ofmcast/ofmcast/internal/ovslab"
	"github.com/ofmcast/ofmcast/mcast"
	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
)

// process is what an agent has of its own: it ends with the agent.
type process struct {
	*ofconn.Session
	sink             *ofsink.Sink[ofgroup.Port]
	groupMods, flows atomic.Int64
	meddle           func() // before a flow is sent, if set
}

// startProcess begins on a switch as an agent does.
func startProcess(t *testing.T, lab *ovslab.Lab, v ofgroup.Version) *process {
	t.Helper()
	session, err := ofconn.Open(t.Context(), ofconn.Config{Dial: lab.Dial, Versions: []ofgroup.Version{v}})
	require.NoError(t, err)
	t.Cleanup(func() { _ = session.Close() })
	p := &process{Session: session}
	l := layout
	l.Segment = ofgroup.Reg(0)
	cfg := ofsink.Config[ofgroup.Port]{
		Table: ofgroup.NewTable(p, ofgroup.TableConfig{IDs: ofgroup.NewIDAllocator(1000, 1099)}),
		Flows: p, Layout: l, Bucket: ofsink.ToPort, Common: toGateway,
	}
	if v == ofgroup.OpenFlow13 { // where buckets have no numbers
		output := func(p ofgroup.Port) ofgroup.Bucket { return ofgroup.NewBucket(ofgroup.Output(p)) }
		cfg.Bucket = func(_ mcast.Group, p ofgroup.Port) (ofgroup.Bucket, bool) { return output(p), true }
		cfg.Common = func(mcast.Group) []ofgroup.Bucket { return []ofgroup.Bucket{output(gateway)} }
	}
	p.sink = ofsink.New(cfg)
	require.NoError(t, p.sink.Adopt(t.Context(), session, func(id ofgroup.ID) bool { return id >= 1000 && id < 1100 }))
	return p
}

func (p *process) Send(ctx context.Context, m *ofgroup.Mod) (ofgroup.Receipt, error) {
	p.groupMods.Add(1)
	return p.Session.Send(ctx, m)
}

func (p *process) SendMessage(ctx context.Context, m ofconn.Message) (ofgroup.Receipt, error) {
	p.flows.Add(1)
	if p.meddle != nil {
		p.meddle()
	}
	return p.Session.SendMessage(ctx, m)
}

// sent is how many messages of either kind there were.
func (p *process) sent() [2]int64 { return [2]int64{p.groupMods.Load(), p.flows.Load()} }

// filteredState has port 1 in EXCLUDE mode, with or without blocked sources, and port 2 for one source.
func filteredState(t *testing.T, g mcast.Group, blocked ...netip.Addr) mcast.State[ofgroup.Port] {
	t.Helper()
	cache := mcast.New(mcast.Config[ofgroup.Port]{})
	for _, r := range []mcast.Report[ofgroup.Port]{
		{Group: g, Member: 1, Kind: mcast.ChangeToExclude, Sources: blocked, At: start},
		{Group: g, Member: 2, Kind: mcast.ChangeToInclude, Sources: []netip.Addr{s1}, At: start},
	} {
		require.NoError(t, cache.Apply(r))
	}
	s, _ := cache.Lookup(g)
	return s
}

func TestAProcessThatStartsAgainGoesOnWithWhatIsThere(t *testing.T) {
	for _, v := range []ofgroup.Version{ofgroup.OpenFlow15, ofgroup.OpenFlow13} {
		t.Run(v.String(), func(t *testing.T) {
			lab := ovslab.New(t, ovslab.Config{Ports: []string{"p1", "p2", "gw"}})
			tagged := mcast.Group{Addr: group.Addr, Segment: 10}
			six := mcast.Group{Addr: netip.MustParseAddr("ff3e::8000:1")}
			states := []mcast.State[ofgroup.Port]{filteredState(t, group, s1.Next()), stateOf(t, tagged, 1, 2), stateOf(t, six, 2)}
			first := startProcess(t, lab, v)
			for _, s := range states {
				require.NoError(t, first.sink.Sync(t.Context(), s))
			}
			require.NoError(t, first.Close())
			flows, groups := dumpFlows(t, lab), dumpGroups(t, lab)
			require.Len(t, flows, 5)

			second := startProcess(t, lab, v)
			require.Equal(t, first.sink.Rows(), second.sink.Rows())
			for _, s := range states {
				require.NoError(t, second.sink.Sync(t.Context(), s))
			}
			require.Zero(t, second.sent(), "nothing has changed")
			require.Equal(t, flows, dumpFlows(t, lab))
			require.Equal(t, groups, dumpGroups(t, lab))

			// A member fewer, then a source fewer, one more, and the last member.
			require.NoError(t, second.sink.Sync(t.Context(), stateOf(t, tagged, 2)))
			require.Equal(t, [2]int64{1, 0}, second.sent())
			require.NoError(t, second.sink.Sync(t.Context(), filteredState(t, group)))
			require.Equal(t, [2]int64{2, 0}, second.sent())
			require.NoError(t, second.sink.Sync(t.Context(), filteredState(t, group, s1.Prev())))
			require.Equal(t, [2]int64{3, 1}, second.sent())
			require.NoError(t, second.sink.Sync(t.Context(), emptyState(t, six)))
			require.Equal(t, [2]int64{4, 1}, second.sent())
			require.Len(t, dumpFlows(t, lab), 4)
		})
	}
}

func TestWhatStandsForNoGroupGoesWithPruneAndNothingElse(t *testing.T) {
	lab := ovslab.New(t, ovslab.Config{Ports: []string{"p1", "p2", "gw"}})
	first := startProcess(t, lab, ofgroup.OpenFlow15)
	for i := range 3 {
		require.NoError(t, first.sink.Sync(t.Context(), stateOf(t, groupNumber(i), 1)))
	}
	require.NoError(t, first.Close())
	for _, group := range []string{"group_id=1050", "group_id=4", "group_id=1100"} {
		_, err := lab.Ofctl(t.Context(), "add-group", lab.Mgmt(), group+",type=all,bucket=output:1")
		require.NoError(t, err)
	}
	foreign := []string{
		"cookie=0x3e8, table=101, priority=100,ip,reg0=0,nw_dst=239.9.9.9 actions=group:1000", // not our cookie
		"cookie=0x6f666d6300000000, table=101, priority=0,ip actions=group:4",                 // the host's own
		"cookie=0x6f666d64000003e8, table=101, priority=7,ip actions=group:4",
	}
	strays := []string{
		"cookie=0x6f666d63000003e8, table=102, priority=100,ip,nw_dst=239.1.2.0 actions=group:1000", // an older layout
		"cookie=0x6f666d63000003e8, table=101, priority=9,ip,reg0=0,nw_dst=239.1.2.9 actions=group:1000",
		"cookie=0x6f666d63000003e8, table=101, priority=100,ip,reg0=0,nw_dst=239.1.2.0/24 actions=group:1000",
		"cookie=0x6f666d6300000004, table=101, priority=100,ip,reg0=0,nw_dst=239.1.2.9 actions=group:4",
	}
	_, err := lab.OfctlInput(t.Context(), strings.ReplaceAll(strings.Join(append(strays, foreign...), "\n"), " actions", ",actions"), "add-flows", lab.Mgmt(), "-")
	require.NoError(t, err)

	second := startProcess(t, lab, ofgroup.OpenFlow15)
	require.NoError(t, second.sink.Sync(t.Context(), stateOf(t, groupNumber(0), 1)))
	require.Zero(t, second.sent())
	require.Len(t, dumpFlows(t, lab), 3+len(foreign)+len(strays), "until it is known that nobody wants them")
	require.NoError(t, second.sink.Prune(t.Context(), slices.Values([]mcast.Group{groupNumber(0)})))
	kept := append(foreign, "cookie=0x6f666d63000003e8, table=101, priority=100,ip,reg0=0,nw_dst=239.1.2.0 actions=group:1000")
	slices.Sort(kept)
	require.Equal(t, kept, dumpFlows(t, lab))
	require.Equal(t, []string{
		"group_id=1000,type=all,bucket=bucket_id:1,actions=output:1,bucket=bucket_id:3,actions=output:3",
		"group_id=1100,type=all,bucket=bucket_id:0,actions=output:1",
		"group_id=4,type=all,bucket=bucket_id:0,actions=output:1",
	}, dumpGroups(t, lab))
	before := second.sent()
	require.NoError(t, second.sink.Prune(t.Context(), slices.Values([]mcast.Group{groupNumber(0)})))
	require.Equal(t, before, second.sent(), "and then there is nothing left to do")
}

func TestAStrayThatCouldNotBeTakenAwayIsTriedAgain(t *testing.T) {
	lab := ovslab.New(t, ovslab.Config{Ports: []string{"p1"}})
	for _, args := range [][]string{
		{"add-group", lab.Mgmt(), "group_id=1050,type=all,bucket=output:1"},
		{"add-flow", lab.Mgmt(), "cookie=0x6f666d630000041a,table=7,ip,actions=group:1050"},
	} {
		_, err := lab.Ofctl(t.Context(), args...)
		require.NoError(t, err)
	}
	p := startProcess(t, lab, ofgroup.OpenFlow15)
	none := slices.Values([]mcast.Group{})
	ended, end := context.WithCancel(t.Context())
	end()
	require.ErrorIs(t, p.sink.Prune(ended, none), context.Canceled)
	require.Len(t, dumpFlows(t, lab), 1)
	require.NoError(t, p.sink.Prune(t.Context(), none))
	require.Empty(t, dumpFlows(t, lab))
	require.Empty(t, dumpGroups(t, lab))
}

func TestWithoutACookieNothingIsAdopted(t *testing.T) {
	_, session, _ := onRealSwitch(t)
	table := ofgroup.NewTable(session, ofgroup.TableConfig{})
	for _, cfg := range []ofsink.Config[ofgroup.Port]{
		{Table: table, Bucket: ofsink.ToPort, Flows: session, Layout: ofsink.Layout{Cookie: 7}},
		{Table: table, Bucket: ofsink.ToPort, Layout: layout},
	} {
		err := ofsink.New(cfg).Adopt(t.Context(), session, func(ofgroup.ID) bool { return true })
		require.ErrorIs(t, err, ofsink.ErrNoCookie)
	}
}
