package ofgrouptest

import (
	"encoding/hex"
	"fmt"
	"net"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/internal/openflow"
	"github.com/ofmcast/ofmcast/internal/ovslab"
)

// script is a history of messages on several connections, played to this switch and to a
// real one, whose every reply must be the same.
type script struct {
	said []string
}

// step sends one message on a connection, body in hex, and notes what came back on it.
func (s *script) step(conns []*client, on int, kind uint8, body string) {
	c := conns[on]
	c.tb.Helper()
	b := unhex(c.tb, body)
	for i, reply := range c.replies(message(openflow.Version15, kind, 0, b)) {
		if reply[1] == openflow.TypeError {
			reply = reply[:12] // the quote is tried elsewhere
		}
		if i == 0 || reply[1] != openflow.TypeMultipartReply {
			openflow.PutXID(reply, 0)
		}
		s.said = append(s.said, fmt.Sprintf("%d: %d %x: %x", on, kind, b, reply))
	}
}

// replies is do without a look at transaction IDs.
func (c *client) replies(request []byte) [][]byte {
	c.tb.Helper()
	c.send(append(request, barrier(0xb000)...))
	var replies [][]byte
	for {
		m := c.receive()
		if m[1] == openflow.TypeBarrierReply {
			return replies
		}
		replies = append(replies, m)
	}
}

// requireSameAnswers plays a history on n connections to a real switch and to this one.
func requireSameAnswers(t *testing.T, n int, play func(s *script, conns []*client)) {
	t.Helper()
	lab := ovslab.New(t, ovslab.Config{Ports: []string{"p1", "p2", "p3", "p4"}})
	var real, double script
	play(&real, clients(t, n, func() (net.Conn, error) { return lab.Dial(t.Context()) }))
	sw := newSwitch(t)
	conns := clients(t, n, func() (net.Conn, error) { return sw.Dial(t.Context()) })
	for _, c := range conns {
		c.flows = sw.Flows
	}
	play(&double, conns)
	require.NotEmpty(t, real.said)
	require.Empty(t, cmp.Diff(real.said, double.said))
}

func clients(t *testing.T, n int, dial func() (net.Conn, error)) []*client {
	t.Helper()
	var all []*client
	for range n {
		nc, err := dial()
		require.NoError(t, err)
		t.Cleanup(func() { _ = nc.Close() })
		c := &client{tb: t, nc: nc}
		c.send(switchHello())
		require.EqualValues(t, openflow.TypeHello, c.receive()[1])
		all = append(all, c)
	}
	return all
}

const (
	badRoleBody   = "0000000400000000" + "0000000000000000"
	askRoleBody   = "0000000000000000" + "0000000000000000"
	groupModBody  = "000000000000000700000000ffffffff"
	portDescBody  = "000d000000000000%08x00000000"
	portDescShort = "000d000000000000"
)

func roleBody(role uint32, generation uint64) string {
	return fmt.Sprintf("%08x00000000%016x", role, generation)
}

func TestRolesAreGivenAndRefusedAsByARealSwitch(t *testing.T) {
	requireSameAnswers(t, 2, func(s *script, conns []*client) {
		ask := func(on int, body string) { s.step(conns, on, openflow.TypeRoleRequest, body) }
		for _, body := range []string{
			askRoleBody, badRoleBody, askRoleBody[:16], askRoleBody + "0000000000000000",
			roleBody(roleEqual, 77), askRoleBody, roleBody(roleMaster, 5), roleBody(roleMaster, 5),
		} {
			ask(0, body)
		}
		ask(1, askRoleBody)
		ask(1, roleBody(roleMaster, 4))
		ask(1, roleBody(roleSlave, 4))
		ask(1, roleBody(roleEqual, 4))
		ask(1, roleBody(roleMaster, 6))
		slaveWrites(s, conns)
		ask(0, askRoleBody) // its demotion was told before
		ask(1, roleBody(roleSlave, 7))
		ask(0, roleBody(roleEqual, 0))
		ask(0, roleBody(roleMaster, 7+1<<63))
		ask(0, roleBody(roleMaster, 6+1<<63))
		ask(0, roleBody(roleMaster, 6))
		ask(1, askRoleBody)
	})
}

