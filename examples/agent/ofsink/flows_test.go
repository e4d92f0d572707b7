package ofsink_test

import (
	"context"
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/examples/agent/ofsink"
	"github.com/ofmcast/ofmcast/internal/ovslab"
	"github.com/ofmcast/ofmcast/mcast"
	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
	"github.com/ofmcast/ofmcast/ofgroup/ofgrouptest"
)

const gateway = ofgroup.Port(3)

var layout = ofsink.Layout{Table: 101, Priority: 100, Cookie: 0x6f666d63 << 32}

func toGateway(mcast.Group) []ofgroup.Bucket { return []ofgroup.Bucket{ofsink.Output(gateway)} }

// onRealSwitch returns a sink that programs groups and flows of a private Open vSwitch.
func onRealSwitch(t *testing.T) (*ovslab.Lab, *ofconn.Session, *ofsink.Sink[ofgroup.Port]) {
	lab := ovslab.New(t, ovslab.Config{Ports: []string{"p1", "p2", "gw"}})
	session, err := ofconn.Open(t.Context(), ofconn.Config{Dial: lab.Dial})
	require.NoError(t, err)
	t.Cleanup(func() { _ = session.Close() })
	table := ofgroup.NewTable(session, ofgroup.TableConfig{IDs: ofgroup.NewIDAllocator(1000, 1099)})
	return lab, session, ofsink.New(ofsink.Config[ofgroup.Port]{Bucket: ofsink.ToPort, Table: table, Flows: session, Layout: layout, Common: toGateway})
}

func dumpFlows(t *testing.T, lab *ovslab.Lab) []string {
	printed, err := lab.Ofctl(t.Context(), "--no-stats", "dump-flows", lab.Mgmt())
	require.NoError(t, err)
	var flows []string
	for line := range strings.Lines(printed) {
		if strings.Contains(line, "actions=") {
			flows = append(flows, strings.TrimSpace(line))
		}
	}
	slices.Sort(flows)
	return flows
}

func dumpGroups(t *testing.T, lab *ovslab.Lab) []string {
	printed, err := lab.Ofctl(t.Context(), "dump-groups", lab.Mgmt())
	require.NoError(t, err)
	groups := regexp.MustCompile(`group_id=\S+`).FindAllString(printed, -1)
	slices.Sort(groups)
	return groups
}

func TestMembersGetAGroupAndAFlowAndTheLastTakesBoth(t *testing.T) {
	lab, _, sink := onRealSwitch(t)
	require.NoError(t, sink.Sync(t.Context(), stateOf(t, group, 1, 2)))
	require.Equal(t, []string{"group_id=1000,type=all,bucket=bucket_id:1,actions=output:1,bucket=bucket_id:2,actions=output:2,bucket=bucket_id:3,actions=output:3"}, dumpGroups(t, lab))
	require.Equal(t, []string{"cookie=0x6f666d63000003e8, table=101, priority=100,ip,nw_dst=239.1.1.1 actions=group:1000"}, dumpFlows(t, lab))

	require.NoError(t, sink.Sync(t.Context(), stateOf(t, group, 2)))
	require.Len(t, dumpFlows(t, lab), 1, "a change of members leaves the flow alone")

	require.NoError(t, sink.Sync(t.Context(), emptyState(t, group)))
	require.Empty(t, dumpGroups(t, lab))
	require.Empty(t, dumpFlows(t, lab))
}

func TestAMemberThatIsTheGatewayHasOneBucket(t *testing.T) {
	lab, _, sink := onRealSwitch(t)
	require.NoError(t, sink.Sync(t.Context(), stateOf(t, group, gateway, 1)))
	require.Equal(t, []string{"group_id=1000,type=all,bucket=bucket_id:3,actions=output:3,bucket=bucket_id:1,actions=output:1"}, dumpGroups(t, lab))
}

func TestAFlowThatFailedIsSentWithTheNextSync(t *testing.T) {
	rec := ofgrouptest.NewRecorder(ofgroup.OpenFlow15)
	flows := &flowRecorder{err: context.DeadlineExceeded}
	sink := ofsink.New(ofsink.Config[ofgroup.Port]{Bucket: ofsink.ToPort, Table: ofgroup.NewTable(rec, ofgroup.TableConfig{}), Flows: flows, Layout: layout})
	require.ErrorIs(t, sink.Sync(t.Context(), stateOf(t, group, 1)), context.DeadlineExceeded)
	rec.RequireOne(t)
	flows.err = nil
	require.NoError(t, sink.Sync(t.Context(), stateOf(t, group, 1)))
	require.NoError(t, sink.Sync(t.Context(), stateOf(t, group, 1)))
	require.Len(t, flows.sent, 2, "tried, and sent; then it is known to be there")
	require.Empty(t, rec.Mods(), "the group was there already")
}

