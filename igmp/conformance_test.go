package igmp

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// rule is a row of CONFORMANCE.md.
type rule struct {
	clause, text, state string
	tests               []string // with the folder's name and a dot before those of other packages
}

var named = regexp.MustCompile("`([^`]+)`")

// rules reads the rows by standard.
func rules(t *testing.T) map[string][]rule {
	t.Helper()
	text, err := os.ReadFile("CONFORMANCE.md")
	require.NoError(t, err)
	all := map[string][]rule{}
	var standard string
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if heading, ok := strings.CutPrefix(line, "## "); ok {
			standard, _, _ = strings.Cut(heading, ":")
		}
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| --- ") || strings.HasPrefix(line, "| clause ") {
			continue
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		require.Len(t, cells, 4, line)
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		r := rule{clause: cells[0], text: cells[1], state: cells[2]}
		for _, m := range named.FindAllStringSubmatch(cells[3], -1) {
			r.tests = append(r.tests, m[1])
		}
		all[standard] = append(all[standard], r)
	}
	return all
}

// folders are where the tests of a prefix are.
var folders = map[string]string{
	"": ".", "snooper": "snooper", "querier": "querier", "igmpconn": "igmpconn", "mcast": "../mcast",
}

var testFunc = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Example)\w*)\(`)

func testsIn(t *testing.T, folder string) map[string]bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
	require.NoError(t, err)
	require.NotEmpty(t, files, folder)
	found := map[string]bool{}
	for _, file := range files {
		source, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, m := range testFunc.FindAllSubmatch(source, -1) {
			found[string(m[1])] = true
		}
	}
	return found
}

// A rule that is kept has a test, a rule that is not has a reason, and every test that is named exists.
func TestConformanceNamesTestsThatExist(t *testing.T) {
	there := map[string]map[string]bool{}
	for prefix, folder := range folders {
		there[prefix] = testsIn(t, folder)
	}
	all := rules(t)
	for _, standard := range []string{"RFC 1112", "RFC 2236", "RFC 9776", "RFC 4541", "RFC 4604"} {
		require.NotEmpty(t, all[standard], standard)
	}
	for standard, rules := range all {
		for _, r := range rules {
			where := standard + " " + r.clause + ": " + r.text
			state, reason, _ := strings.Cut(r.state, ": ")
			require.Contains(t, []string{"met", "mcast", "waived", "n/a"}, state, where)
			require.True(t, reason != "" || state == "met" || state == "mcast", "no reason: %s", where)
			require.True(t, len(r.tests) > 0 || state == "n/a", "no test: %s", where)
			for _, name := range r.tests {
				prefix, test, ok := strings.Cut(name, ".")
				if !ok {
					prefix, test = "", name
				}
				require.True(t, there[prefix][test], "no test %s: %s", name, where)
			}
		}
	}
}
