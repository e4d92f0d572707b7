package readme

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// packages are those whose names pages may mention, by where they are.
var packages = map[string]string{
	"ofgroup": "ofgroup", "ofconn": "ofgroup/ofconn", "ofgrouptest": "ofgroup/ofgrouptest",
	"igmp": "igmp", "snooper": "igmp/snooper", "querier": "igmp/querier", "igmpconn": "igmp/igmpconn",
	"mcast": "mcast", "mcasttest": "mcast/mcasttest",
	"mroute": "mroute",
}

var (
	inlineCode = regexp.MustCompile("`[^`\n]+`")
	mentioned  = regexp.MustCompile(`\b([a-z]+)\.([A-Z]\w*)(?:\.([A-Z]\w*))?`)
)

// A name that a page mentions, such as ofgroup.Table or ofconn.Config.NoFence, is there.
func TestNamesOnPagesExist(t *testing.T) {
	names := map[string]bool{}
	for name, dir := range packages {
		exported(t, name, dir, names)
	}
	seen := 0
	for _, page := range pages(t) {
		for _, code := range inlineCode.FindAllString(fenced.ReplaceAllString(read(t, page), ""), -1) {
			for _, m := range mentioned.FindAllStringSubmatch(code, -1) {
				if packages[m[1]] == "" {
					continue
				}
				seen++
				require.True(t, names[strings.TrimSuffix(strings.Join(m[1:], "."), ".")], "%s mentions %s", page, m[0])
			}
		}
	}
	require.Greater(t, seen, 30)
}

// exported adds the names of a package, and the methods and fields of its types, as pkg.Name and pkg.Type.Name.
func exported(t *testing.T, pkg, dir string, names map[string]bool) {
	files, err := filepath.Glob(filepath.Join(root, dir, "*.go"))
	require.NoError(t, err)
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, d := range parsed.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				names[pkg+"."+receiver(d)+d.Name.Name] = true
			case *ast.GenDecl:
				for _, s := range d.Specs {
					declared(pkg, s, names)
				}
			}
		}
	}
}

// receiver is the name of a method's type and a dot.
func receiver(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return ""
	}
	name := ""
	ast.Inspect(f.Recv.List[0].Type, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && name == "" {
			name = id.Name
		}
		return true
	})
	return name + "."
}

func declared(pkg string, s ast.Spec, names map[string]bool) {
	switch s := s.(type) {
	case *ast.ValueSpec:
		for _, id := range s.Names {
			names[pkg+"."+id.Name] = true
		}
	case *ast.TypeSpec:
		names[pkg+"."+s.Name.Name] = true
		ast.Inspect(s.Type, func(n ast.Node) bool {
			if f, ok := n.(*ast.Field); ok {
				for _, id := range f.Names {
					names[pkg+"."+s.Name.Name+"."+id.Name] = true
				}
			}
			return true
		})
	}
}