func TestVLANsAreRefusedWhereFlowsDoNotTellThemApart(t *testing.T) {
	rec := ofgrouptest.NewRecorder(ofgroup.OpenFlow15)
	sink := ofsink.New(ofsink.Config[ofgroup.Port]{Bucket: ofsink.ToPort, Table: ofgroup.NewTable(rec, ofgroup.TableConfig{}), Flows: &flowRecorder{}, Layout: layout})
	tagged := mcast.Group{Addr: group.Addr, Segment: 10}
	require.ErrorIs(t, sink.Sync(t.Context(), stateOf(t, tagged, 1)), ofsink.ErrSegment)
	require.Empty(t, rec.Mods())
	require.NoError(t, sink.Sync(t.Context(), emptyState(t, tagged)), "there is nothing to take away")
}

func TestAVLANsFlowsAskForItsNumberAndThoseOfNoVLANForZero(t *testing.T) {
	l := layout
	l.Segment = ofgroup.Reg(0)
	tagged := mcast.Group{Addr: group.Addr, Segment: 10}
	require.Equal(t, "add cookie=0x6f666d63000003e8,table=101,priority=100,ip,ip_dst=239.1.1.1,reg0=0xa,actions=group:1000", l.Flow(tagged, netip.Addr{}, 1000).String())
	require.Equal(t, "add cookie=0x6f666d63000003e8,table=101,priority=100,ip,ip_dst=239.1.1.1,reg0=0,actions=group:1000", l.Flow(group, netip.Addr{}, 1000).String())
}

// An access port of VLAN 10, a trunk that carries it too, and a router port that has no bucket.
func TestTheHostSaysWhatTheBucketsAreAndWhichGroupsFollow(t *testing.T) {
	lab, session, _ := onRealSwitch(t)
	_, err := lab.Ofctl(t.Context(), "add-group", lab.Mgmt(), "group_id=4,type=all,bucket=output:2")
	require.NoError(t, err)
	l := layout
	l.Segment = ofgroup.Reg(0)
	var also []ofgroup.ID
	sink := ofsink.New(ofsink.Config[ofgroup.Port]{
		Table:  ofgroup.NewTable(session, ofgroup.TableConfig{IDs: ofgroup.NewIDAllocator(1000, 1099)}),
		Flows:  session,
		Layout: l,
		Bucket: func(g mcast.Group, p ofgroup.Port) (ofgroup.Bucket, bool) {
			if p == 3 {
				vid := ofgroup.Set(ofgroup.VLANVID, uint16(0x1000|g.Segment))
				return ofgroup.NewBucket(ofgroup.PushVLAN(ofgroup.TPID8021Q), vid, ofgroup.Output(p)).WithID(3), true
			}
			return ofsink.Output(p), p != 2
		},
		Also: func(mcast.Group) []ofgroup.ID { return also },
	})
	s := stateOf(t, mcast.Group{Addr: group.Addr, Segment: 10}, 1, 2, 3)
	require.NoError(t, sink.Sync(t.Context(), s))
	require.Contains(t, dumpGroups(t, lab), "group_id=1000,type=all,bucket=bucket_id:1,actions=output:1,bucket=bucket_id:3,actions=push_vlan:0x8100,set_field:4106->vlan_vid,output:3")
	require.Equal(t, []string{"cookie=0x6f666d63000003e8, table=101, priority=100,ip,reg0=0xa,nw_dst=239.1.1.1 actions=group:1000"}, dumpFlows(t, lab))

	also = []ofgroup.ID{4}
	require.NoError(t, sink.Sync(t.Context(), s))
	require.Equal(t, []string{"cookie=0x6f666d63000003e8, table=101, priority=100,ip,reg0=0xa,nw_dst=239.1.1.1 actions=group:1000,group:4"}, dumpFlows(t, lab))
}

