package view_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/examples/agent/members"
	"github.com/ofmcast/ofmcast/examples/agent/policy"
	"github.com/ofmcast/ofmcast/examples/agent/view"
	"github.com/ofmcast/ofmcast/igmp/querier"
	"github.com/ofmcast/ofmcast/mcast"
	"github.com/ofmcast/ofmcast/mroute"
	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
)

var (
	group = mcast.Group{Addr: netip.MustParseAddr("233.252.0.1")}
	s1    = netip.MustParseAddr("198.51.100.1")
	ports = []view.PortInfo{{Number: 2, Name: "vm2", Role: "member", Denied: 4}, {Number: 1, Name: "vm1", Role: "member"}}
)

func cacheOf(t *testing.T, reports ...mcast.Report[members.Member]) *mcast.Cache[members.Member] {
	t.Helper()
	c := mcast.New(mcast.Config[members.Member]{})
	c.Advance(time.Now())
	for _, r := range reports {
		require.NoError(t, c.Apply(r))
	}
	return c
}

func join(p ofgroup.Port) mcast.Report[members.Member] {
	return mcast.Join(group, members.Port(p), time.Now())
}

func include(p ofgroup.Port, sources ...netip.Addr) mcast.Report[members.Member] {
	return mcast.Report[members.Member]{Group: group, Member: members.Port(p), Kind: mcast.ChangeToInclude, Sources: sources, At: time.Now()}
}

// fakeSwitch is a connection that may be there or not.
type fakeSwitch struct{ err error }

func (f fakeSwitch) Stats() ofconn.ConnStats { return ofconn.ConnStats{Connected: 3} }
func (f fakeSwitch) EventStats() ofconn.EventStats {
	return ofconn.EventStats{Dropped: 5, Limited: 6, DroppedByPort: map[ofgroup.Port]uint64{2: 11}}
}
func (f fakeSwitch) Session() (*ofconn.Session, error) { return nil, f.err }

func stateOf(t *testing.T, src view.Sources) view.State {
	t.Helper()
	s, err := view.New(src).State(t.Context())
	require.NoError(t, err)
	return s
}

func TestAMemberIsShownWithItsFilterAndTimers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		static := join(1)
		static.Owner = mcast.Owner{Kind: mcast.Static, ID: "config"}
		v2 := join(2)
		v2.Version = 2
		cache := cacheOf(t, static, include(1, s1), v2)
		time.Sleep(10 * time.Second)
		cache.Advance(time.Now())
		ids := map[netip.Addr]ofgroup.ID{{}: 1000, s1: 1001}
		s := stateOf(t, view.Sources{
			Bridge: "br0", Cache: cache, Ports: func() []view.PortInfo { return ports },
			GroupID: func(_ mcast.Group, source netip.Addr) (ofgroup.ID, bool) { id, ok := ids[source]; return id, ok },
			Packets: func(context.Context) (map[ofgroup.ID]uint64, error) {
				return map[ofgroup.ID]uint64{1000: 77, 4: 1}, nil
			},
		})
		require.Len(t, s.Groups, 1)
		g := s.Groups[0]
		require.Equal(t, group.Addr, g.Group)
		require.Equal(t, []view.Row{{OpenFlow: 1000, Packets: 77}, {Source: s1.String(), OpenFlow: 1001}}, g.Rows)
		age, left := view.Seconds(10*time.Second), view.Seconds(260*time.Second) // of 270 s: RV x QI + 2 x QRI
		require.Equal(t, []view.Member{
			{Port: 1, Name: "vm1", Owner: "static config", Mode: "EXCLUDE", Sources: []view.Source{}, IGMP: 3, Age: age, Left: view.Forever},
			{Port: 1, Name: "vm1", Mode: "INCLUDE", Sources: []view.Source{{Addr: s1, Left: left}}, IGMP: 3, Age: age, Left: left},
			{Port: 2, Name: "vm2", Mode: "EXCLUDE", Sources: []view.Source{}, IGMP: 2, Age: age, Left: left},
		}, g.Members)

		require.Len(t, s.Ports, 2)
		require.Equal(t, "vm1", s.Ports[0].Name, "in the order of their numbers")
		p := s.Ports[1]
		require.Equal(t, 1, p.Groups)
		require.EqualValues(t, 2, p.IGMP)
		require.Equal(t, view.Seconds(250*time.Second), p.V2, "the older host present interval is 260 s")
		require.EqualValues(t, 4, p.Denied)
		require.Equal(t, 1, s.Ports[0].Groups, "a group that two owners hold is one")
	})
}

func TestWhatIsNotThereIsEmptyAndNeverNull(t *testing.T) {
	out, err := json.Marshal(stateOf(t, view.Sources{Cache: cacheOf(t)}))
	require.NoError(t, err)
	var m map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(out, &m))
	for _, list := range []string{"groups", "routes", "ports", "sinks", "rates", "events", "warnings"} {
		require.Equal(t, "[]", string(m[list]), list)
	}
	require.Equal(t, "1", string(m["format"]))
}

