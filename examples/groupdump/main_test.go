package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// vector is a message that Open vSwitch and its ovs-ofctl exchanged.
type vector struct {
	Name string `json:"name"`
	Kind string `json:"kind"`
	Hex  string `json:"hex"`
}

// vectors are the recorded messages, of the kinds that have to do with groups or of all others.
func vectors(t *testing.T, aboutGroups bool) []vector {
	t.Helper()
	f, err := os.Open("../../ofgroup/testdata/groups.jsonl.gz")
	require.NoError(t, err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	require.NoError(t, err)
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 1<<20)
	var all []vector
	for lines.Scan() {
		var v vector
		require.NoError(t, json.Unmarshal(lines.Bytes(), &v))
		about := strings.HasPrefix(v.Kind, "group_") || strings.HasPrefix(v.Kind, "bundle_") ||
			v.Kind == "requestforward" || v.Kind == "error"
		if about == aboutGroups {
			all = append(all, v)
		}
	}
	require.NoError(t, lines.Err())
	require.NotEmpty(t, all)
	return all
}

// groupdump is the program, run with these arguments and this input.
func groupdump(t *testing.T, in string, args ...string) (status int, out, errOut string) {
	t.Helper()
	var o, e bytes.Buffer
	status = run(t.Context(), args, strings.NewReader(in), &o, &e)
	return status, o.String(), e.String()
}

func TestEverythingRecordedAboutGroupsComesOutAsItWentIn(t *testing.T) {
	var in strings.Builder
	for _, v := range vectors(t, true) {
		// It hangs Open vSwitch; see the test below.
		if v.Name != "of15-group-mod-insert-buckets-no-buckets-last" {
			in.WriteString(v.Hex + "\n")
		}
	}
	status, out, errOut := groupdump(t, in.String(), "-roundtrip")
	require.Empty(t, errOut)
	require.Equal(t, exitDone, status)
	require.Equal(t, in.String(), out)

	status, out, errOut = groupdump(t, in.String())
	require.Empty(t, errOut)
	require.Equal(t, exitDone, status)
	require.GreaterOrEqual(t, strings.Count(out, "\n"), strings.Count(in.String(), "\n"))
	for line := range strings.Lines(out) {
		require.Regexp(t, `^(group_id=|(add|modify|delete|add_or_mod|insert_bucket|remove_bucket) group_id=|# )`, line)
	}
}

func TestOtherMessagesAreToldByTheirLine(t *testing.T) {
	var in, want strings.Builder
	for i, v := range vectors(t, false) {
		in.WriteString(v.Hex + "\n")
		_, err := want.WriteString("groupdump: line " + number(uint64(i+1)) + ": ")
		require.NoError(t, err)
	}
	status, out, errOut := groupdump(t, in.String())
	require.Equal(t, exitFailed, status)
	require.Empty(t, out)
	var got strings.Builder
	for line := range strings.Lines(errOut) {
		head, what, _ := strings.Cut(line, ": not a message about groups: ")
		require.NotEmpty(t, what, line)
		got.WriteString(head + ": ")
	}
	require.Equal(t, want.String(), got.String())
}

const (
	addGroup8 = "060f0030 00000000 00000000 00000008 00180000 ffffffff 00180010 00000000 00000010 00000003 00000000 00000000"
	textOf8   = "add group_id=8,type=all,bucket=bucket_id:0,actions=output:3\n"
	unbundled = "060f0018000000000002000000000008 00000000ffffffff"
)

