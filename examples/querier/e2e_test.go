package main

import (
	"net/netip"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/examples/internal/running"
	"github.com/ofmcast/ofmcast/internal/ovslab"
)

// quick are timers of a tenth of a minute instead of minutes: members expire after 2.8 s, another
// querier after 2.2 s.
var quick = []string{"-i", "eth0", "-json", "-interval", "1s", "-response", "400ms"}

func launch(t *testing.T, host *ovslab.Host, args ...string) *running.Program {
	t.Helper()
	return running.Start(t, host.Namespace, asProgram, args...)
}

func change(event string, h *ovslab.Host, group netip.Addr) map[string]any {
	return map[string]any{"event": event, "host": h.Addr().String(), "group": group.String()}
}

func TestKernelHostsComeLeaveAndFallSilent(t *testing.T) {
	lab := ovslab.NewNet(t, ovslab.NetConfig{FailMode: "standalone", Hosts: []ovslab.HostConfig{
		{Name: "us"}, {Name: "v1", IGMPVersion: 1}, {Name: "v2", IGMPVersion: 2}, {Name: "v3"}, {Name: "crash"},
	}})
	groups := map[string]netip.Addr{
		"us": netip.MustParseAddr("239.1.1.9"), "v1": netip.MustParseAddr("239.1.1.1"), "v2": netip.MustParseAddr("239.1.1.2"),
		"v3": netip.MustParseAddr("239.1.1.3"), "crash": netip.MustParseAddr("239.1.1.4"),
	}
	joined := map[string]*ovslab.Membership{}
	for _, name := range []string{"us", "v2", "v3", "crash"} { // before: known only if asked
		m, err := lab.Host(name).Join(groups[name])
		require.NoError(t, err)
		joined[name] = m
	}
	p := launch(t, lab.Host("us"), quick...)
	p.Await(map[string]any{"event": "querier", "querier": true, "elected": lab.Host("us").Addr().String()})
	seen := map[string]float64{"us": 3, "v2": 2, "v3": 3, "crash": 3}
	for len(seen) > 0 {
		o := p.Await(map[string]any{"event": "joined"})
		for name, version := range seen {
			if running.Has(o, change("joined", lab.Host(name), groups[name])) {
				require.Equal(t, version, o["version"])
				delete(seen, name)
			}
		}
	}
	_, err := lab.Host("v1").Join(groups["v1"])
	require.NoError(t, err)
	require.Equal(t, float64(1), p.Await(change("joined", lab.Host("v1"), groups["v1"]))["version"])

	require.NoError(t, joined["v3"].Include(netip.MustParseAddr("198.51.100.1")))
	require.Equal(t, "INCLUDE", p.Await(change("refiltered", lab.Host("v3"), groups["v3"]))["mode"])
	silent := change("expired", lab.Host("crash"), groups["crash"])
	require.NoError(t, lab.Host("crash").Crash(t.Context()))
	require.NoError(t, joined["v2"].Leave())
	p.AwaitAll(change("left", lab.Host("v2"), groups["v2"]), silent)

	last := p.Stop(syscall.SIGTERM)
	require.Equal(t, "table", last["event"])
	require.Equal(t, true, last["querier"])
	require.Contains(t, members(last), groups["v3"].String()+" "+lab.Host("v3").Addr().String())
	require.Contains(t, members(last), groups["us"].String()+" "+lab.Host("us").Addr().String(), "our own host's, which hears the queries too")
	require.NotContains(t, members(last), groups["v2"].String()+" "+lab.Host("v2").Addr().String())
	require.Empty(t, p.Stderr.String())
}

// members are the rows of a table.
func members(table map[string]any) []string {
	var rows []string
	groups, _ := table["groups"].([]any)
	for _, g := range groups {
		g := g.(map[string]any)
		for _, m := range g["members"].([]any) {
			rows = append(rows, g["group"].(string)+" "+m.(map[string]any)["host"].(string))
		}
	}
	return rows
}

func TestTheLowerAddressAsksAndTheInterfaceReturns(t *testing.T) {
	lab := ovslab.NewNet(t, ovslab.NetConfig{FailMode: "standalone", Hosts: []ovslab.HostConfig{{Name: "lower"}, {Name: "us"}}})
	lower, us := lab.Host("lower"), lab.Host("us")
	p := launch(t, us, quick...)
	p.Await(map[string]any{"event": "querier", "querier": true, "elected": us.Addr().String()})

	other := launch(t, lower, quick...)
	p.Await(map[string]any{"event": "querier", "querier": false, "elected": lower.Addr().String()})
	require.Equal(t, true, other.Stop(syscall.SIGINT)["querier"])
	p.Await(map[string]any{"event": "querier", "querier": true, "elected": us.Addr().String()})

	for _, state := range []string{"down", "up"} {
		_, err := us.Run(t.Context(), "ip", "link", "set", "eth0", state)
		require.NoError(t, err)
		p.Await(map[string]any{"event": "interface", "up": state == "up"})
	}
	for _, args := range [][]string{
		{"link", "del", "eth0"},
		{"link", "add", "eth0", "type", "veth", "peer", "name", "other"},
		{"link", "set", "eth0", "up"},
		{"addr", "add", "198.51.100.7/24", "dev", "eth0"},
	} {
		_, err := us.Run(t.Context(), "ip", args...)
		require.NoError(t, err)
	}
	p.Await(map[string]any{"event": "querier", "querier": true, "elected": "198.51.100.7"})
	require.Equal(t, "table", p.Stop(syscall.SIGTERM)["event"])
}

func TestOnceIsOneTable(t *testing.T) {
	lab := ovslab.NewNet(t, ovslab.NetConfig{FailMode: "standalone", Hosts: []ovslab.HostConfig{{Name: "us"}, {Name: "v3"}}})
	group := netip.MustParseAddr("239.1.1.3")
	_, err := lab.Host("v3").Join(group)
	require.NoError(t, err)
	p := launch(t, lab.Host("us"), append(quick, "-once")...)
	only := p.Await(map[string]any{})
	require.Equal(t, "table", only["event"])
	require.Equal(t, []string{group.String() + " " + lab.Host("v3").Addr().String()}, members(only))
	require.Nil(t, p.Wait(), "another line")
}
