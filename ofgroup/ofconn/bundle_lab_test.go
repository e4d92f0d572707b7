package ofconn_test

import (
	"context"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/internal/ovslab"
	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
)

// groupMod is a GROUP_MOD as a message.
func groupMod(t testing.TB, g ofgroup.Group, c ofgroup.Command, v ofgroup.Version) ofconn.GroupMod {
	t.Helper()
	m, err := g.Mod(c, v)
	require.NoError(t, err)
	return ofconn.GroupMod{Mod: m}
}

// held is what ovs-ofctl finds on the switch: groups, then flows.
func held(t testing.TB, lab *ovslab.Lab) (groups, flows string) {
	t.Helper()
	var err error
	groups, err = lab.Ofctl(t.Context(), "dump-groups", lab.Bridge())
	require.NoError(t, err)
	flows, err = lab.Ofctl(t.Context(), "--no-stats", "dump-flows", lab.Bridge())
	require.NoError(t, err)
	return groups, flows
}

// forEachVersion runs f against one switch in both versions.
func forEachVersion(t *testing.T, f func(t *testing.T, lab *ovslab.Lab, s *ofconn.Session)) {
	for v := range prefixes {
		t.Run(v.String(), func(t *testing.T) {
			lab := newLab(t)
			f(t, lab, open(t, lab.Dial, v))
		})
	}
}

func TestABundleIsCarriedOutInItsOrder(t *testing.T) {
	forEachVersion(t, func(t *testing.T, lab *ovslab.Lab, s *ofconn.Session) {
		v := s.Version()
		require.NoError(t, s.Bundle(t.Context(),
			groupMod(t, ports(7, 1), ofgroup.Add, v),
			ofconn.FlowMod{Match: ip(), Actions: actions(ofgroup.OutputGroup(7))},
			groupMod(t, ports(7, 1, 2), ofgroup.Modify, v),
			groupMod(t, ports(8, 3), ofgroup.AddOrMod, v),
			ofconn.PacketOut{Actions: actions(ofgroup.OutputGroup(8)), Frame: make([]byte, 60)},
		))
		groups, flows := held(t, lab)
		require.Contains(t, groups, "group_id=7,type=all,bucket=bucket_id:0,actions=output:1,bucket=bucket_id:1,actions=output:2")
		require.Contains(t, groups, "group_id=8,")
		require.Contains(t, flows, "actions=group:7")
		require.Zero(t, s.Stats().Pending)
		require.EqualValues(t, 1, s.Stats().Bundles)
	})
}

// The third of five is bad, in every way in which a message can be.
func TestNothingOfABundleWithABadMessageIsDone(t *testing.T) {
	forEachVersion(t, func(t *testing.T, lab *ovslab.Lab, s *ofconn.Session) {
		v := s.Version()
		require.NoError(t, commit(t, s, 1))
		for name, c := range map[string]struct {
			bad  ofconn.Message
			want error
		}{
			"when it is carried out":   {groupMod(t, ports(1, 2), ofgroup.Add, v), ofgroup.ErrGroupExists},
			"when it is put in":        {ofconn.FlowMod{Actions: actions(ofgroup.OutputGroup(99))}, ofgroup.ErrBadOutGroup},
			"for it is not bundled":    {ofconn.MeterMod{ID: 1, Rate: 1}, nil},
			"for it cannot be decoded": {undecodable{}, nil},
		} {
			err := s.Bundle(t.Context(),
				groupMod(t, ports(7, 1), ofgroup.Add, v),
				ofconn.FlowMod{Match: ip(), Actions: actions(ofgroup.OutputGroup(7))},
				c.bad,
				groupMod(t, ports(8, 1), ofgroup.Add, v),
				ofconn.FlowMod{Priority: 9, Actions: actions(ofgroup.OutputGroup(8))},
			)
			var at *ofconn.BundleError
			require.ErrorAs(t, err, &at, name)
			require.Equal(t, 2, at.Index, name)
			require.Equal(t, c.bad, at.Message)
			var refused *ofgroup.SwitchError
			require.ErrorAs(t, err, &refused, name)
			require.NotErrorIs(t, err, ofgroup.ErrNotSent)
			if c.want != nil {
				require.ErrorIs(t, err, c.want, name)
			}
			groups, flows := held(t, lab)
			require.NotContains(t, groups, "group_id=7", name)
			require.NotContains(t, groups, "group_id=8", name)
			require.Contains(t, groups, "group_id=1,type=all,bucket=bucket_id:0,actions=output:1\n", name)
			require.NotContains(t, flows, "actions=", name)
			require.Zero(t, s.Stats().Pending)
		}
		require.Zero(t, s.Stats().Bundles)
		require.NoError(t, s.Bundle(t.Context(), groupMod(t, ports(7, 1), ofgroup.Add, v)), "and it goes on")
	})
}

// undecodable is a flow-mod that says 65,535 bytes of match.
type undecodable struct{}

func (undecodable) AppendMessage(b []byte, v ofgroup.Version) ([]byte, error) {
	start := len(b)
	b, err := ofconn.FlowMod{}.AppendMessage(b, v)
	copy(b[start+50:], "\xff\xff")
	return b, err
}

func TestAHundredBundlesAtATimeAreCarriedOut(t *testing.T) {
	lab := newLab(t)
	s := open(t, lab.Dial)
	var all sync.WaitGroup
	const bundles, each = 100, 50
	for n := range bundles {
		messages := make([]ofconn.Message, each)
		for i := range messages {
			messages[i] = groupMod(t, ports(ofgroup.ID(n*each+i), 1), ofgroup.Add, s.Version())
		}
		all.Go(func() {
			if err := s.Bundle(t.Context(), messages...); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	groups, _ := held(t, lab)
	require.Equal(t, bundles*each, strings.Count(groups, "group_id="))
	require.EqualValues(t, bundles, s.Stats().Bundles)
}

// slowCommit is a connection that keeps a commit back once, until the switch has
// thrown the bundle away.
type slowCommit struct {
	net.Conn
	version ofgroup.Version
	slow    bool
	wait    time.Duration
}

func (c *slowCommit) Write(b []byte) (int, error) {
	step, at := byte(0), 8+4+1
	if c.version == ofgroup.OpenFlow13 {
		at += 8
	}
	if len(b) > at && (b[1] == 33 || b[1] == 4) {
		step = b[at]
	}
	if step == 4 && !c.slow {
		c.slow = true
		time.Sleep(c.wait)
	}
	return c.Conn.Write(b)
}

func TestABundleThatTheSwitchThrewAwayIsSentAgain(t *testing.T) {
	const idle = 1 // second, the least that Open vSwitch takes
	for v := range prefixes {
		t.Run(v.String(), func(t *testing.T) {
			t.Parallel()
			lab := newLab(t)
			_, err := lab.Vsctl(t.Context(), "set", "open_vswitch", ".", fmt.Sprintf("other_config:bundle-idle-timeout=%d", idle))
			require.NoError(t, err)
			s := open(t, func(ctx context.Context) (net.Conn, error) {
				c, err := lab.Dial(ctx)
				return &slowCommit{Conn: c, version: v, wait: (idle + 2) * time.Second}, err
			}, v)
			require.NoError(t, s.Bundle(t.Context(), groupMod(t, ports(7, 1), ofgroup.Add, v)))
			require.EqualValues(t, 1, s.Stats().BundleRetries)
			require.EqualValues(t, 1, s.Stats().Bundles)
			groups, _ := held(t, lab)
			require.Contains(t, groups, "group_id=7,")
		})
	}
}
