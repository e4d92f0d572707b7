package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/examples/ovsdb"
	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
)

func desc(n ofgroup.Port, name string) ofconn.PortDesc { return ofconn.PortDesc{Number: n, Name: name} }

// row is a port of the database with one interface.
func row(name string, ofport int, portRole, interfaceRole string) ovsdb.Port {
	p := ovsdb.Port{Name: name, Interfaces: []ovsdb.Interface{{Name: name, OFPort: ofport}}}
	if portRole != "" {
		p.ExternalIDs = map[string]string{roleKey: portRole}
	}
	if interfaceRole != "" {
		p.Interfaces[0].ExternalIDs = map[string]string{roleKey: interfaceRole}
	}
	return p
}

func TestRolesComeFromFlagsThenInterfacesThenPorts(t *testing.T) {
	o, err := parseOptions([]string{"-gateway", "gw0", "-router-port", "r1", "-tunnel", "t1", "-role", "m1=member", "-role", "u1=uplink"}, t.Output())
	require.NoError(t, err)
	settings := &ovsdb.Bridge{Ports: []ovsdb.Port{
		row("gw0", 1, "", ""), row("r1", 2, "", "member"), row("t1", 3, "", ""), row("m1", 4, "router", "router"), row("u1", 5, "", ""),
		row("r2", 6, "router", ""), row("u2", 7, "router", "uplink"), row("gw1", 8, "gateway", ""), row("plain", 9, "", ""),
		row("wrong", 10, "", "king"), row("br0", 65534, "", ""),
	}}
	var descs []ofconn.PortDesc
	for _, p := range settings.Ports {
		descs = append(descs, desc(ofgroup.Port(p.Interfaces[0].OFPort), p.Name))
	}
	descs[len(descs)-1].Number = ofgroup.PortLocal
	ports, errs := servedPorts(o, descs, settings)
	require.Len(t, errs, 1)
	require.ErrorContains(t, errs[0], "king")
	roles := map[string]role{}
	for _, p := range ports {
		roles[p.name] = p.role
	}
	require.Equal(t, map[string]role{
		"gw0": roleGateway, "r1": roleRouter, "t1": roleTunnel, "m1": roleMember, "u1": roleUplink,
		"r2": roleRouter, "u2": roleUplink, "gw1": roleMember, "plain": roleMember, "wrong": roleMember, "br0": roleBridge,
	}, roles, "the flag's gateway is the only one")

	ports, errs = servedPorts(options{}, descs[7:8], settings)
	require.Empty(t, errs)
	require.Equal(t, roleGateway, ports[0].role, "without a flag the database may name one")
}

func TestWithoutADatabaseEveryPortIsPlain(t *testing.T) {
	ports, errs := servedPorts(options{}, []ofconn.PortDesc{desc(2, "b"), desc(1, "a"), desc(ofgroup.PortController, "x")}, nil)
	require.Empty(t, errs)
	require.Equal(t, []port{{number: 1, name: "a", role: roleMember}, {number: 2, name: "b", role: roleMember}}, ports)
}

// OpenFlow cuts names after 15 bytes; the database has them whole.
func TestPortsAreFoundByNameAndLongOnesByNumberToo(t *testing.T) {
	one, two := row("a-long-name-of-one", 1, "", "router"), row("a-long-name-of-two", 2, "", "")
	settings := &ovsdb.Bridge{Ports: []ovsdb.Port{one, two, row("c", 9, "", "router")}}
	ports, errs := servedPorts(options{}, []ofconn.PortDesc{desc(1, "a-long-name-of-"), desc(2, "a-long-name-of-"), desc(3, "c")}, settings)
	require.Empty(t, errs)
	require.Len(t, ports, 3)
	require.Equal(t, "a-long-name-of-one (1)", ports[0].String())
	require.Equal(t, roleRouter, ports[0].role)
	require.Equal(t, roleMember, ports[1].role)
	require.Equal(t, roleRouter, ports[2].role, "the database may not know the number yet")
}

func TestAPortThatTheDatabaseDoesNotKnowIsNotServed(t *testing.T) {
	ports, _ := servedPorts(options{}, []ofconn.PortDesc{desc(1, "a"), desc(2, "b")}, &ovsdb.Bridge{Ports: []ovsdb.Port{row("b", 2, "", "")}})
	require.Len(t, ports, 1)
	require.Equal(t, "b", ports[0].name)
}

func TestAPortInAnUnknownModeMakesVLANsMatter(t *testing.T) {
	odd := row("q", 1, "", "")
	odd.VLANMode = "dot1q-tunnel"
	ports, errs := servedPorts(options{}, []ofconn.PortDesc{desc(1, "q"), desc(2, "b")}, &ovsdb.Bridge{Ports: []ovsdb.Port{odd, row("b", 2, "", "")}})
	require.Len(t, errs, 1)
	require.ErrorIs(t, errs[0], errTunnelled)
	l := newLayout(ports, nil, nil)
	require.True(t, l.byPort)
	for _, f := range l.hooks() {
		require.NotContains(t, f.Match.String(), "in_port=1,", "nothing from there is taken for the one segment")
	}
}