func TestMembersWithEqualBucketsShareOne(t *testing.T) {
	rec := ofgrouptest.NewRecorder(ofgroup.OpenFlow15)
	sink := ofsink.New(ofsink.Config[string]{
		Table:  ofgroup.NewTable(rec, ofgroup.TableConfig{}),
		Bucket: func(mcast.Group, string) (ofgroup.Bucket, bool) { return ofsink.Output(7), true },
	})
	cache := mcast.New(mcast.Config[string]{})
	for _, host := range []string{"a", "b"} {
		require.NoError(t, cache.Apply(mcast.Join(group, host, start)))
	}
	s, _ := cache.Lookup(group)
	require.NoError(t, sink.Sync(t.Context(), s))
	require.Equal(t, 1, rec.RequireOne(t).Group().Len())
}

func TestFlowsAreReplayedToANewConnection(t *testing.T) {
	lab, session, sink := onRealSwitch(t)
	other := mcast.Group{Addr: group.Addr.Next()}
	require.NoError(t, sink.Sync(t.Context(), stateOf(t, group, 1)))
	require.NoError(t, sink.Sync(t.Context(), stateOf(t, other, 2)))
	want := dumpFlows(t, lab)
	_, err := lab.Ofctl(t.Context(), "del-flows", lab.Mgmt())
	require.NoError(t, err)

	require.NoError(t, sink.ReplayFlows(t.Context(), session))
	require.Equal(t, want, dumpFlows(t, lab))
}

func TestOneFlowThatCannotBeReplayedDoesNotStopTheOthers(t *testing.T) {
	_, _, sink := onRealSwitch(t)
	for i := range 10 {
		require.NoError(t, sink.Sync(t.Context(), stateOf(t, groupNumber(i), 1)))
	}
	flows := &flowRecorder{err: context.DeadlineExceeded}
	require.ErrorIs(t, sink.ReplayFlows(t.Context(), flows), context.DeadlineExceeded)
	require.Len(t, flows.sent, 10)
}

// A log line for each flow would bury what matters.
func TestALostConnectionIsSaidOnceAndEndsWhatNeedsIt(t *testing.T) {
	const many = 1000
	table := ofgroup.NewTable(ofgrouptest.NewRecorder(ofgroup.OpenFlow15), ofgroup.TableConfig{})
	flows := &flowRecorder{}
	sink := ofsink.New(ofsink.Config[ofgroup.Port]{Bucket: ofsink.ToPort, Table: table, Flows: flows, Layout: layout})
	g := group
	for range many {
		g.Addr = g.Addr.Next()
		require.NoError(t, sink.Sync(t.Context(), stateOf(t, g, 1)))
	}
	for _, lost := range []error{ofgroup.ErrDisconnected, context.Canceled} {
		ctx, cancel := context.WithCancel(t.Context())
		if lost == context.Canceled {
			cancel()
		}
		flows.sent, flows.err = nil, fmt.Errorf("sending: %w", lost)
		err := sink.ReplayFlows(ctx, flows)
		require.ErrorIs(t, err, lost)
		require.Equal(t, 1, strings.Count(err.Error(), lost.Error()))
		require.LessOrEqual(t, len(flows.sent), many/2)
		cancel()
	}
}

func TestIPv6GroupsMatchIPv6(t *testing.T) {
	g := mcast.Group{Addr: netip.MustParseAddr("ff3e::8000:1")}
	require.Equal(t, "add cookie=0x6f666d63000003e8,table=101,priority=100,ipv6,ipv6_dst=ff3e::8000:1,actions=group:1000", layout.Flow(g, netip.Addr{}, 1000).String())
}

func emptyState(t *testing.T, g mcast.Group) (last mcast.State[ofgroup.Port]) {
	t.Helper()
	cache := mcast.New(mcast.Config[ofgroup.Port]{Leave: func(ofgroup.Port) mcast.LeavePolicy { return mcast.Immediate }})
	_, err := cache.AddSink("last", mcast.SyncFunc[ofgroup.Port](func(_ context.Context, s mcast.State[ofgroup.Port]) error {
		last = s
		return nil
	}), mcast.SinkConfig{MinInterval: -1})
	require.NoError(t, err)
	for i, r := range []mcast.Report[ofgroup.Port]{mcast.Join(g, ofgroup.Port(1), start), mcast.Leave(g, ofgroup.Port(1), start.Add(time.Second))} {
		require.NoError(t, cache.Apply(r))
		cache.Advance(start.Add(time.Duration(i) * time.Second))
		require.NoError(t, cache.Flush(t.Context()))
	}
	require.Zero(t, last.Len())
	return last
}
