package ofgroup_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	. "github.com/ofmcast/ofmcast/ofgroup"
)

// oursFor are all the ways in which a line of ours differs from what `ovs-ofctl ofp-print`
// prints of the same GROUP_MOD, each with its reason.
var oursFor = []struct {
	printed *regexp.Regexp
	ours    string
}{
	// ovs-ofctl does not take its own words for the commands.
	{regexp.MustCompile(`^ADD `), "add "},
	{regexp.MustCompile(`^MOD `), "modify "},
	{regexp.MustCompile(`^ADD_OR_MOD `), "add_or_mod "},
	{regexp.MustCompile(`^DEL `), "delete "},
	{regexp.MustCompile(`^INSERT_BUCKET `), "insert_bucket "},
	{regexp.MustCompile(`^REMOVE_BUCKET `), "remove_bucket "},
	// Nor does it take a colon there, and a line starts with the group.
	{regexp.MustCompile(`^(\w+_bucket) command_bucket_id:(\w+),(group_id=\d+)`), "$1 $3,command_bucket_id=$2"},
	// A message that deletes has a type, which means nothing and which ovs-ofctl refuses.
	{regexp.MustCompile(`^(delete group_id=\d+),type=\w+$`), "$1"},
	// All groups are no number.
	{regexp.MustCompile(`group_id=4294967292`), "group_id=all"},
}

// A set_field with a mask is several loads in OpenFlow 1.3, and prints here as what it is.
// What else there is in the line must be the same.
var (
	loads  = regexp.MustCompile(`load:[^,]+->\w+(\[[\d.]*\])?`)
	masked = regexp.MustCompile(`set_field:[^,]+/[^,]+->\w+`)
	places = regexp.MustCompile(`(…,)*…`)
)

func withoutLoads(line string) string {
	return places.ReplaceAllString(masked.ReplaceAllString(loads.ReplaceAllString(line, "…"), "…"), "…")
}

// wordless are the recorded messages whose actions this package keeps as bytes, and prints
// so, by the end of their names, in both versions.
var wordless = []string{
	"bundle-load", "check-pkt-larger", "conjunction", "decap", "dec-nsh-ttl", "encap-ethernet", "encap-nsh", "enqueue",
	"learn-igmp", "learn-limit", "multipath", "push-pop-stack", "sample", "set-in-port-oxm",
}

func isWordless(name string) bool {
	_, action, _ := strings.Cut(name, "-add-act-")
	return slices.Contains(wordless, action)
}

func TestRecordedGroupModsPrintAsOvsOfctlPrintsThem(t *testing.T) {
	same := 0
	for _, v := range vectors(t, "group_mod") {
		m := decode(t, v.bytes)
		require.Equal(t, isWordless(v.Name), strings.Contains(m.String(), "raw:"), "%s: %v", v.Name, m)
		require.NotContains(t, m.String(), "\n")
		printed, ok := printedMod(v)
		if !ok || isWordless(v.Name) {
			continue // OVS does not print what it refuses to decode
		}
		ours := m.String()
		if m.Version() == OpenFlow13 {
			printed, ours = withoutLoads(printed), withoutLoads(ours)
		}
		require.Equal(t, printed, ours, v.Name)
		same++
	}
	require.Greater(t, same, 330)
}

// printedMod is what ovs-ofctl prints of a GROUP_MOD, or of one that is forwarded, as far as ours
// must be the same.
func printedMod(v vector) (string, bool) {
	head, printed, _ := strings.Cut(strings.TrimRight(v.Print, "\n"), "\n ")
	for _, d := range oursFor {
		printed = d.printed.ReplaceAllString(printed, d.ours)
	}
	return printed, !strings.Contains(head, "decode error")
}

func TestRecordedForwardedRequestsPrintAsOvsOfctlPrintsThem(t *testing.T) {
	for _, v := range vectors(t, "requestforward") {
		f, err := ParseRequestForward(v.bytes)
		require.NoError(t, err, v.Name)
		printed, ok := printedMod(v)
		require.True(t, ok, v.Name)
		require.Equal(t, printed, f.String(), v.Name)
	}
}

func TestRecordedDescriptionsPrintAsOvsOfctlPrintsThem(t *testing.T) {
	same := 0
	for _, v := range vectors(t, "group_desc_reply") {
		version := Version(v.bytes[0])
		groups, err := ParseGroupDesc(version, v.bytes[multipartHeader:])
		require.NoError(t, err)
		lines := strings.Split(strings.TrimRight(v.Print, "\n"), "\n")[1:]
		require.Len(t, lines, len(groups), v.Name)
		for i, g := range groups {
			printed, ours := strings.TrimSpace(lines[i]), g.String()
			if isWordless(v.Name) {
				continue
			}
			if version == OpenFlow13 {
				printed, ours = withoutLoads(printed), withoutLoads(ours)
			}
			require.Equal(t, printed, ours, v.Name)
			same++
		}
	}
	require.Greater(t, same, 320)
}

// What the switch took goes through ovs-ofctl again, from our line, and comes out as the
// same bytes, but for what ovs-ofctl cannot say: the type of the group to insert into, and
// a weight of 0 in an insert, which it leaves out.
func TestOvsOfctlMakesTheRecordedMessagesOfOurLines(t *testing.T) {
	for version, protocol := range protocols {
		var lines, names []string
		var want [][]byte
		for _, v := range vectors(t, "group_mod") {
			m := decode(t, v.bytes)
			if m.Version() != version || !v.Accepted || isWordless(v.Name) ||
				strings.Contains(m.String(), "insert") && strings.Contains(m.String(), "weight:0") {
				continue
			}
			b := append([]byte(nil), v.bytes...)
			clear(b[4:8])
			if m.Command() == InsertBucket || m.Command() == RemoveBucket {
				b[10] = byte(All)
			}
			lines, names, want = append(lines, m.String()), append(names, v.Name), append(want, b)
		}
		require.Greater(t, len(lines), 100)
		got := ofctl(t, protocol, lines)
		require.Len(t, got, len(want))
		for i := range want {
			requireBytes(t, want[i], got[i], names[i])
		}
	}
}
