package main

import (
	"bytes"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// configFile writes a configuration file, and returns its path.
func configFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "agent.yaml")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func TestWhatFlagsSayTogetherIsBlamedOnALineOfTheFile(t *testing.T) {
	for text, line := range map[string]string{
		"bridge: br0\nconfig: other.yaml\n":                      ":2: unknown key",
		"bridge: br0\nhttp: foo\n":                               ":2: -http takes",
		"bridge: ''\n":                                           ":1: -bridge has no name",
		"uplink:\n  - eth1\n":                                    ":2: -uplink needs -gateway",
		"openflow: br0.mgmt\n":                                   ":1: -openflow takes",
		"\novsdb: br0.mgmt\n":                                    ":2: -ovsdb takes",
		"gateway: gw0\nrouter-port: gw0\n":                       ":1: gw0 cannot be gateway and router",
		"gateway: gw0\nuplink: gw0\n":                            ":2: gw0 cannot be gateway and uplink",
		"gateway: gw0\nuplink: [a, a]\n":                         ":2: an uplink is named twice",
		"ovs-snooping: true\novsdb: ''\n":                        ":1: -ovs-snooping needs -ovsdb",
		"on-exit: flush\n":                                       ":1: -on-exit is keep or clean",
		"groups-per-port: 0\n":                                   ":1: -groups-per-port",
		"sources-per-group: -1\n":                                ":1: -sources-per-group",
		"group-interval: 0s\n":                                   ":1: -group-interval",
		"packet-rate: 0\n":                                       ":1: -packet-rate",
		"v: true\nquery-response: 200s\n":                        ":2: -query-response must be",
		"query-interval: 5s\n":                                   ":1: -query-response must be",
		"query-interval: 24h\n":                                  ":1: queries: ",
		"query-versions: 3,3\n":                                  ":1: queries: ",
		"\npeers: 192.0.2.2\n":                                   ":2: -peers needs -node",
		"node: 192.0.2.1\n":                                      ":1: -node needs a -tunnel",
		"tunnel: [a, b]\nnode: 192.0.2.1\n":                      ":1: -node needs one -tunnel",
		"tunnel: a\nnode: 192.0.2.1\ntunnel-key: 16777216\n":     ":3: -tunnel-key",
		"tunnel: a\nnode: 192.0.2.1\ntunnel-mtu: 9\n":            ":3: ",
		"tunnel: a\nnode: 192.0.2.1\npeers: 192.0.2.2,x\n":       ":3: -peers",
		"tunnel: a\nnode: 192.0.2.1\npeers: 192.0.2.2,fe80::1\n": ":3: ",
	} {
		path := configFile(t, text)
		_, err := parseOptions([]string{"-config", path}, io.Discard)
		require.ErrorContains(t, err, path+line, text)
	}
	path := configFile(t, "http: :9500\n")
	_, err := parseOptions([]string{"-config", path, "-http", "foo"}, io.Discard)
	require.EqualError(t, err, "-http takes HOST:PORT or :PORT", "what the command line says is not the file's fault")
}

func TestWhatTakesOneValueGetsNoList(t *testing.T) {
	for _, text := range []string{"pprof: [true, false]\n", "bridge: [br0, br1]\n", "query-versions: [3, 2]\n", "log: ~\n"} {
		_, err := parseOptions([]string{"-config", configFile(t, text)}, io.Discard)
		require.ErrorContains(t, err, "agent.yaml:1: ", text)
	}
	o, err := parseOptions([]string{"-config", configFile(t, "router-port: [a, b]\ntunnel: c\nvlan: [1, 2]\nhttp-name: [x, y]\n"+
		"gateway: gw0\nuplink: [u, v]\nrole: [d=uplink, e=member]\n")}, io.Discard)
	require.NoError(t, err)
	require.Len(t, o.roles, 5)
	require.Equal(t, []uint16{1, 2}, o.vlans)
	require.Equal(t, []string{"x", "y"}, o.httpNames)
	require.Equal(t, []string{"u", "v"}, o.uplinks)
}

func TestARuleOfNoUseIsWarnedOf(t *testing.T) {
	path := configFile(t, "policy:\n  rules:\n    - allow: {port: vm1}\n    - deny: {port: vm1, group: 239.1.1.1}\n")
	o, err := parseOptions([]string{"-config", path}, io.Discard)
	require.NoError(t, err)
	require.Equal(t, []string{"rule 2 (" + path + ":4) never decides: rule 1 (" + path + ":3) does, before it"}, o.warnings())
	var out bytes.Buffer
	_, err = examine(t.Context(), []string{"-config", path, "-ovsdb", "", "-openflow", "unix:" + t.TempDir() + "/none"}, &out, io.Discard)
	require.NoError(t, err)
	require.Contains(t, out.String(), "!! configuration: rule 2 ("+path+":4) never decides")
	a, err := newAgent(o, slog.New(slog.NewTextHandler(&out, nil)))
	require.NoError(t, err)
	out.Reset()
	a.reload()
	require.Contains(t, out.String(), "never decides")
}
