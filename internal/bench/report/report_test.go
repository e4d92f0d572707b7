package main

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The figures that are kept in the repository, and where.
const home = ".."

func kept(t *testing.T) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(home, figuresFile))
	require.NoError(t, err)
	return string(content)
}

// What the repository shows is what its figures say: whoever changes the table or a plot makes them again.
func TestTheKeptTableAndPicturesAreThoseOfTheKeptFigures(t *testing.T) {
	r := read(kept(t))
	page, err := os.ReadFile(filepath.Join(home, resultsFile))
	require.NoError(t, err)
	const again = "go run ./report -from figures.txt -keep ."
	same, err := withTable(string(page), text(r, sections()))
	require.NoError(t, err)
	require.Equal(t, same, string(page), again)
	all := pictures(r)
	for name, svg := range all {
		drawn, err := os.ReadFile(filepath.Join(home, plotsDir, name))
		require.NoError(t, err, again)
		require.Equal(t, svg, string(drawn), again)
		require.Contains(t, string(page), plotsDir+"/"+name, "the page shows it")
	}
	files, err := os.ReadDir(filepath.Join(home, plotsDir))
	require.NoError(t, err)
	require.Len(t, files, len(all), "and no other")
	require.Empty(t, r.missing)
	require.Empty(t, r.skipped)
}

// The front page cites some of the figures: whoever keeps a run writes them there as well.
func TestTheFrontPageHasTheKeptFigures(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(home, "../../README.md"))
	require.NoError(t, err)
	r := read(kept(t))
	for _, cited := range []struct {
		benchmark string
		units     []string
		under     string // a heading of the table, as far as it is cited
	}{
		{"table/OneMemberOf700", []string{"bytes/join", "bytes/leave", "bytes/whole", "us/table", "us/whole"}, "one joins or leaves a group of 700"},
		{"table/ManyCommitters", []string{"us/table-64"}, "a confirmed change"},
		{"table/OneCommitter", []string{"us/bare"}, "a confirmed change"},
		{"igmp/Frame/records/10", []string{"ns-ours", "allocs-ours", "ns-gopacket", "allocs-gopacket"}, "decode a frame"},
		{"cache/Joins/10000", []string{"ms-ours", "ms-usual"}, "n members join one group"},
	} {
		row := `(?m)^\|`
		for _, unit := range cited.units {
			row += `.* ` + regexp.QuoteMeta(shown(r, figure{benchmark: cited.benchmark, unit: unit})) + `[ ,;.]`
		}
		row += `.*\| .make bench.: \*` + cited.under + `\* \|$`
		require.True(t, regexp.MustCompile(row).Match(page), "README.md has no row %s", row)
		require.True(t, slices.ContainsFunc(sections(), func(s section) bool { return strings.Contains(s.title, ": "+cited.under) }), cited.under)
	}
	require.Empty(t, r.missing)
}

// shown is a figure as a sentence has it, of bytes the number.
func shown(r *reader, f figure) string {
	return strings.TrimSuffix(r.read(f.benchmark, f.unit, 0).text, " B")
}

// Each benchmark of the table, and of the plots, is one of the package that it is said to be in.
func TestTheTablesBenchmarksExist(t *testing.T) {
	used := map[string]bool{}
	note := func(f figure) {
		if f.benchmark != "" {
			parts := strings.Split(f.benchmark, "/")
			used[parts[0]+"/"+parts[1]] = true
		}
	}
	for _, s := range sections() {
		for _, w := range s.rows {
			note(w.ours)
			note(w.other)
		}
	}
	for _, d := range drawings() {
		for _, l := range d.lines {
			note(l.figure)
		}
	}
	there := map[string]bool{}
	for _, j := range jobs("1x") {
		pkg := filepath.Base(j.pkg)
		for _, name := range benchmarksOf(t, filepath.Join(home, j.dir, j.pkg)) {
			there[pkg+"/"+name] = true
		}
	}
	require.NotEmpty(t, used)
	for name := range used {
		require.True(t, there[name], name)
	}
}

