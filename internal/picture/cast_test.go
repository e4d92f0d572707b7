package main

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestARecordingSaysWhatWasPrintedAndWhen(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell")
	}
	c, err := record([]string{"sh", "-c", `echo "a <b>"; sleep 0.05; echo; echo "└ c"`})
	require.NoError(t, err)
	require.Len(t, c.lines, 3)
	require.Equal(t, "a <b>", c.lines[0].text)
	require.Equal(t, "", c.lines[1].text)
	require.Equal(t, "└ c", c.lines[2].text)
	require.GreaterOrEqual(t, c.lines[1].at, c.lines[0].at+0.045)

	again, err := parseCast(c.encode())
	require.NoError(t, err)
	require.Equal(t, c, again)
}

// A demo that fails is not a picture for the page: what is there stays.
func TestACommandThatFailsIsNotRecorded(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell")
	}
	name := filepath.Join(t.TempDir(), "x.cast")
	require.NoError(t, os.WriteFile(name, []byte("as it was"), 0o600))
	require.ErrorContains(t, run(name, []string{"sh", "-c", "echo FAIL; exit 3"}), "sh: exit status 3")
	kept, err := os.ReadFile(name)
	require.NoError(t, err)
	require.Equal(t, "as it was", string(kept))
}

// The format is asciinema's: this is how its own program writes it.
func TestAsciinemasLinesAreRead(t *testing.T) {
	c, err := parseCast(`{"version": 2, "width": 80, "height": 24, "timestamp": 1504467315, "command": "ls"}` +
		"\n" + `[0.248848, "o", "a\r\n"]` + "\n" + `[1.001376, "o", "b\u001b\r\n"]` + "\n")
	require.NoError(t, err)
	require.Equal(t, cast{command: "ls", lines: []printed{{0.248848, "a"}, {1.001376, "b\x1b"}}}, c)
}

func TestARecordingThatMakesNoSenseIsRefusedByLine(t *testing.T) {
	const header = `{"version":2}` + "\n"
	for source, want := range map[string]string{
		"":                                 "1: ",
		`{"version":1}`:                    "1: version 1, not 2",
		header + `[1,"i","x\r\n"]`:         "2: not a line of output",
		header + `[1,"o","no end"]`:        "2: not a line of output",
		header + `["1","o","x\r\n"]`:       "2: ",
		header + `[1,"o","x\r\n"]` + "\nx": "3: ",
	} {
		_, err := parseCast(source)
		require.ErrorContains(t, err, want, source)
	}
}