func TestAStateComesBackFromItsJSON(t *testing.T) {
	cache := cacheOf(t, join(1), include(2, s1))
	s := stateOf(t, view.Sources{Cache: cache, Switch: fakeSwitch{}, Ports: func() []view.PortInfo { return ports }})
	out, err := json.Marshal(s)
	require.NoError(t, err)
	var back view.State
	require.NoError(t, json.Unmarshal(out, &back))
	again, err := json.Marshal(back)
	require.NoError(t, err)
	require.JSONEq(t, string(out), string(again))
}

func TestTheSwitchAndTheQuerierAreShown(t *testing.T) {
	src := view.Sources{
		Cache: cacheOf(t), Switch: fakeSwitch{}, GroupMods: func() uint64 { return 9 },
		Querier: func() (querier.State, querier.Counters) {
			return querier.State{Querier: true, Elected: netip.IPv4Unspecified(),
				Timing: querier.Timing{RV: 2, QI: 125 * time.Second, QRI: 10 * time.Second}}, querier.Counters{GeneralQueries: 2, SpecificQueries: 3}
		},
	}
	s := stateOf(t, src)
	require.Equal(t, view.Switch{Connected: true, Connections: 3, GroupMods: 9, PacketInsDropped: 11}, s.Switch)
	require.Equal(t, view.Querier{
		Self: true, Elected: "0.0.0.0", Sent: 5,
		Interval: view.Seconds(125 * time.Second), Response: view.Seconds(10 * time.Second), Membership: view.Seconds(270 * time.Second),
	}, s.Querier)
	require.Empty(t, s.Warnings)
	src.Switch = fakeSwitch{err: ofgroup.ErrDisconnected}
	require.Equal(t, view.WarnSwitch, stateOf(t, src).Warnings[0].Kind)
}

func TestRoutesHaveARateAndUnwantedStreamsAWarning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wanted := mroute.Entry{SG: mroute.SG{Source: s1, Group: group.Addr}, In: "eth1", Out: []string{"gw0"}, Since: time.Now(), LastPacket: time.Now()}
		unwanted := mroute.Entry{SG: mroute.SG{Source: s1, Group: netip.MustParseAddr("233.252.0.9")}, In: "eth1", Since: time.Now(), LastPacket: time.Now()}
		c := view.New(view.Sources{
			Cache: cacheOf(t, join(1)),
			Routes: func(context.Context) (mroute.Status, error) {
				wanted.Packets += 1000
				unwanted.Packets += 50
				return mroute.Status{Entries: []mroute.Entry{wanted, unwanted}}, nil
			},
		})
		_, err := c.State(t.Context())
		require.NoError(t, err)
		time.Sleep(2 * time.Second)
		s, err := c.State(t.Context())
		require.NoError(t, err)
		require.Len(t, s.Routes, 2)
		require.Equal(t, view.Route{
			Source: s1, Group: group.Addr, In: "eth1", Out: []string{"gw0"}, Packets: 2000, PerSecond: 500,
			Age: view.Seconds(2 * time.Second), Idle: view.Seconds(2 * time.Second), Members: true,
		}, s.Routes[0])
		require.False(t, s.Routes[1].Members)
		require.Equal(t, []view.Warning{{Kind: view.WarnStream,
			Text: "198.51.100.1 sends 25 packets/s to 233.252.0.9 by eth1, where nobody is a member"}}, s.Warnings)
	})
}

func TestManyReadersCostOneCollection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		c := view.New(view.Sources{Cache: cacheOf(t), Ports: func() []view.PortInfo { calls++; return nil }})
		for range 50 {
			_, err := c.State(t.Context())
			require.NoError(t, err)
		}
		require.Equal(t, 1, calls)
		time.Sleep(time.Second)
		_, err := c.State(t.Context())
		require.NoError(t, err)
		require.Equal(t, 2, calls)
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		for range 100 { // select picks at random when there is a token too
			if _, err = c.State(ended); err != nil {
				break
			}
		}
		require.ErrorIs(t, err, context.Canceled)
	})
}

func TestASinkThatRefusesIsShownAndWarnedOf(t *testing.T) {
	cache := cacheOf(t, join(1))
	_, err := cache.AddSink("switch", mcast.SyncFunc[members.Member](func(context.Context, mcast.State[members.Member]) error {
		return errors.New("no room")
	}), mcast.SinkConfig{})
	require.NoError(t, err)
	require.Error(t, cache.Flush(t.Context()))
	s := stateOf(t, view.Sources{Cache: cache})
	require.Equal(t, "switch", s.Sinks[0].Name)
	require.EqualValues(t, 1, s.Sinks[0].Errors)
	require.Equal(t, 1, s.Sinks[0].Failing)
	require.Equal(t, "no room", s.Sinks[0].LastError)
	require.NotNil(t, s.Sinks[0].LastErrorAt)
	require.Equal(t, []view.Warning{{Kind: view.WarnSink, Text: "switch: 1 groups are refused and tried again: no room"}}, s.Warnings)
}

