package igmpconn_test

import (
	"bytes"
	"context"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/igmp"
	"github.com/ofmcast/ofmcast/igmp/igmpconn"
	"github.com/ofmcast/ofmcast/internal/ovslab"
)

var groups = []netip.Addr{
	netip.MustParseAddr("239.1.1.1"), netip.MustParseAddr("239.1.1.2"), netip.MustParseAddr("239.1.1.3"),
}

// Reports go to addresses that nobody on our host has joined.
func TestKernelHostsOfEveryVersionHearAndAreHeard(t *testing.T) {
	lab := startLab(t, ovslab.HostConfig{Name: "v1", IGMPVersion: 1}, ovslab.HostConfig{Name: "v2", IGMPVersion: 2}, ovslab.HostConfig{Name: "v3"})
	us := lab.Host("us")
	conn := listen(t, us, "eth0", igmpconn.Config{})
	header := igmp.Header{EthSrc: mac(t, us), Src: us.Addr()}
	for i, name := range []string{"v1", "v2", "v3"} {
		host := lab.Host(name)
		_, err := host.Join(groups[i])
		require.NoError(t, err)
		readUntil(t, conn, report(uint8(i+1), host.Addr(), groups[i]))
	}

	heard, err := lab.Host("v3").Capture(func(f ovslab.Frame) bool { return !f.Sent && isQuery(f.Data) })
	require.NoError(t, err)
	// A v1 host takes up to 10 s for a v3 query, and a v3 host falls back at a v2 query: so v3 first.
	general := query(t, header, 3)
	require.NoError(t, conn.Send(general))
	answers := map[netip.Addr]bool{lab.Host("v2").Addr(): false, lab.Host("v3").Addr(): false}
	readUntil(t, conn, func(f igmpconn.Frame) bool {
		require.False(t, f.Outgoing)
		for i, name := range []string{"v2", "v3"} {
			if host := lab.Host(name); report(uint8(i+2), host.Addr(), groups[i+1])(f) {
				delete(answers, host.Addr())
			}
		}
		return len(answers) == 0
	})
	require.NoError(t, conn.Send(query(t, header, 2)))
	readUntil(t, conn, report(1, lab.Host("v1").Addr(), groups[0]))

	frames := heard.Frames()
	require.Len(t, frames, 2, "nothing is sent twice")
	require.Equal(t, general, frames[0].Data, "what the kernel puts on the wire is what was rendered, to the byte")
}

func isQuery(frame []byte) bool {
	var d igmp.Decoder
	v, err := d.Frame(frame)
	return err == nil && v.Type == igmp.TypeQuery
}

func TestOwnFramesAreReadWhenAskedForAndOwnGroupsAnswer(t *testing.T) {
	lab := startLab(t)
	us := lab.Host("us")
	own := listen(t, us, "eth0", igmpconn.Config{Outgoing: true, Loop: true})
	deaf := listen(t, us, "eth0", igmpconn.Config{})
	_, err := us.Join(groups[0])
	require.NoError(t, err)
	joined := report(3, us.Addr(), groups[0])
	readUntil(t, own, joined)

	general := query(t, igmp.Header{EthSrc: mac(t, us), Src: us.Addr()}, 3)
	require.NoError(t, own.Send(general))
	sent := 0
	readUntil(t, own, func(f igmpconn.Frame) bool {
		require.True(t, f.Outgoing)
		if bytes.Equal(f.Data, general) {
			sent++
		}
		return isCurrentState(f.Data)
	})
	require.Equal(t, 1, sent, "the copy for our own host does not come up as another")

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = deaf.Read(ctx)
	require.ErrorIs(t, err, context.Canceled)
	stats, err := deaf.Stats()
	require.NoError(t, err)
	require.Zero(t, stats.Received, "none of it is for who did not ask")
}

func isCurrentState(frame []byte) bool {
	var d igmp.Decoder
	v, err := d.Frame(frame)
	if err != nil {
		return false
	}
	for r := range v.Records() {
		return r.Type == igmp.IsEx
	}
	return false
}
