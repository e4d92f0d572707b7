package ofgrouptest

import (
	"bytes"
	"testing"

	"github.com/ofmcast/ofmcast/internal/openflow"
)

// Whatever a GROUP_MOD holds, the switch neither panics nor stores what it would refuse:
// a group it took and describes can be added again from its description, and is then
// described by the same bytes.
func FuzzGroupModIsTakenAsItIsDescribed(f *testing.F) {
	for i, c := range recordedCases(f) {
		if i%40 == 0 && len(c.Hex) < 1<<10 {
			f.Add(unhex(f, c.Hex))
		}
	}
	f.Fuzz(func(t *testing.T, m []byte) {
		g, v := parseGroupMod(padded(m))
		table := newGroupTable(1 << 20)
		if v != accepted || g.command != cmdAdd || table.apply(g) != accepted {
			return
		}
		entry := table.groups[g.id].describe(nil, g.id)
		again := addFromDescription(entry)
		g2, v := parseGroupMod(again)
		if v != accepted {
			t.Fatalf("took %x and refused its description %x: %v", m, entry, *v.refusal())
		}
		second := newGroupTable(1 << 20)
		if v := second.apply(g2); v != accepted {
			t.Fatalf("refused to add %x again: %v", entry, *v.refusal())
		}
		if got := second.groups[g.id].describe(nil, g.id); !bytes.Equal(entry, got) {
			t.Fatalf("described as %x, then as %x", entry, got)
		}
	})
}

// Whatever a message holds, the switch does not panic; a flow that it took and shows can be
// added again from what it shows, and is then shown alike.
func FuzzAnyMessageIsObeyedOrRefused(f *testing.F) {
	for _, b := range flowHistory() {
		f.Add(uint8(openflow.TypeFlowMod), unhex(f, b.String()))
	}
	for _, c := range casesIn(f, "testdata/flows.jsonl.gz") {
		m := unhex(f, c.Hex)
		f.Add(m[1], m[openflow.HeaderLen:])
	}
	for _, c := range []struct {
		kind uint8
		body string
	}{
		{openflow.TypeMeterMod, addMeter1}, {openflow.TypeRoleRequest, roleBody(roleMaster, 1)},
		{openflow.TypeSetAsync, "0001000800000001"}, {openflow.TypeExperimenter, "00002320000000140000000000000003"},
		{openflow.TypeMultipartRequest, "000d000000000000ffffffff00000000"}, {openflow.TypeSetConfig, "0000ffff"},
	} {
		f.Add(c.kind, unhex(f, c.body))
	}
	f.Fuzz(func(t *testing.T, kind uint8, body []byte) {
		sw := NewSwitch(SwitchConfig{MaxBytes: 1 << 20})
		c := newSwitchConn(sw, nil, 1)
		body = body[:min(len(body), 4096)]
		for _, m := range [][]byte{groupModMessage(cmdAdd, typeAll, 7, 1), message(openflow.Version15, kind, 1, body)} {
			c.answer(MessageType(m[1]), m)
		}
		sw.PacketOuts()
		for _, shown := range sw.Flows() {
			again := NewSwitch(SwitchConfig{})
			c := newSwitchConn(again, nil, 1)
			c.answer(MsgGroupMod, groupModMessage(cmdAdd, typeAll, 7, 1))
			c.answer(MsgFlowMod, addFlowShown(shown))
			if got := again.Flows(); len(got) != 1 || got[0].Match != shown.Match || got[0].Instructions != shown.Instructions || got[0].String() != shown.String() {
				t.Fatalf("shown as %v, then as %v", shown, got)
			}
		}
	})
}

// addFlowShown is the FLOW_MOD that adds a flow as it is shown.
func addFlowShown(f Flow) []byte {
	b := be.AppendUint64(nil, f.Cookie)
	b = be.AppendUint64(b, 0)
	b = append(b, f.Table, flowAdd)
	for _, v := range []uint16{f.IdleTimeout, f.HardTimeout, f.Priority, 0xffff, 0xffff, 0xffff, 0xffff, 0xffff, 0xffff, f.Flags, f.Importance} {
		b = be.AppendUint16(b, v)
	}
	b = be.AppendUint16(b, 1)
	b = be.AppendUint16(b, uint16(4+len(f.Match)))
	b = append(b, f.Match...)
	b = append(b, make([]byte, -(4+len(f.Match))&7)...)
	return message(openflow.Version15, openflow.TypeFlowMod, 1, append(b, f.Instructions...))
}

// padded gives fuzzed bytes the header that readMessage has seen to.
func padded(m []byte) []byte {
	if len(m) < openflow.HeaderLen {
		m = append(m, make([]byte, openflow.HeaderLen-len(m))...)
	}
	return m[:min(len(m), 4096)]
}

func addFromDescription(entry []byte) []byte {
	body := []byte{0, cmdAdd, entry[2], 0}
	body = append(body, entry[4:8]...)
	body = append(body, entry[8:10]...)
	body = append(body, 0, 0)
	body = be.AppendUint32(body, bucketAll)
	return message(openflow.Version15, openflow.TypeGroupMod, 1, append(body, entry[descHeader:]...))
}
