package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
)

// What is kept, in internal/bench.
const (
	figuresFile = "figures.txt"
	plotsDir    = "plots"
	resultsFile = "RESULTS.md"
)

// keep writes the figures, the pictures of their growth, and the table into RESULTS.md.
func keep(r *reader, dir string) error {
	files := map[string]string{figuresFile: r.String()}
	for name, svg := range pictures(r) {
		files[filepath.Join(plotsDir, name)] = svg
	}
	page, err := os.ReadFile(filepath.Join(dir, resultsFile))
	if err != nil {
		return err
	}
	if files[resultsFile], err = withTable(string(page), text(r, sections())); err != nil {
		return err
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// The table of a page is between these.
const (
	tableBegins = "<!-- printed by make bench -->\n```text\n"
	tableEnds   = "```\n<!-- end -->\n"
)

var errNoTable = errors.New(resultsFile + " has no place for the table")

// withTable is a page with another table.
func withTable(page, table string) (string, error) {
	before, rest, found := strings.Cut(page, tableBegins)
	_, after, ended := strings.Cut(rest, tableEnds)
	if !found || !ended {
		return "", errNoTable
	}
	return before + tableBegins + table + tableEnds + after, nil
}
