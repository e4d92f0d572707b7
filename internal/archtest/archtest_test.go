package archtest

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Every file counts, whatever its build constraints: a forbidden import in a _windows.go file is one too.
func TestImports(t *testing.T) {
	files := readModule(t, filepath.Join("..", ".."))
	require.NotEmpty(t, files)
	require.Empty(t, check(files))
}

func TestForbiddenImportsAreFound(t *testing.T) {
	for name, f := range map[string]source{
		"one room imports another":           {pkg: "mcast", imports: []string{modulePath + "/igmp"}},
		"a room's part imports another's":    {pkg: "igmp/snooper", imports: []string{modulePath + "/mcast"}},
		"even in a test":                     {pkg: "mcast", test: true, imports: []string{modulePath + "/igmp/snooper"}},
		"an internal package not listed":     {pkg: "igmp", imports: []string{modulePath + "/internal/openflow"}},
		"a third-party module in the code":   {pkg: "igmp", imports: []string{"github.com/stretchr/testify/require"}},
		"an unknown one in a test":           {pkg: "igmp", test: true, imports: []string{"github.com/google/gopacket"}},
		"a module whose name begins like it": {pkg: "igmp", test: true, imports: []string{"github.com/google/go-cmpx"}},
		"a package nobody listed":            {pkg: "igmp/new"},
	} {
		t.Run(name, func(t *testing.T) { require.Len(t, check([]source{f}), 1) })
	}
}

// readModule reads the imports of every Go file of the module at root, leaving out the modules below it.
func readModule(t *testing.T, root string) []source {
	var files []source
	require.NoError(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			return skipDir(root, path, d.Name())
		}
		if strings.HasSuffix(path, ".go") {
			files = append(files, readFile(t, root, path))
		}
		return nil
	}))
	return files
}

func skipDir(root, path, name string) error {
	if path == root {
		return nil
	}
	if _, err := os.Stat(filepath.Join(path, "go.mod")); err == nil || name == "testdata" || strings.HasPrefix(name, ".") {
		return filepath.SkipDir
	}
	return nil
}

func readFile(t *testing.T, root, path string) source {
	parsed, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
	require.NoError(t, err)
	rel, err := filepath.Rel(root, path)
	require.NoError(t, err)
	f := source{
		pkg:  filepath.ToSlash(filepath.Dir(rel)),
		file: filepath.ToSlash(rel),
		test: strings.HasSuffix(path, "_test.go"),
	}
	for _, spec := range parsed.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		require.NoError(t, err)
		f.imports = append(f.imports, imported)
	}
	return f
}