func TestEachMessageIsALine(t *testing.T) {
	for what, c := range map[string]struct{ in, out string }{
		"GROUP_MOD":  {addGroup8, textOf8},
		"delete all": {"060f0018 00000000 00020000 fffffffc 00000000 ffffffff", "delete group_id=all\n"},
		"description of two": {
			"06130030 00000000 0007 0000 00000000 0010 01 00 00000001 0000 000000000000 0010 00 00 00000002 0000 000000000000",
			"group_id=1,type=select\ngroup_id=2,type=all\n"},
		"description of none": {"06130010 00000000 0007 0000 00000000", "# no groups\n"},
		"statistics": {
			"06130038 00000002 0006 0000 00000000 0028 0000 000000c8 00000001 00000000 000000000000000d 0000000000000356 00000000 01312d00",
			"# group_id=200,duration=0.020s,ref_count=1,packet_count=13,byte_count=854\n"},
		"statistics request": {"06120018 00000002 0006 0000 00000000 00000007 00000000", "# dump-group-stats 7\n"},
		"features request":   {"06120010 00000002 0008 0000 00000000", "# dump-group-features\n"},
		"forwarded":          {"06200020 00000000 060f0018 00000006 00020000 00000046 00000000 ffffffff", "delete group_id=70\n"},
		"forwarded meter":    {"06200018 00000009 061d0010 0000000a 0000 0001 00000001", "# forwarded: a message of OpenFlow type 29, 16 bytes\n"},
		"error":              {"06010024 00000002 0006 0008" + unbundled, "# switch refused it: OFPGMFC_UNKNOWN_GROUP: delete group_id=8\n"},
		"error in a bundle": {"06010034 00000002 0006 0008 06220028 00000000 00000000 0000 0003" + unbundled,
			"# switch refused it: OFPGMFC_UNKNOWN_GROUP: delete group_id=8\n"},
		"error of something else": {"06010014 00000002 0001 0001 06990008 00000000", "# switch refused it: OFPBRC_BAD_TYPE\n"},
		"bundle opened":           {"06210010 00000004 00000007 0001 0000", "# bundle_id=7 type=OPEN_REPLY flags=0x0\n"},
		"bundle committed":        {"06210010 00000004 00000007 0004 0003", "# bundle_id=7 type=COMMIT_REQUEST flags=atomic ordered\n"},
		"bundle, unknown":         {"06210010 00000004 00000007 0009 0012", "# bundle_id=7 type=0x9 flags=ordered 0x10\n"},
		"bundled":                 {"06220028 00000000 00000007 0000 0003" + unbundled, "delete group_id=8\n"},
		"bundled in 1.3":          {"04040028 00000002 4f4e4600 000008fd 00000000 0000 0003 040f0010 00000002 0002 0000 00000016", "delete group_id=22\n"},
		"bundled barrier":         {"06220018 00000000 00000007 0000 0003 06140008 00000000", "# bundle_id=7 a message of OpenFlow type 20, 8 bytes\n"},
	} {
		status, out, errOut := groupdump(t, c.in)
		require.Empty(t, errOut, what)
		require.Equal(t, exitDone, status, what)
		require.Equal(t, c.out, out, what)
		status, out, errOut = groupdump(t, c.in+"\r\n", "-roundtrip")
		require.Empty(t, errOut, what)
		require.Equal(t, exitDone, status, what)
		require.Equal(t, strings.ReplaceAll(c.in, " ", "")+"\n", out, what)
	}
}

func TestLinesThatCannotBeDecodedAreToldAndTheOthersPrinted(t *testing.T) {
	long := strings.Repeat("0", maxLine+10)
	in := "# a comment\n\n" + addGroup8 + "\nxyz\n060\n060f0010 00000000\n0600\n" + long + "\n\t" + addGroup8
	status, out, errOut := groupdump(t, in)
	require.Equal(t, exitFailed, status)
	require.Equal(t, textOf8+textOf8, out)
	require.Equal(t, `groupdump: line 4: encoding/hex: invalid byte: U+0078 'x'
groupdump: line 5: encoding/hex: odd length hex string
groupdump: line 6: length: the message says 16 bytes and has 8
groupdump: line 7: openflow: message shorter than its header
groupdump: line 8: line longer than a message can be
`, errOut)
}

func TestAFaultInAMessageIsToldByGroupAndBucket(t *testing.T) {
	bad := strings.Replace(addGroup8, "00180010 00000000 00000010", "00180018 00000000 00000010", 1)
	for _, in := range []string{bad, "06220040 00000000 00000007 0000 0003" + bad, "06200038 00000000 " + bad} {
		status, _, errOut := groupdump(t, in)
		require.Equal(t, exitFailed, status)
		require.Equal(t, "groupdump: line 1: ofgroup: decode group 8: bucket 0: malformed: action length\n", errOut)
	}
}

func TestBytesThatComeOutOtherwiseAreToldAndPrinted(t *testing.T) {
	dirty := strings.Replace(addGroup8, "0000 00000008", "0055 00000008", 1) // padding
	status, out, errOut := groupdump(t, dirty, "-roundtrip")
	require.Equal(t, exitFailed, status)
	require.Equal(t, strings.ReplaceAll(addGroup8, " ", "")+"\n", out)
	require.Equal(t, "groupdump: line 1: encoded again it has other bytes\n", errOut)

	status, out, errOut = groupdump(t, "060f0018 00000000 00030000 00000047 00000000 fffffffe", "-roundtrip")
	require.Equal(t, exitFailed, status)
	require.Empty(t, out)
	require.Contains(t, errOut, "line 1: ofgroup: encode group 71: insert of no buckets hangs switches\n")
}

func TestWrongFlagsAreToldInOneLine(t *testing.T) {
	for flags, want := range map[string]string{
		"-nonsense":                 "flag provided but not defined: -nonsense",
		"file.hex":                  `unexpected argument "file.hex"`,
		"-watch":                    "-watch needs -switch",
		"-roundtrip -switch x:y":    "-roundtrip is for messages, not for -switch",
		"-switch br0":               `"br0": not a switch address (unix:/path/to/BRIDGE.mgmt or tcp:HOST:PORT)`,
		"-switch x:y -interval -1s": "interval -1s",
		"-switch x:y -describe -5":  "-describe -5: groups have no fewer buckets than 0",
	} {
		status, out, errOut := groupdump(t, addGroup8, strings.Fields(flags)...)
		require.Equal(t, exitUsage, status, flags)
		require.Empty(t, out, flags)
		require.Equal(t, "groupdump: "+want+"\n", errOut)
	}
	status, out, errOut := groupdump(t, "", "-help")
	require.Equal(t, exitDone, status)
	require.Empty(t, out)
	require.Contains(t, errOut, "exit status is 0")
	require.Contains(t, errOut, "-describe BUCKETS")
}