func benchmarksOf(t *testing.T, dir string) (names []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	require.NoError(t, err)
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				if bare, is := strings.CutPrefix(f.Name.Name, "Benchmark"); is {
					names = append(names, bare)
				}
			}
		}
	}
	return names
}

// Whatever benchmark of the table is taken away from a whole run, the table says so, the program fails and keeps nothing.
func TestAMissingBenchmarkIsAnError(t *testing.T) {
	empty := read("")
	text(empty, sections())
	needed := map[string]bool{}
	for _, line := range empty.missing {
		benchmark, _, _ := strings.Cut(line, ": ")
		needed[benchmark] = true
	}
	dir := t.TempDir()
	o := options{from: filepath.Join(dir, "run.txt"), keep: dir}
	lines, pkg := strings.SplitAfter(kept(t), "\n"), ""
	for i, line := range lines {
		if name, ok := strings.CutPrefix(line, "pkg: "); ok {
			pkg = filepath.Base(strings.TrimSpace(name))
		}
		name, ok := strings.CutPrefix(line, "Benchmark")
		name, _, tabbed := strings.Cut(name, "\t")
		name = pkg + "/" + strings.TrimSpace(name[:max(0, strings.LastIndexByte(name, '-'))])
		if !ok || !tabbed || !needed[name] {
			continue
		}
		delete(needed, name)
		less := strings.Join(append(slices.Clone(lines[:i]), lines[i+1:]...), "")
		require.NoError(t, os.WriteFile(o.from, []byte(less), 0o600))
		var out bytes.Buffer
		require.ErrorIs(t, o.report(&out), errMissing)
		require.Regexp(t, `(?m)^missing: .*\n(  .*\n)*  `+name+`: `, out.String())
		require.NoFileExists(t, filepath.Join(dir, figuresFile))
	}
	require.Empty(t, needed, "all that the table needs was taken away once")
}

// A run in which something was skipped is printed, and not kept.
func TestASkippedBenchmarkIsNotKept(t *testing.T) {
	dir := t.TempDir()
	lines := strings.Split(kept(t), "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, "BenchmarkFirstPacket") {
			lines[i] = "    first_test.go:1: needs smcroute\n--- SKIP: BenchmarkFirstPacket"
		}
	}
	o := options{from: filepath.Join(dir, "run.txt")}
	require.NoError(t, os.WriteFile(o.from, []byte(strings.Join(lines, "\n")), 0o600))
	var out bytes.Buffer
	require.NoError(t, o.report(&out))
	require.Contains(t, out.String(), "\nskipped\n  routes/FirstPacket: needs smcroute\n")
	o.keep = dir
	require.ErrorIs(t, o.report(&out), errSkipped)
	require.NoFileExists(t, filepath.Join(dir, figuresFile))
}

func TestARunIsKeptWhole(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, plotsDir), 0o700))
	page := filepath.Join(dir, resultsFile)
	require.NoError(t, os.WriteFile(page, []byte("before\n"+tableBegins+"old\n"+tableEnds+"after\n"), 0o600))
	o := options{from: filepath.Join(home, figuresFile), keep: dir}
	var out bytes.Buffer
	require.NoError(t, o.report(&out))
	now, err := os.ReadFile(page)
	require.NoError(t, err)
	require.Equal(t, "before\n"+tableBegins+out.String()+tableEnds+"after\n", string(now))
	figures, err := os.ReadFile(filepath.Join(dir, figuresFile))
	require.NoError(t, err)
	require.Equal(t, kept(t), string(figures))
	files, err := os.ReadDir(filepath.Join(dir, plotsDir))
	require.NoError(t, err)
	require.Len(t, files, 2*len(drawings()))
}

func TestAPageWithoutAPlaceIsLeftAlone(t *testing.T) {
	for _, page := range []string{"", "no table\n", tableBegins, tableEnds} {
		_, err := withTable(page, "table\n")
		require.ErrorIs(t, err, errNoTable)
	}
}

func TestNoFileIsAnError(t *testing.T) {
	require.ErrorIs(t, options{from: "nothing"}.report(&bytes.Buffer{}), os.ErrNotExist)
}
