package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestFilesListTheReceiversOfThatMoment(t *testing.T) {
	for _, c := range []struct {
		until time.Duration
		want  map[string]string
	}{
		{10 * time.Second, map[string]string{
			"239.1.1.1": "192.0.2.3 02:00:00:00:00:03 EXCLUDE{}\n192.0.2.2 02:00:00:00:00:02 EXCLUDE{}\n192.0.2.1 02:00:00:00:00:01 EXCLUDE{}\n",
		}},
		{60 * time.Second, map[string]string{
			"239.2.2.2": "192.0.2.3 02:00:00:00:00:03 EXCLUDE{198.51.100.1, 198.51.100.2}\n",
		}},
		{time.Hour, map[string]string{}},
	} {
		dir := filepath.Join(t.TempDir(), "groups")
		var said strings.Builder
		require.NoError(t, run(t.Context(), "", dir, c.until, &said))
		require.Equal(t, c.want, readDir(t, dir), "after %v", c.until)
		require.Equal(t, len(c.want)+1, strings.Count(said.String(), "\n"))
		for group, receivers := range c.want {
			require.Contains(t, said.String(), filepath.Join(dir, group)+fmt.Sprintf(": receivers: %d\n", strings.Count(receivers, "\n")))
		}
		require.Contains(t, said.String(), fmt.Sprintf("%v after the first frame, with a file for each: %d\n", c.until, len(c.want)))
	}
}

func TestRunningAgainMendsWhatIsThere(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "239.1.1.1"), []byte("nonsense"), 0o600))
	require.NoError(t, run(t.Context(), "", dir, 10*time.Second, io.Discard))
	require.Contains(t, readDir(t, dir)["239.1.1.1"], "192.0.2.1 ")
}

func readDir(t *testing.T, dir string) map[string]string {
	t.Helper()
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	got := make(map[string]string)
	for _, f := range files {
		text, err := os.ReadFile(filepath.Join(dir, f.Name()))
		require.NoError(t, err)
		got[f.Name()] = string(text)
	}
	return got
}