func TestAFrozenPolicyIsWarnedOf(t *testing.T) {
	p := &policy.Policy{}
	src := view.Sources{Cache: cacheOf(t), Policy: func() *policy.Policy { return p }}
	require.Empty(t, stateOf(t, src).Warnings)
	p = &policy.Policy{Freeze: true}
	require.Equal(t, view.WarnFrozen, stateOf(t, src).Warnings[0].Kind)
}

func TestLimitsAreWarnedOfBeforeTheyAreReached(t *testing.T) {
	many := include(1, s1, s1.Next(), s1.Next().Next(), s1.Next().Next().Next())
	ofNode := many
	ofNode.Member = members.Node(netip.MustParseAddr("192.0.2.7"))
	cache := cacheOf(t, many, ofNode)
	src := view.Sources{Cache: cache, Ports: func() []view.PortInfo { return ports }}
	require.Empty(t, stateOf(t, src).Warnings)
	src.Limits = mcast.Limits{Groups: 1, GroupsPerMember: 1, SourcesPerMember: 5}
	var texts []string
	for _, w := range stateOf(t, src).Warnings {
		require.Equal(t, view.WarnLimit, w.Kind)
		texts = append(texts, w.Text)
	}
	require.Equal(t, []string{
		"1 of at most 1 groups are in use",
		"vm1 (1) is in 1 of at most 1 groups",
		"vm1 (1) names 4 of at most 5 sources in 233.252.0.1",
		"node 192.0.2.7 names 4 of at most 5 sources in 233.252.0.1",
	}, texts)
}

func TestMoreThanAPageIsCounted(t *testing.T) {
	cache := mcast.New(mcast.Config[members.Member]{})
	cache.Advance(time.Now())
	addr := group.Addr
	for range 600 {
		require.NoError(t, cache.Apply(mcast.Join(mcast.Group{Addr: addr}, members.Port(1), time.Now())))
		addr = addr.Next()
	}
	for p := range 300 {
		require.NoError(t, cache.Apply(join(ofgroup.Port(p+1))))
	}
	s := stateOf(t, view.Sources{Cache: cache})
	require.Len(t, s.Groups, 500)
	require.Equal(t, 100, s.GroupsOmitted)
	require.Len(t, s.Groups[0].Members, 200)
	require.Equal(t, 100, s.Groups[0].MembersOmitted)
}

func TestRunFollowsEventsRatesAndChecks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cache := cacheOf(t)
		var mods, listed atomic.Uint64
		c := view.New(view.Sources{
			Cache: cache, GroupMods: mods.Load,
			Ports:    func() []view.PortInfo { listed.Add(1); return ports },
			PortName: func(p ofgroup.Port) string { return fmt.Sprintf("vm%d", p) },
			Check: func(context.Context) ([]mroute.Finding, error) {
				return []mroute.Finding{
					{Problem: mroute.ProblemTTL, Interface: "eth1", Source: s1, Group: group.Addr, Detail: "TTL 1", Remedy: "send with more"},
					{Problem: mroute.ProblemForwarding, Detail: "off", Remedy: "on"},
				}, errors.New("and something could not be looked at")
			},
		})
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- c.Run(ctx) }()
		time.Sleep(1500 * time.Millisecond)
		for p := range ofgroup.Port(4) {
			require.NoError(t, cache.Apply(join(p+1)))
		}
		mods.Store(2)
		c.Note(view.Event{At: time.Now(), Text: "hello"})
		time.Sleep(1700 * time.Millisecond) // three ticks in all
		require.Equal(t, uint64(3), listed.Load(), "a list of all ports is too much for every event")

		s, err := c.State(t.Context())
		require.NoError(t, err)
		require.Len(t, s.Rates, 2)
		require.Equal(t, 4.0, s.Rates[0].Changes)
		require.Equal(t, 2.0, s.Rates[0].GroupMods)
		require.Len(t, s.Events, 5)
		kinds := map[string]int{}
		for _, e := range s.Events {
			kinds[e.Kind]++
			if e.Port == 2 {
				require.Equal(t, "vm2", e.Name)
				require.Equal(t, "233.252.0.1", e.Group)
				require.Equal(t, "EXCLUDE{}", e.Text)
			}
		}
		require.Equal(t, map[string]int{"joined": 4, "note": 1}, kinds)
		require.Equal(t, []string{view.WarnTTL, view.WarnCheck}, []string{s.Warnings[0].Kind, s.Warnings[1].Kind})
		require.Contains(t, s.Warnings[0].Text, "TTL 1")
		require.Equal(t, s1, s.Warnings[0].Source)
		cancel()
		require.NoError(t, <-ended)
	})
}
