package modeltest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The seeded faults are of use only while they can be put in: what a patch takes
// away must be in the file still.
func TestSeededFaultsStillApply(t *testing.T) {
	patches, err := filepath.Glob("mutants/*.patch")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(patches), 10)
	list, err := os.ReadFile("mutants/README.md")
	require.NoError(t, err)
	for _, name := range patches {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".patch"), func(t *testing.T) {
			patch, err := os.ReadFile(name)
			require.NoError(t, err)
			require.Contains(t, string(list), strings.TrimSuffix(filepath.Base(name), ".patch"), "not in the list")
			for _, h := range hunks(string(patch)) {
				text, err := os.ReadFile(filepath.Join("..", "..", "..", filepath.FromSlash(h.file)))
				require.NoError(t, err)
				require.Contains(t, string(text), h.old, "%s has changed", h.file)
				require.NotEqual(t, h.old, h.with)
			}
		})
	}
}

// hunk is a part of a unified diff: what stands in the file, and what shall.
type hunk struct{ file, old, with string }

func hunks(patch string) []hunk {
	var out []hunk
	file := ""
	for line := range strings.Lines(patch) {
		switch {
		case strings.HasPrefix(line, "--- "):
		case strings.HasPrefix(line, "+++ b/"):
			file = strings.TrimSpace(strings.TrimPrefix(line, "+++ b/"))
		case strings.HasPrefix(line, "@@"):
			out = append(out, hunk{file: file})
		case len(out) > 0:
			h := &out[len(out)-1]
			if line[0] != '+' {
				h.old += line[1:]
			}
			if line[0] != '-' {
				h.with += line[1:]
			}
		}
	}
	return out
}
