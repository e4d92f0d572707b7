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
