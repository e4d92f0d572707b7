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
	fenced = regexp.MustCompile("(?s)```.*?```")
	linked = regexp.MustCompile(`\]\(([^)\s]+)\)|(?:src|srcset|href)="([^"]+)"`)
)

// Links from one page into the repository lead somewhere, and to headings that are there.
func TestLinksLeadSomewhere(t *testing.T) {
	for _, page := range pages(t) {
		for _, m := range linked.FindAllStringSubmatch(fenced.ReplaceAllString(read(t, page), ""), -1) {
			link := m[1] + m[2]
			if strings.Contains(link, "://") {
				continue
			}
			file, heading, _ := strings.Cut(link, "#")
			to := filepath.Join(filepath.Dir(page), file)
			if file == "" {
				to = page
			}
			_, err := os.Stat(filepath.Join(root, to))
			require.NoError(t, err, "%s links to %s", page, link)
			if heading != "" {
				require.Contains(t, anchors(read(t, to)), heading, "%s links to %s", page, link)
			}
		}
	}
}

// pages are all pages of the repository.
func pages(t *testing.T) []string {
	var found []string
	require.NoError(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".md") {
			rel, relErr := filepath.Rel(root, path)
			found, err = append(found, rel), relErr
		}
		return err
	}))
	require.Contains(t, found, "README.md")
	return found
}

// anchors are the names of a page's headings, as they stand behind # in links.
func anchors(page string) []string {
	var names []string
	for line := range strings.Lines(fenced.ReplaceAllString(page, "")) {
		if title := strings.TrimLeft(line, "#"); title != line {
			names = append(names, anchor(strings.TrimSpace(title)))
		}
	}
	return names
}

func anchor(title string) string {
	kept := regexp.MustCompile(`[^\p{L}\p{N} _-]`).ReplaceAllString(strings.ToLower(title), "")
	return strings.ReplaceAll(kept, " ", "-")
}

func TestAnchors(t *testing.T) {
	require.Equal(t, []string{"what-it-does-and-how", "ofgroup-tables", "a-b"},
		anchors("# What it does, and how\n```\n# no heading\n```\ntext # none\n## `ofgroup`: tables\n### a-b\n"))
}
