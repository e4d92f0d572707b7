package ofgrouptest

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"maps"
	"net"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/internal/openflow"
	"github.com/ofmcast/ofmcast/internal/ovslab"
)

// flowModBody is a FLOW_MOD to try, each part in hex; what is left out is as ovs-ofctl has it.
type flowModBody struct {
	cookie, mask              uint64
	table, command            uint8
	idle, hard, priority      uint16
	buffer, outPort, outGroup uint32 // their complement, so that zero is "none"
	flags, importance         uint16
	match                     []string // fields, each an OXM
	rawMatch                  string   // the whole match instead
	does                      string   // instructions
}

func (f flowModBody) String() string {
	var b []byte
	b = be.AppendUint64(b, f.cookie)
	b = be.AppendUint64(b, f.mask)
	b = append(b, f.table, f.command)
	for _, v := range []uint16{f.idle, f.hard, f.priority} {
		b = be.AppendUint16(b, v)
	}
	for _, v := range []uint32{f.buffer, f.outPort, f.outGroup} {
		b = be.AppendUint32(b, ^v)
	}
	b = be.AppendUint16(b, f.flags)
	b = be.AppendUint16(b, f.importance)
	match := f.rawMatch
	if match == "" {
		match = matchOf(f.match...)
	}
	return hex.EncodeToString(b) + match + f.does
}

func matchOf(fields ...string) string {
	n := 4
	all := ""
	for _, f := range fields {
		all += f
		n += len(f) / 2
	}
	return fmt.Sprintf("0001%04x%s%s", n, all, hex.EncodeToString(make([]byte, -n&7)))
}

// applying is an instruction to apply actions.
func applying(actions ...string) string { return withActions(applyActions, actions...) }

func withActions(kind int, actions ...string) string {
	n := instructionHeader
	all := ""
	for _, a := range actions {
		all += a
		n += len(a) / 2
	}
	return fmt.Sprintf("%04x%04x00000000%s", kind, n, all)
}

func outputTo(port uint32) string { return fmt.Sprintf("00000010%08x0000000000000000", port) }
func toGroup(id uint32) string    { return fmt.Sprintf("00160008%08x", id) }
func toMeter(id uint32) string    { return fmt.Sprintf("001d0008%08x", id) }

// setting is a set_field action of one OXM.
func setting(oxm string) string {
	n := 4 + len(oxm)/2
	return fmt.Sprintf("0019%04x%s%s", (n+7)&^7, oxm, hex.EncodeToString(make([]byte, -n&7)))
}

const (
	isIPv4 = "80000a020800"
	isIPv6 = "80000a0286dd"
	isARP  = "80000a020806"
	isMPLS = "80000a028847"
	tagged = "80000d0410001000"
	in1    = "8000000400000001"
	reg0is = "0001000400000005"
)

func proto(n uint8) string { return fmt.Sprintf("80001401%02x", n) }

// settings are matches under which one or other field may be asked for.
var settings = map[string][]string{
	"any": nil, "vlan": {tagged}, "no vlan": {"80000c020000"}, "vlan 10": {"80000c02100a"},
	"ip": {isIPv4}, "ipv6": {isIPv6}, "arp": {isARP}, "mpls": {isMPLS}, "rarp": {"80000a028035"},
	"tcp": {isIPv4, proto(6)}, "udp": {isIPv6, proto(17)}, "sctp": {isIPv4, proto(132)},
	"icmp": {isIPv4, proto(1)}, "icmp6": {isIPv6, proto(58)}, "icmp6 over ip": {isIPv4, proto(58)},
	"type only":     {isIPv6, proto(58), "80003a0187"},
	"solicit":       {isIPv6, proto(58), "80003a0187", "80003c0100"},
	"advertise":     {isIPv6, proto(58), "80003a0188", "80003c0100"},
	"solicit, code": {isIPv6, proto(58), "80003a0187", "80003c0101"},
}

// fieldProbes are OXMs of one field: with and without a mask, of each kind of value.
func fieldProbes(f field) []string {
	ones, full := bytes.Repeat([]byte{0xff}, f.size), f.fullMask()
	none, low := make([]byte, f.size), make([]byte, f.size)
	low[f.size-1] = 1
	oxm := func(value, mask []byte) string {
		h := f.header(mask != nil)
		return hex.EncodeToString(be.AppendUint32(nil, uint32(h))) + hex.EncodeToString(value) + hex.EncodeToString(mask)
	}
	short := openflow.NewOXM(uint16(f.number>>16), uint8(f.number&0x7f), f.size+1)
	return []string{
		oxm(none, nil), oxm(low, nil), oxm(full, nil), oxm(ones, nil),
		oxm(low, ones), oxm(low, full), oxm(low, low), oxm(none, low), oxm(none, none), oxm(low, none), oxm(ones, full), oxm(full, ones),
		oxm(none, nil)[:6], oxm(none, nil) + oxm(low, nil), oxm(none, none) + oxm(low, nil),
		hex.EncodeToString(be.AppendUint32(nil, uint32(short))) + hex.EncodeToString(append(none, 0)),
	}
}

