// Package readme keeps the pages true: README.md's Go code is what the packages' examples are, does in a
// new module what the page says, and links lead somewhere.
package readme

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const root = "../.."

// mostLines is how long a snippet may be: what is longer is not read.
const mostLines = 15

// snippet is a Go block of README.md and the block behind it, which is what it prints.
type snippet struct{ code, prints string }

var snippetBlock = regexp.MustCompile("(?s)```go\n(.*?)```\n\n```text\n(.*?)```")

func snippets(t *testing.T) []snippet {
	page := read(t, "README.md")
	var found []snippet
	for _, m := range snippetBlock.FindAllStringSubmatch(page, -1) {
		found = append(found, snippet{code: m[1], prints: m[2]})
	}
	require.Len(t, found, strings.Count(page, "```go\n"), "each Go block is followed by what it prints")
	require.Len(t, found, 4, "one for each package")
	return found
}

// Every Go block in README.md is the whole body of an example, so it compiles, and runs where it can.
func TestSnippetsAreExamples(t *testing.T) {
	bodies := exampleBodies(t)
	for _, s := range snippets(t) {
		require.Contains(t, bodies, flat(s.code), "not the body of an example:\n%s", s.code)
		require.LessOrEqual(t, strings.Count(s.code, "\n"), mostLines, s.code)
	}
}

// exampleBodies are the bodies of the four packages' examples, without what they print.
func exampleBodies(t *testing.T) []string {
	files, err := filepath.Glob(filepath.Join(root, "*", "*example*_test.go"))
	require.NoError(t, err)
	var bodies []string
	for _, name := range files {
		set := token.NewFileSet()
		parsed, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		source, err := os.ReadFile(name)
		require.NoError(t, err)
		for _, d := range parsed.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && strings.HasPrefix(f.Name.Name, "Example") {
				body := string(source[set.Position(f.Body.Lbrace).Offset+1 : set.Position(f.Body.Rbrace).Offset])
				body, _, _ = strings.Cut(body, "// Output:")
				bodies = append(bodies, flat(strings.Trim(body, "\n\t")+"\n"))
			}
		}
	}
	return bodies
}

// flat drops indentation, which differs between a page and a function's body.
func flat(code string) string {
	var lines strings.Builder
	for line := range strings.Lines(code) {
		lines.WriteString(strings.TrimSpace(line) + "\n")
	}
	return lines.String()
}

func read(t *testing.T, page string) string {
	text, err := os.ReadFile(filepath.Join(root, page))
	require.NoError(t, err)
	return string(text)
}
