package main

import (
	"context"
	"encoding/json"
	"io"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/igmp/igmpconn"
	"github.com/ofmcast/ofmcast/internal/ovslab"
)

// What a host of each version says when it joins, on the interface of another.
func TestLiveShowsWhatKernelHostsSay(t *testing.T) {
	lab := ovslab.NewNet(t, ovslab.NetConfig{FailMode: "standalone", Hosts: []ovslab.HostConfig{
		{Name: "us"}, {Name: "v1", IGMPVersion: 1}, {Name: "v2", IGMPVersion: 2}, {Name: "v3"},
	}})
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	ready, told := io.Pipe()
	lines, out := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- lab.Host("us").Do(func() error {
			return run(ctx, options{iface: "eth0", json: true}, out, told)
		})
		_ = out.Close()
	}()
	_, err := ready.Read(make([]byte, 100))
	require.NoError(t, err)

	group := netip.MustParseAddr("239.1.1.1")
	objects := json.NewDecoder(lines)
	for _, name := range []string{"us", "v1", "v2", "v3"} {
		host := lab.Host(name)
		_, err := host.Join(group)
		require.NoError(t, err)
		want := map[string]string{"us": "report-v3", "v1": "report-v1", "v2": "report-v2", "v3": "report-v3"}[name]
		for o := (object{}); o["src"] != host.Addr().String() || o["type"] != want; {
			o = object{}
			require.NoError(t, objects.Decode(&o), name)
			require.Equal(t, true, o["checksum_ok"])
		}
	}
	cancel()
	go func() { _, _ = io.Copy(io.Discard, objects.Buffered()); _, _ = io.Copy(io.Discard, lines) }()
	require.NoError(t, <-ended)
}

func TestLiveNeedsAnInterface(t *testing.T) {
	err := run(t.Context(), options{iface: "nothing0"}, io.Discard, io.Discard)
	require.ErrorIs(t, err, igmpconn.ErrNoInterface)
}
