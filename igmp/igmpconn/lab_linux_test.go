package igmpconn_test

import (
	"bytes"
	"context"
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/igmp"
	"github.com/ofmcast/ofmcast/igmp/igmpconn"
	"github.com/ofmcast/ofmcast/internal/ovslab"
)

const patience = 20 * time.Second

// startLab makes a link of us and other machines: real kernels, in namespaces behind veth pairs and a
// switch that forwards everything.
func startLab(t *testing.T, hosts ...ovslab.HostConfig) *ovslab.NetLab {
	t.Helper()
	return ovslab.NewNet(t, ovslab.NetConfig{FailMode: "standalone", Hosts: append([]ovslab.HostConfig{{Name: "us"}}, hosts...)})
}

// listen opens an interface of a host, until the test ends.
func listen(t *testing.T, host *ovslab.Host, name string, cfg igmpconn.Config) *igmpconn.Conn {
	t.Helper()
	var conn *igmpconn.Conn
	require.NoError(t, host.Do(func() (err error) {
		conn, err = igmpconn.Listen(name, cfg)
		return err
	}))
	t.Cleanup(func() { require.NoError(t, conn.Close()) })
	return conn
}

// readUntil reads frames until they are enough.
func readUntil(t *testing.T, conn *igmpconn.Conn, enough func(igmpconn.Frame) bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for {
		f, err := conn.Read(ctx)
		require.NoError(t, err)
		require.Equal(t, len(f.Data), f.Len)
		require.WithinDuration(t, time.Now(), f.At, patience)
		if enough(f) {
			return
		}
	}
}

// equals waits for one frame, byte for byte.
func equals(want []byte) func(igmpconn.Frame) bool {
	return func(f igmpconn.Frame) bool { return bytes.Equal(f.Data, want) }
}

// report waits for a report, of whatever version, by which a host says that it is in the group.
func report(version uint8, src, group netip.Addr) func(igmpconn.Frame) bool {
	return func(f igmpconn.Frame) bool {
		var d igmp.Decoder
		v, err := d.Frame(f.Data)
		if err != nil || v.Version != version || v.Src != src || v.Type == igmp.TypeQuery || v.Type == igmp.TypeLeave {
			return false
		}
		for r := range v.Records() {
			if r.Group == group {
				return r.Type == igmp.IsEx || r.Type == igmp.ToEx
			}
		}
		return v.Group == group
	}
}

func mac(t *testing.T, host *ovslab.Host) igmp.MAC {
	t.Helper()
	m, err := net.ParseMAC(host.MAC())
	require.NoError(t, err)
	return igmp.MAC(m)
}

func ip(t *testing.T, host *ovslab.Host, commands ...[]string) {
	t.Helper()
	for _, args := range commands {
		_, err := host.Run(t.Context(), "ip", args...)
		require.NoError(t, err)
	}
}

// query renders a general query as a querier does.
func query(t *testing.T, h igmp.Header, version uint8) []byte {
	t.Helper()
	frame, err := igmp.AppendFrame(nil, h, &igmp.Query{
		Version: version, Group: netip.IPv4Unspecified(), MaxResp: time.Second, QRV: 2, QQI: 125 * time.Second,
	})
	require.NoError(t, err)
	return frame
}

var (
	unicast     = netip.MustParseAddr("198.51.100.1")
	unspecified = netip.IPv4Unspecified()
)

func addrs(a ...netip.Addr) []netip.Addr { return a }
