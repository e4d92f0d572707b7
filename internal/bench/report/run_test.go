package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/internal/bench/figures"
)

// packages are modules of one file each.
func packages(t *testing.T, sources map[string]string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/m\n\ngo 1.25\n"), 0o600))
	for name, source := range sources {
		require.NoError(t, os.Mkdir(filepath.Join(dir, name), 0o700))
		source = "package p\n\nimport \"testing\"\n\n" + source
		require.NoError(t, os.WriteFile(filepath.Join(dir, name, "p_test.go"), []byte(source), 0o600))
	}
	return dir
}

// One that fails is told apart from those that do not, and they are run all the same.
func TestBenchmarksAreRunOneAfterTheOther(t *testing.T) {
	dir := packages(t, map[string]string{
		"fails": "func BenchmarkA(b *testing.B) { b.Fatal(\"broken\") }\n",
		"skips": "func BenchmarkB(b *testing.B) { b.Skip(\"needs a wire\") }\n",
		"works": "func BenchmarkC(b *testing.B) { b.Log(\"by the way\"); b.ReportMetric(0, \"ns/op\"); b.ReportMetric(7, \"ms-ours\") }\n",
	})
	var all []job
	for _, name := range []string{"fails", "skips", "works"} {
		all = append(all, job{dir, "./" + name, []string{"-bench", ".", "-benchtime", "1x"}})
	}
	var progress bytes.Buffer
	output, err := run(all, &progress)
	require.ErrorContains(t, err, "./fails")
	require.NotContains(t, err.Error(), "./skips")
	require.NotContains(t, err.Error(), "./works")
	require.Contains(t, progress.String(), "broken")
	f := figures.Parse(output)
	reason, _ := f.Skipped("skips/B")
	require.Equal(t, "needs a wire", reason)
	v, _ := f.Value("works/C", "ms-ours")
	require.InDelta(t, 7, v, 0)
}

func TestTheMachineStandsAboveTheTable(t *testing.T) {
	f := figures.Parse(machine(time.Date(2026, 12, 1, 12, 30, 0, 0, time.UTC), "0.25", "a processor"))
	require.Equal(t, "2026-12-01 12:30 UTC", f.Fact("date"))
	require.Regexp(t, `^\d+ × a processor, \S+ .*, load 0\.25 when it began$`, f.Fact("machine"))
	versions := strings.Split(f.Fact("versions"), ", ")
	require.Len(t, versions, 5)
	for i, want := range []string{`^Go 1\.`, `^Open vSwitch `, `^smcroute `, `^gopacket v1\.`, `^client-go v0\.`} {
		require.Regexp(t, want, versions[i])
	}
}
