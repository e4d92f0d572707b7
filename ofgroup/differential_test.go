package ofgroup_test

import (
	"testing"

	"pgregory.net/rapid"

	. "github.com/ofmcast/ofmcast/ofgroup"
)

// Random groups of everything there is a constructor for are the same bytes, encoded here and made by
// ovs-ofctl of the lines that they print as. What it has no words for is not drawn; nothing that it
// does otherwise had to be allowed for.
func TestRandomGroupsAreTheBytesThatOvsOfctlMakesOfTheirLines(t *testing.T) {
	reference := newReference(t)
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.SampledFrom(bothVersions).Draw(t, "version")
		var lines []string
		var want [][]byte
		for range rapid.IntRange(1, 8).Draw(t, "groups") {
			m, err := anyGroup(t).Mod(Add, v)
			if v == OpenFlow13 && err != nil { // it has no words for all
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			b, err := m.MarshalBinary()
			if err != nil {
				t.Fatal(err)
			}
			lines, want = append(lines, m.String()), append(want, b)
		}
		if len(lines) == 0 {
			return
		}
		got, err := reference.mods(protocols[v], lines)
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != len(want) {
			t.Fatalf("%d messages of %d lines", len(got), len(want))
		}
		for i, b := range got {
			if string(b) != string(want[i]) {
				t.Fatalf("%s\nwant %x\ngot  %x", lines[i], want[i], b)
			}
		}
	})
}
