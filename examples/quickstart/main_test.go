package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/examples/internal/ofswitch"
	"github.com/ofmcast/ofmcast/internal/ovslab"
	"github.com/ofmcast/ofmcast/mcast"
	"github.com/ofmcast/ofmcast/ofgroup"
)

// What the captures come to was worked out by a separate program from the RFC's tables and from what
// tshark says of each packet, not by this one.
func TestCapturesComeToWhatTheRFCSays(t *testing.T) {
	for _, name := range []string{"kernel-v1", "kernel-v2", "kernel-v3", "mixed", "storm", "odd"} {
		t.Run(name, func(t *testing.T) {
			want := readResult(t, filepath.Join("testdata", "expected", name+".json"))
			require.Equal(t, want, replayToJSON(t, options{pcap: captureFile(t, name)}))
		})
	}
}

func TestTheBuiltInCaptureIsTheMixedOne(t *testing.T) {
	require.Equal(t, replayToJSON(t, options{pcap: captureFile(t, "mixed")}), replayToJSON(t, options{}))
}

func TestTimelineNamesEachChangeAndItsOneMessage(t *testing.T) {
	text := replayToText(t, options{})
	require.Contains(t, text, "1.008s  joined      port 2   192.0.2.3      239.1.1.1        EXCLUDE{}\n"+
		"           └ add_or_mod group_id=1000,type=all,bucket=bucket_id:2,actions=output:2\n")
	events := regexp.MustCompile(`(?m)^ *[0-9.]+s  (joined|left|expired) `).FindAllString(text, -1)
	mods := regexp.MustCompile(`(?m)^ +└ `).FindAllString(text, -1)
	require.Len(t, events, 28)
	require.Len(t, mods, 28)
	require.NotContains(t, text, "\x1b", "colours belong on a terminal only")
	require.Contains(t, replayToText(t, options{colour: true}), "\x1b[32mjoined")
}

func TestSilentHostsExpireAndLeaversLeave(t *testing.T) {
	text := replayToText(t, options{})
	require.Regexp(t, `46\.008s  expired +port 4 +192\.0\.2\.1 +239\.1\.1\.1`, text, "an IGMPv1 host leaves without a word")
	require.Regexp(t, `22\.013s  left +port 3 +192\.0\.2\.2 +239\.1\.1\.1`, text, "an IGMPv2 host says leave")
}

func TestUntilLeavesTheGroupsOfThatMoment(t *testing.T) {
	text := replayToText(t, options{until: 10 * time.Second})
	require.Contains(t, text, "holds 1 groups after")
	require.True(t, strings.HasSuffix(text, "group_id=1000,type=all,bucket=bucket_id:2,actions=output:2,"+
		"bucket=bucket_id:3,actions=output:3,bucket=bucket_id:4,actions=output:4\n"), text)
}

func TestARealSwitchHoldsTheSameGroups(t *testing.T) {
	lab := ovslab.New(t, ovslab.Config{Ports: []string{"p1", "p2", "p3", "p4", "p5"}})
	text := replayToText(t, options{address: "unix:" + lab.Mgmt(), until: 145 * time.Second})
	_, held, _ := strings.Cut(text, "holds 3 groups after")
	dump, err := lab.Ofctl(t.Context(), "dump-groups", lab.Mgmt())
	require.NoError(t, err)
	require.ElementsMatch(t, groupLines(held), groupLines(dump))
	require.Len(t, groupLines(dump), 3)
}

func TestGroupsThatAreThereAreNotTouched(t *testing.T) {
	lab := ovslab.New(t, ovslab.Config{Ports: []string{"p1", "p2", "p3", "p4", "p5"}})
	const theirs = "group_id=1000,type=select,bucket=bucket_id:0,actions=output:77"
	_, err := lab.Ofctl(t.Context(), "add-group", lab.Mgmt(), theirs)
	require.NoError(t, err)
	replayToText(t, options{address: "unix:" + lab.Mgmt()})
	dump, err := lab.Ofctl(t.Context(), "dump-groups", lab.Mgmt())
	require.NoError(t, err)
	require.Equal(t, []string{theirs}, groupLines(dump))
}

