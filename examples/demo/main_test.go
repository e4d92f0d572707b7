package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/internal/ovslab"
)

func TestDemoPasses(t *testing.T) {
	needSwitch(t)
	var out bytes.Buffer
	require.NoError(t, show(t.Context(), &out), &out)
	require.Contains(t, out.String(), "PASS: 3 groups on the switch, as we say\n")
	require.Contains(t, out.String(), "PASS: 2 groups on the switch, as we say\n")
	require.Contains(t, out.String(), "PASS: 0 groups on the switch, as we say\n")
	require.Contains(t, out.String(), "PASS: everybody got each of 500 packets once, and nobody else any\n")
	require.True(t, strings.HasSuffix(out.String(), "\nPASS\n"))
	require.NotContains(t, out.String(), "FAIL")
	sameAsRecorded(t, out.String())
}

func TestDemoFailsWhenSomebodyChangesOneBucket(t *testing.T) {
	needSwitch(t)
	bin, err := build(t.Context())
	require.NoError(t, err)
	defer func() { require.NoError(t, os.RemoveAll(bin)) }()
	for name, meddle := range map[string]meddler{
		"one bucket changed": func(ctx context.Context, lab *ovslab.Lab) error {
			return modifyFirst(ctx, lab, func(group string) string {
				return strings.Replace(group, "actions=", "actions=dec_ttl,", 1)
			})
		},
		"one group deleted": func(ctx context.Context, lab *ovslab.Lab) error {
			_, err := lab.Ofctl(ctx, "del-groups", lab.Mgmt())
			return err
		},
		"one group more": func(ctx context.Context, lab *ovslab.Lab) error {
			_, err := lab.Ofctl(ctx, "add-group", lab.Mgmt(), "group_id=7,type=all,bucket=actions=output:1")
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			err := run(t.Context(), bin, &out, acts[:1], meddle)
			require.ErrorIs(t, err, errFailed)
			require.Contains(t, out.String(), "DIFFER")
			require.Contains(t, out.String(), "FAIL: ")
		})
	}
}

// modifyFirst rewrites the first group of the switch with ovs-ofctl, if there is one.
func modifyFirst(ctx context.Context, lab *ovslab.Lab, change func(string) string) error {
	printed, err := lab.Ofctl(ctx, "dump-groups", lab.Mgmt())
	if err != nil || len(groupLines(printed)) == 0 {
		return err
	}
	_, err = lab.Ofctl(ctx, "mod-group", lab.Mgmt(), change(groupLines(printed)[0]))
	return err
}

// needSwitch skips the test where there is no Open vSwitch, or no root to give it hosts.
func needSwitch(t *testing.T) {
	t.Helper()
	ovslab.NewNet(t, ovslab.NetConfig{})
}

// socket is where a switch is, which is elsewhere each time.
var socket = regexp.MustCompile(`unix:\S+`)

// sameAsRecorded compares what demo prints with the recording that README.md shows.
func sameAsRecorded(t *testing.T, out string) {
	t.Helper()
	file, err := os.ReadFile("../../docs/demo.cast")
	require.NoError(t, err)
	_, events, _ := strings.Cut(string(file), "\n")
	var recorded strings.Builder
	for line := range strings.Lines(events) {
		var event [3]any // seconds, "o", text
		require.NoError(t, json.Unmarshal([]byte(line), &event))
		recorded.WriteString(strings.ReplaceAll(event[2].(string), "\r", ""))
	}
	_, text, _ := strings.Cut(recorded.String(), "\n") // after what make says
	require.Equal(t, socket.ReplaceAllString(text, "unix:"), socket.ReplaceAllString(out, "unix:"),
		"record again: go run ./internal/picture docs/demo.cast make demo")
}
