package main

import (
	"context"
	"encoding/hex"
	"log/slog"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/igmp"
	"github.com/ofmcast/ofmcast/internal/ovslab"
	"github.com/ofmcast/ofmcast/ofgroup"
)

// eventually returns once the output of ovs-ofctl has a text.
func eventually(t *testing.T, lab *ovslab.Lab, text string, args ...string) string {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		out, err := lab.Ofctl(t.Context(), args...)
		require.NoError(t, err)
		if strings.Contains(out, text) {
			return out
		}
		require.True(t, time.Now().Before(end), "%v: %q is not in\n%s", args, text, out)
	}
}

// report has a host behind a port join or leave a group.
func report(t *testing.T, lab *ovslab.Lab, port string, m igmp.Message) {
	t.Helper()
	frame, err := igmp.AppendFrame(nil, igmp.Header{EthSrc: igmp.MAC{10, 0, 0, 0, 0, 5}, Src: netip.MustParseAddr("10.0.0.5")}, m)
	require.NoError(t, err)
	frame = append(frame, make([]byte, max(0, 60-len(frame)))...)
	_, err = lab.Appctl(t.Context(), "netdev-dummy/receive", port, hex.EncodeToString(frame))
	require.NoError(t, err)
}

func TestGroupsFollowTheHostsOverTheConnectionOfOfnet(t *testing.T) {
	lab := ovslab.New(t, ovslab.Config{Ports: []string{"p1", "p2", "p3"}})
	relay, err := lab.Relay()
	require.NoError(t, err)
	defer relay.Close()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	a := newApp([]ofgroup.Port{1, 2, 3}, slog.New(slog.NewTextHandler(t.Output(), nil)))
	go func() { done <- a.run(ctx, relay.Path()) }()
	defer func() {
		cancel()
		require.ErrorIs(t, <-done, context.Canceled)
	}()

	group := netip.MustParseAddr("239.1.2.3")
	eventually(t, lab, "bucket=bucket_id:2,actions=output:3", "dump-groups", lab.Bridge())
	eventually(t, lab, "nw_proto=2 actions=controller(id=", "dump-flows", lab.Bridge())
	stats := eventually(t, lab, "packet_count=", "dump-group-stats", lab.Bridge(), "group_id=1")
	eventually(t, lab, "packet_count=1", "dump-group-stats", lab.Bridge(), "group_id=1")
	t.Log("the query went to every member:", stats)

	report(t, lab, "p1", &igmp.ReportV2{Group: group})
	eventually(t, lab, "group_id=2,type=all,bucket=bucket_id:0,actions=output:1\n", "dump-groups", lab.Bridge())
	report(t, lab, "p3", &igmp.ReportV3{Records: []igmp.Record{{Type: igmp.ToEx, Group: group}}})
	eventually(t, lab, "actions=output:1,bucket=bucket_id:1,actions=output:3", "dump-groups", lab.Bridge())
	report(t, lab, "p1", &igmp.Leave{Group: group})
	eventually(t, lab, "group_id=2,type=all,bucket=bucket_id:0,actions=output:3\n", "dump-groups", lab.Bridge())

	const groupMod = 15
	require.EqualValues(t, 1+3, relay.ToSwitch().ByType[groupMod], "one for the queries, and one for each change")

	require.NoError(t, lab.KillSwitch())
	require.NoError(t, lab.RestartSwitch(t.Context()))
	eventually(t, lab, "group_id=2,type=all,bucket=bucket_id:0,actions=output:3\n", "dump-groups", lab.Bridge())
	eventually(t, lab, "nw_proto=2 actions=controller(id=", "dump-flows", lab.Bridge())
	eventually(t, lab, "packet_count=1", "dump-group-stats", lab.Bridge(), "group_id=1")
	report(t, lab, "p2", &igmp.ReportV2{Group: group})
	eventually(t, lab, "actions=output:3,bucket=bucket_id:1,actions=output:2", "dump-groups", lab.Bridge())
	require.EqualValues(t, 1+3+2+1, relay.ToSwitch().ByType[groupMod], "and once more for each group")
}
