package main

import (
	"flag"
	"log/slog"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/internal/ovslab"
	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
)

var update = flag.Bool("update", false, "write the golden files of layouts anew, to be read before they are committed")

func member(n ofgroup.Port, c carriage) port { return port{number: n, role: roleMember, vlans: c} }

func access(vlan uint16) carriage { return carriage{access: true, native: vlan} }

func trunk(vlans ...uint16) carriage { return carriage{listed: true, list: vlans} }

func withTunnel(l layout) layout {
	l.tunnel = tunnel{port: 50, id: 5, peers: []netip.Addr{netip.MustParseAddr("172.31.0.2"), netip.MustParseAddr("172.31.0.3")}}
	return l
}

// What each layout is on a switch stands in testdata, as ovs-ofctl prints it.
func TestLayoutsOnARealSwitch(t *testing.T) {
	t.Parallel()
	everywhere := carriage{}
	for name, l := range map[string]layout{
		"segment": newLayout([]port{
			member(1, everywhere), member(2, everywhere), {number: 100, role: roleGateway},
		}, nil, nil),
		"tunnel": newLayout([]port{member(1, everywhere), {number: 50, role: roleTunnel}}, nil, nil),
		"nodes": withTunnel(newLayout([]port{
			member(1, everywhere), {number: 50, role: roleTunnel}, {number: 100, role: roleGateway},
		}, nil, nil)),
		"nodes-vlans": withTunnel(newLayout([]port{
			member(1, access(10)), {number: 6, role: roleUplink}, {number: 50, role: roleTunnel},
		}, nil, map[uint16][]ofgroup.Port{10: {6}})),
		"router": newLayout([]port{
			member(1, everywhere), {number: 5, role: roleRouter}, {number: 6, role: roleUplink},
		}, nil, map[uint16][]ofgroup.Port{0: {5}}),
		"vlans": newLayout([]port{
			member(1, access(10)), member(2, access(20)), member(3, trunk(10, 20)),
			{number: 100, role: roleGateway, vlans: access(10)},
		}, nil, nil),
		"native": newLayout([]port{
			member(1, carriage{native: 10, listed: true, list: []uint16{10, 20}}),
			member(2, carriage{native: 10, tagOut: true, listed: true, list: []uint16{10}}),
			{number: 6, role: roleUplink, vlans: trunk(10, 20)},
			{number: ofgroup.PortLocal, role: roleBridge, vlans: access(20)},
		}, nil, map[uint16][]ofgroup.Port{20: {6}}),
		"asked": newLayout([]port{member(1, everywhere)}, []uint16{4094}, nil),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			requireGolden(t, name, onSwitch(t, l))
		})
	}
}

// onSwitch programs a layout on a switch of its own and returns what is there then.
func onSwitch(t *testing.T, l layout) string {
	lab := ovslab.New(t, ovslab.Config{})
	s, err := ofconn.Open(t.Context(), ofconn.Config{Dial: lab.Dial})
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	require.NoError(t, newBase(100, slog.New(slog.DiscardHandler)).apply(t.Context(), s, l))
	return dump(t, lab)
}

// dump is the switch's groups, meters and flows, sorted and without what only it knows.
func dump(t *testing.T, lab *ovslab.Lab) string {
	var lines []string
	for _, args := range [][]string{
		{"dump-groups", lab.Mgmt()}, {"dump-meters", lab.Mgmt()}, {"--no-stats", "dump-flows", lab.Mgmt()},
	} {
		out, err := lab.Ofctl(t.Context(), args...)
		require.NoError(t, err)
		var some []string
		for line := range strings.Lines(regexp.MustCompile(`\n(type=drop)`).ReplaceAllString(out, " $1")) {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "OFPST") {
				some = append(some, line)
			}
		}
		slices.Sort(some)
		lines = append(lines, some...)
	}
	return strings.Join(lines, "\n") + "\n"
}

func requireGolden(t *testing.T, name, got string) {
	file := filepath.Join("testdata", "layout", name+".txt")
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), got)
}
