package archtest

import (
	"fmt"
	"slices"
	"strings"
)

// source is what the check knows of one Go file.
type source struct {
	pkg     string // directory relative to the module root, "." for the root
	file    string
	test    bool
	imports []string
}

// check returns one line for each import that the lists do not allow.
func check(files []source) []string {
	var faults []string
	for _, f := range files {
		if _, listed := allowed[f.pkg]; !listed {
			faults = append(faults, fmt.Sprintf("%s: package %q has no entry in internal/archtest", f.file, f.pkg))
			continue
		}
		for _, path := range f.imports {
			if why := refuse(f, path); why != "" {
				faults = append(faults, fmt.Sprintf("%s imports %q: %s", f.file, path, why))
			}
		}
	}
	return faults
}

// refuse says why f may not import path, or nothing.
func refuse(f source, path string) string {
	rel, ours := strings.CutPrefix(path, modulePath+"/")
	switch {
	case ours && crossesRooms(f.pkg, rel):
		return "the four packages never import one another"
	case ours && (f.test || slices.Contains(allowed[f.pkg], rel)):
		return ""
	case !ours && (isStandard(path) || slices.Contains(allowed[f.pkg], path)):
		return ""
	case !ours && f.test && slices.ContainsFunc(allowedInTests, func(m string) bool { return within(path, m) }):
		return ""
	}
	return "not in the list of allowed imports"
}

func crossesRooms(from, to string) bool {
	a, b := room(from), room(to)
	return a != "" && b != "" && a != b
}

// room returns the one of the four packages that pkg belongs to, or "".
func room(pkg string) string {
	for _, r := range rooms {
		if within(pkg, r) {
			return r
		}
	}
	return ""
}

// within says whether path is parent or below it.
func within(path, parent string) bool {
	return path == parent || strings.HasPrefix(path, parent+"/")
}

// isStandard tells the standard library from modules: its first path element has no dot.
func isStandard(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".")
}