func TestAnInterruptedReplayLeavesNothingOnTheSwitch(t *testing.T) {
	lab := ovslab.New(t, ovslab.Config{Ports: []string{"p1", "p2", "p3", "p4", "p5"}})
	ctx, interrupt := context.WithCancel(t.Context())
	err := run(ctx, withTiming(options{address: "unix:" + lab.Mgmt()}), writerFunc(func([]byte) { interrupt() }))
	require.ErrorIs(t, err, context.Canceled)
	dump, err := lab.Ofctl(t.Context(), "dump-groups", lab.Mgmt())
	require.NoError(t, err)
	require.Empty(t, groupLines(dump))
}

// writerFunc is told of every write.
type writerFunc func([]byte)

func (f writerFunc) Write(b []byte) (int, error) {
	f(b)
	return len(b), nil
}

func TestACutFileIsReplayedUpToTheCut(t *testing.T) {
	whole, err := os.ReadFile(captureFile(t, "mixed"))
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "cut.pcap")
	require.NoError(t, os.WriteFile(file, whole[:len(whole)-5], 0o600))
	var out bytes.Buffer
	err = run(t.Context(), withTiming(options{pcap: file, json: true}), &out)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	require.Contains(t, out.String(), `"packets":128,`)
}

func TestAGroupThatNoSwitchCanHoldEndsNothing(t *testing.T) {
	sw, err := ofswitch.Open(t.Context(), "")
	require.NoError(t, err)
	defer func() { require.NoError(t, sw.Close()) }()
	r, err := newReplay(sw, withTiming(options{}), &timeline{out: io.Discard})
	require.NoError(t, err)
	group := mcast.Group{Addr: netip.MustParseAddr("239.1.1.1")}
	now := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	for p := range ofgroup.Port(2100) {
		require.NoError(t, r.cache.Apply(mcast.Join(group, p+1, now)))
	}
	require.NoError(t, r.advance(t.Context(), now))
	require.Equal(t, 2100, r.tally.joins)
	require.Equal(t, 1, r.tally.unprogrammed)
	require.Zero(t, sw.GroupMods())

	for p := range ofgroup.Port(100) {
		require.NoError(t, r.cache.Apply(mcast.Leave(group, p+1, now)))
	}
	require.NoError(t, r.advance(t.Context(), now.Add(2*time.Second)))
	require.Equal(t, 1, sw.GroupMods(), "what is left fits")
}

func TestWhatMakesNoSenseIsRefused(t *testing.T) {
	for _, args := range [][]string{{"my.pcap"}, {"-qi", "0"}, {"-qri", "-1s"}, {"-qi", "2000000h"}, {"-until", "-1s"}, {"-nonsense"}} {
		_, err := parseOptions(args, io.Discard)
		require.Error(t, err, "%v", args)
	}
}

func TestFilesThatAreNoCapturesAreRefused(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.pcap")
	require.NoError(t, os.WriteFile(file, []byte("this is not a capture, however long it may be"), 0o600))
	require.Error(t, run(t.Context(), withTiming(options{pcap: file}), io.Discard))
	require.ErrorIs(t, run(t.Context(), withTiming(options{pcap: file + "x"}), io.Discard), os.ErrNotExist)
	require.Error(t, run(t.Context(), withTiming(options{address: "unix:" + file}), io.Discard))
}

func withTiming(o options) options {
	o.qi, o.qri = 10*time.Second, 2*time.Second
	return o
}

func replayToText(t *testing.T, o options) string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, run(t.Context(), withTiming(o), &out))
	return out.String()
}

// replayToJSON returns the result without what testdata/expected leaves out.
func replayToJSON(t *testing.T, o options) jsonResult {
	t.Helper()
	o.json = true
	var result jsonResult
	require.NoError(t, json.Unmarshal([]byte(replayToText(t, o)), &result))
	for i := range result.Groups {
		result.Groups[i].VLAN = 0
	}
	return result
}

func readResult(t *testing.T, file string) jsonResult {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	var result jsonResult
	require.NoError(t, json.Unmarshal(text, &result))
	return result
}

// captureFile finds a capture among the codec's test data.
func captureFile(t *testing.T, name string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join("..", "..", "igmp", "testdata", "captures", name+".pcap*"))
	require.NoError(t, err)
	require.Len(t, found, 1)
	return found[0]
}

func groupLines(text string) []string {
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "group_id=") {
			lines = append(lines, line)
		}
	}
	return lines
}