func sortedFields() []field {
	return slices.SortedFunc(maps.Values(setFields), func(a, b field) int { return int(int64(a.number) - int64(b.number)) })
}

// unlike are the fields of which this switch knows less than Open vSwitch 3.1 does.
var unlike = map[uint32]string{
	nxm0 | 5:   "the TOS byte is a second name of ip_dscp, with its two low bits zero",
	nxm1 | 35:  "the datapath's own: flows may not match on it",
	nxm1 | 36:  "likewise",
	nxm1 | 119: "needs a connection that is tracked", nxm1 | 120: "likewise", nxm1 | 121: "likewise",
	nxm1 | 122: "likewise", nxm1 | 123: "likewise", nxm1 | 124: "likewise", nxm1 | 125: "likewise",
	basic | 44: "every match has it already",
}

func TestEveryFieldIsMatchedAsByARealSwitch(t *testing.T) {
	real, double := realAndDouble(t)
	for _, f := range sortedFields() {
		if unlike[f.number] != "" {
			continue
		}
		var bodies []string
		for _, name := range slices.Sorted(maps.Keys(settings)) {
			for _, p := range fieldProbes(f) {
				if f.number != fieldVLANPCP || len(p) != 22 { // wildcarded first, it unsettles the real one
					bodies = append(bodies, flowModBody{match: append(slices.Clone(settings[name]), p)}.String())
				}
			}
		}
		require.Empty(t, cmp.Diff(real.verdicts(bodies), double.verdicts(bodies)), "field %#x", f.number)
	}
}

func TestActionsAskOfTheMatchWhatARealSwitchDoes(t *testing.T) {
	real, double := realAndDouble(t)
	var bodies []string
	try := func(actions ...string) {
		for _, name := range slices.Sorted(maps.Keys(settings)) {
			bodies = append(bodies, flowModBody{match: settings[name], does: applying(actions...)}.String())
		}
	}
	const push, pop = "0011000881000000", "0012000800000000"
	vid, pcp := setting("80000c02100a"), setting("80000e0103")
	for _, f := range sortedFields() {
		if unlike[f.number] == "" {
			try(setting(fieldProbes(f)[1]))
		}
	}
	for _, action := range []string{pop, push, "0018000800000000", "0017000805000000", "0010000800000000", "000f000805000000"} {
		try(action)
	}
	try(push, vid, pcp)
	try(push, vid, pop, vid)
	try(pop, push, vid)
	try(push, pop, pop)
	try("0013000888470000", setting("8000440400000001"), "0014000808000000", setting("80001604ef010101"))
	require.Empty(t, cmp.Diff(real.verdicts(bodies), double.verdicts(bodies)))
}

// realAndDouble are a connection to a real switch and one to this.
func realAndDouble(t *testing.T) (real, double *client) {
	t.Helper()
	lab := ovslab.New(t, ovslab.Config{Ports: []string{"p1", "p2", "p3", "p4"}})
	sw := newSwitch(t)
	return clients(t, 1, func() (net.Conn, error) { return lab.Dial(t.Context()) })[0],
		clients(t, 1, func() (net.Conn, error) { return sw.Dial(t.Context()) })[0]
}

// verdicts sends many FLOW_MODs at once and says of each what it drew.
func (c *client) verdicts(bodies []string) []string {
	c.tb.Helper()
	return c.verdictsOn(openflow.TypeFlowMod, bodies)
}

// verdictsOn is verdicts for messages of another type.
func (c *client) verdictsOn(kind uint8, bodies []string) []string {
	c.tb.Helper()
	out := slices.Clone(bodies)
	var all []byte
	for i, b := range bodies {
		m := message(openflow.Version15, kind, uint32(i), unhex(c.tb, b))
		all = append(all, m...)
	}
	sent := make(chan error, 1)
	go func() {
		_, err := c.nc.Write(append(all, barrier(0xb000)...))
		sent <- err
	}()
	for m := c.receive(); m[1] != openflow.TypeBarrierReply; m = c.receive() {
		out[xidOf(m)] += fmt.Sprintf(" %d/%d", be.Uint16(m[8:]), be.Uint16(m[10:]))
	}
	require.NoError(c.tb, <-sent)
	return out
}