// slaveWrites has connection 0, which is a slave, try everything.
func slaveWrites(s *script, conns []*client) {
	for _, m := range []struct {
		kind uint8
		body string
	}{
		{openflow.TypeGroupMod, groupModBody},
		{openflow.TypeGroupMod, groupModBody[:8]},
		{openflow.TypeFlowMod, flowModBody{}.String()},
		{openflow.TypeFlowMod, ""},
		{openflow.TypeMeterMod, addMeter1},
		{openflow.TypePacketOut, packetOutBody("ffffffff", matchOf(in1), outputTo(2), frame)},
		{openflow.TypePacketOut, "ffffffff"},
		{openflow.TypeSetConfig, "0000ffff"},
		{openflow.TypeSetAsync, ""},
		{openflow.TypeGetConfigRequest, ""},
		{openflow.TypeExperimenter, "00002320000000140000000000000003"},
		{openflow.TypeExperimenter, "000023200000001000000002"},
		{openflow.TypeMultipartRequest, "0007000000000000fffffffc00000000"},
	} {
		s.step(conns, 0, m.kind, m.body)
	}
}

func TestAConnectionIsConfiguredAsByARealSwitch(t *testing.T) {
	requireSameAnswers(t, 1, func(s *script, conns []*client) {
		get := func() { s.step(conns, 0, openflow.TypeGetConfigRequest, "") }
		s.step(conns, 0, openflow.TypeGetConfigRequest, "0000000000000000")
		for _, body := range []string{"", "0000", "0000fffe", "0000fffe00000000", "0001ffff", "0002ffff", "0003ffff", "0004ffff", "00000000"} {
			s.step(conns, 0, openflow.TypeSetConfig, body)
			get()
		}
		for _, body := range []string{
			"", "00002320", "0000123400000010", "00002320000003e7", "0000232000000010",
			"000023200000001000000000", "000023200000001000000002", "000023200000001000000003",
			"00002320000000100000000000000000", "00002320000000140000000000000003",
			"0000232000000014000000000000", "00002320000000140000000000000003" + "0000000000000000",
		} {
			s.step(conns, 0, openflow.TypeExperimenter, body)
		}
	})
}

func TestAsynchronousMessagesAreChosenAsByARealSwitch(t *testing.T) {
	requireSameAnswers(t, 1, func(s *script, conns []*client) {
		set := func(body string) {
			s.step(conns, 0, openflow.TypeSetAsync, body)
			s.step(conns, 0, typeGetAsyncRequest, "")
		}
		set("")
		for kind := range 14 {
			for bit := range 7 {
				set(fmt.Sprintf("%04x0008%08x", kind, 1<<bit))
			}
			set(fmt.Sprintf("%04x0008ffffffff", kind))
			set(fmt.Sprintf("%04x000800000000", kind))
		}
		set("0001000800000001" + "0001000800000040") // all or nothing
		set("0001000800000001" + "0003000800000002")
		for _, body := range []string{
			"00010004", "0001000400000000", "0001000000000001", "0001000c0000000100000000",
			"00010010000000010000000000000000", "ffff000800000001", "ffff00100000232000000001" + "00000002", "1234000800000001",
		} {
			set(body)
		}
	})
}

func TestPortsAreDescribedAsByARealSwitch(t *testing.T) {
	requireSameAnswers(t, 1, func(s *script, conns []*client) {
		for _, port := range []uint32{1, 4, 5, 0, 0xfffffffc, 0xff00, 0xfffffeff} {
			at := len(s.said)
			s.step(conns, 0, openflow.TypeMultipartRequest, fmt.Sprintf(portDescBody, port))
			s.said[at] = withoutMAC(s.said[at])
		}
		for _, body := range []string{portDescShort, portDescShort + "ffffffff", portDescShort + "ffffffff" + "000000000000000000000000"} {
			s.step(conns, 0, openflow.TypeMultipartRequest, body)
		}
		s.said = append(s.said, sortedPorts(conns[0])...)
	})
}

// withoutMAC blanks a port's address, which is no rule's doing.
func withoutMAC(said string) string {
	const at = 2 * (openflow.MultipartHeaderLen + 8)
	i := len(said) - 2*portDescription - 2*openflow.MultipartHeaderLen + at
	if i < 0 || said[i-at-2:i-at] != ": " {
		return said
	}
	return said[:i] + said[i+12:]
}

// sortedPorts are the descriptions of all ports but the bridge's own.
func sortedPorts(c *client) []string {
	reply := c.replies(message(openflow.Version15, openflow.TypeMultipartRequest, 0, unhex(c.tb, fmt.Sprintf(portDescBody, uint32(anyWatch)))))[0]
	var all []string
	for b := reply[openflow.MultipartHeaderLen:]; len(b) >= portDescription; b = b[portDescription:] {
		if be.Uint32(b) != 0xfffffffe {
			all = append(all, hex.EncodeToString(b[:8])+hex.EncodeToString(b[14:portDescription]))
		}
	}
	slices.Sort(all)
	return all
}
