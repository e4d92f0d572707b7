// Package figures reads what benchmarks print, and finds figures in it.
package figures

import (
	"path"
	"strconv"
	"strings"
)

// Figures are those of one run. The zero value has none.
type Figures struct {
	lines   []string
	facts   map[string]string
	values  map[string]map[string]float64
	skipped map[string]string
}

// Parse reads the output of go test -bench -v, of one package or of several one after the other, or what String made
// of it. It takes what it knows and leaves the rest, for benchmarks may print what they like.
func Parse(output string) *Figures {
	f := &Figures{facts: map[string]string{}, values: map[string]map[string]float64{}, skipped: map[string]string{}}
	pkg, said := "", ""
	for line := range strings.Lines(output) {
		line = strings.TrimRight(line, "\r\n")
		key, value, isFact := fact(line)
		switch {
		case isFact && key == "pkg":
			pkg = path.Base(value)
		case isFact:
			f.facts[key] = value
		case strings.HasPrefix(line, "--- SKIP: Benchmark"):
			f.skipped[name(pkg, strings.Fields(line)[2])] = said
		case strings.HasPrefix(line, "Benchmark"):
			if !f.result(pkg, line) {
				continue
			}
		default:
			if _, reason, ok := strings.Cut(line, ".go:"); ok { // FILE.go:12: what was logged last before the skip
				_, said, _ = strings.Cut(reason, ": ")
				f.lines = append(f.lines, line)
			}
			continue
		}
		f.lines = append(f.lines, line)
	}
	return f
}

// fact is a line "key: value", whose key is one word in lower case.
func fact(line string) (key, value string, ok bool) {
	key, value, ok = strings.Cut(line, ": ")
	ok = ok && key != "" && !strings.ContainsFunc(key, func(r rune) bool { return r < 'a' || r > 'z' })
	return key, strings.TrimSpace(value), ok
}

// result reads a benchmark's name, how often it ran, and its figures, each with its unit.
func (f *Figures) result(pkg, line string) bool {
	fields := strings.Fields(line)
	if len(fields) < 4 || len(fields)%2 != 0 {
		return false
	}
	units := map[string]float64{}
	for i := 2; i < len(fields); i += 2 {
		v, err := strconv.ParseFloat(fields[i], 64)
		if err != nil {
			return false
		}
		units[fields[i+1]] = v
	}
	f.values[name(pkg, fields[0])] = units
	return true
}

// name is PACKAGE/NAME of a benchmark, without the word and the number of processors at its end, which is not there
// where that is 1.
func name(pkg, benchmark string) string {
	benchmark = strings.TrimPrefix(benchmark, "Benchmark")
	if i := strings.LastIndexByte(benchmark, '-'); i >= 0 {
		if _, err := strconv.Atoi(benchmark[i+1:]); err == nil {
			benchmark = benchmark[:i]
		}
	}
	return pkg + "/" + benchmark
}

// Value is one figure of a benchmark, which is named like "igmp/Frame/v2-report": the last element of its package's
// path, and its name. ok is false where it was not printed.
func (f *Figures) Value(benchmark, unit string) (value float64, ok bool) {
	value, ok = f.values[benchmark][unit]
	return value, ok
}

// Skipped is why a benchmark, or one that it belongs to, was skipped.
func (f *Figures) Skipped(benchmark string) (reason string, ok bool) {
	for ; strings.Contains(benchmark, "/"); benchmark = path.Dir(benchmark) {
		if reason, ok = f.skipped[benchmark]; ok {
			return reason, true
		}
	}
	return "", false
}

// Fact is the value of a line "key: value", or "".
func (f *Figures) Fact(key string) string { return f.facts[key] }

// String is all that Parse understood, line by line.
func (f *Figures) String() string { return strings.Join(f.lines, "\n") + "\n" }
