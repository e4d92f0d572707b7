package readme

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	codeBlock  = regexp.MustCompile("(?s)```[a-z]*\n(.*?)```|(?m)^    (.*)$")
	fileNamed  = regexp.MustCompile(`^[\w/.-]+\.(go|md|sh|svg|txt|yaml|service)$`)
	testNamed  = regexp.MustCompile(`^Test[A-Z]\w*$`)
	testsRun   = regexp.MustCompile(`go test (?:-v )?-run '?([\w|\\]+)'? (\./[\w/]+|\.)`)
	programRun = regexp.MustCompile(`(?:cd (\S+) && (?:\w+=\S+ )*)?go run (\./[\w/]+|\.)`)
	targetMade = regexp.MustCompile(`(?m)^make ([a-z-]+)`)
)

// A file that a page names in its text, as control.go or internal/openflow/action.go, is there: seen from the page, from
// the root, or somewhere. So is each test that is named.
func TestFilesAndTestsOnPagesExist(t *testing.T) {
	files, tests := tree(t)
	seen := 0
	for _, page := range pages(t) {
		for _, code := range inlineCode.FindAllString(fenced.ReplaceAllString(read(t, page), ""), -1) {
			name := strings.Trim(code, "`")
			switch {
			case strings.ToUpper(name) == name, strings.Contains(name, "NAME"): // stands for many
			case testNamed.MatchString(name):
				require.NotEmpty(t, tests[name], "%s names %s", page, name)
				seen++
			case fileNamed.MatchString(name):
				require.True(t, among(files, name), "%s names %s", page, name)
				seen++
			}
		}
	}
	require.Greater(t, seen, 50)
}

// Commands on pages name programs, tests and targets that are there. Those of a page are typed where it lies, or in the
// repository's root.
func TestCommandsOnPagesHaveSomethingToRun(t *testing.T) {
	_, tests := tree(t)
	makefile := read(t, "Makefile")
	runs, programs, targets := 0, 0, 0
	for _, page := range pages(t) {
		text := typed(read(t, page))
		for _, m := range testsRun.FindAllStringSubmatch(text, -1) {
			for pattern := range strings.SplitSeq(strings.ReplaceAll(m[1], `\|`, "|"), "|") {
				require.True(t, matched(tests, pattern, from(page, m[2])), "%s runs %s in %s", page, pattern, m[2])
				runs++
			}
		}
		for _, m := range programRun.FindAllStringSubmatch(text, -1) {
			dir := filepath.Join(m[1], m[2])
			if m[1] == "" {
				dir = from(page, m[2])
			}
			require.FileExists(t, filepath.Join(root, dir, "main.go"), "%s runs %s", page, m[0])
			programs++
		}
		for _, m := range targetMade.FindAllStringSubmatch(text, -1) {
			require.True(t, strings.Contains(makefile, "\n"+m[1]+":"), "%s makes %s", page, m[1])
			targets++
		}
	}
	require.Greater(t, runs, 5)
	require.Greater(t, programs, 10)
	require.Greater(t, targets, 10)
}

// typed is what a page has people type: its blocks of code, and what it has as code in its text.
func typed(page string) string {
	var all strings.Builder
	for _, m := range codeBlock.FindAllStringSubmatch(page, -1) {
		all.WriteString(m[1] + m[2] + "\n")
	}
	for _, code := range inlineCode.FindAllString(fenced.ReplaceAllString(page, ""), -1) {
		all.WriteString(strings.Trim(code, "`") + "\n")
	}
	return all.String()
}

// from is the directory that a command of a page means, seen from the root.
func from(page, dir string) string {
	if strings.HasPrefix(dir, "./examples") || strings.HasPrefix(dir, "./internal") || filepath.Dir(page) == "." {
		return filepath.Clean(dir)
	}
	return filepath.Join(filepath.Dir(page), dir)
}

// tree is every file, and every test with the directories that have it.
func tree(t *testing.T) (files []string, tests map[string][]string) {
	tests = map[string][]string{}
	declared := regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	require.NoError(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(root, path)
		files = append(files, rel)
		if err != nil || !strings.HasSuffix(rel, "_test.go") {
			return err
		}
		source, err := os.ReadFile(path)
		for _, m := range declared.FindAllStringSubmatch(string(source), -1) {
			tests[m[1]] = append(tests[m[1]], filepath.Dir(rel))
		}
		return err
	}))
	return files, tests
}

func among(files []string, name string) bool {
	for _, f := range files {
		if f == name || strings.HasSuffix(f, "/"+name) {
			return true
		}
	}
	return false
}

func matched(tests map[string][]string, pattern, dir string) bool {
	for name, dirs := range tests {
		for _, d := range dirs {
			if strings.Contains(name, pattern) && d == dir {
				return true
			}
		}
	}
	return false
}
