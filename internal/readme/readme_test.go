// Package readme keeps README.md true: its Go code is code that the tests run.
package readme

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var goBlock = regexp.MustCompile("(?s)```go\n(.*?)```")

// Every Go block in README.md stands, line by line, in an example that go test runs.
func TestSnippetsAreTakenFromExamples(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	require.NoError(t, err)
	blocks := goBlock.FindAllStringSubmatch(string(readme), -1)
	require.NotEmpty(t, blocks)
	examples := readExamples(t)
	for _, b := range blocks {
		require.Contains(t, examples, flat(b[1]), "not in any example_test.go:\n%s", b[1])
	}
}

// Links into the repository lead somewhere.
func TestLinksLeadSomewhere(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	require.NoError(t, err)
	for _, link := range regexp.MustCompile(`\]\(([^)]+)\)`).FindAllStringSubmatch(goBlock.ReplaceAllString(string(readme), ""), -1) {
		if !strings.HasPrefix(link[1], "https://") {
			_, err := os.Stat(filepath.Join("..", "..", link[1]))
			require.NoError(t, err)
		}
	}
}

func readExamples(t *testing.T) string {
	files, err := filepath.Glob(filepath.Join("..", "..", "*", "example_test.go"))
	require.NoError(t, err)
	var all strings.Builder
	for _, f := range files {
		text, err := os.ReadFile(f)
		require.NoError(t, err)
		all.WriteString(flat(string(text)))
	}
	return all.String()
}

// flat drops indentation, which differs between README.md and a function's body.
func flat(code string) string {
	var lines strings.Builder
	for line := range strings.Lines(code) {
		lines.WriteString(strings.TrimSpace(line) + "\n")
	}
	return lines.String()
}
