package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Every exported type, function, method, constant and variable of the packages that host projects import
// has a comment. Fields are left to their type's, which may say all there is; Error says it by its name.
func TestExportedNamesHaveComments(t *testing.T) {
	root := filepath.Join("..", "..")
	seen := 0
	require.NoError(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == "internal":
			return filepath.SkipDir
		case d.IsDir():
			return skipDir(root, path, d.Name())
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		seen++
		for _, name := range undocumented(t, path, nil) {
			t.Errorf("%s: %s has no comment", path, name)
		}
		return nil
	}))
	require.Greater(t, seen, 100)
}

func TestMissingCommentsAreFound(t *testing.T) {
	const source = `package p

// F is fine.
func F() {}
func G() {}
func h() {}

// T is fine.
type T struct {
	A int
}

func (t *T) M() {}
func (t *T) Error() string { return "" }
func (t t) N()  {}

type t int
type U[M any] struct{}
func (u *U[M]) O() {}

// A group's comment is for all of them.
const (
	One = iota
	Two
)
const Three = 3
const (
	Four = 4 // fine
	five = 5
	Six  = 6
)
var V int
`
	require.Equal(t, []string{"G", "M", "U", "O", "Three", "Six", "V"}, undocumented(t, "p.go", source))
}

// undocumented are the exported names of a file, or of its source if that is given, that have no comment.
func undocumented(t *testing.T, path string, source any) (names []string) {
	parsed, err := parser.ParseFile(token.NewFileSet(), path, source, parser.ParseComments|parser.SkipObjectResolution)
	require.NoError(t, err)
	for _, d := range parsed.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Doc == nil && d.Name.IsExported() && d.Name.Name != "Error" && ofExported(d) {
				names = append(names, d.Name.Name)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				names = append(names, undocumentedSpec(d, s)...)
			}
		}
	}
	return names
}

// ofExported says whether a function is no method, or one of an exported type.
func ofExported(f *ast.FuncDecl) bool {
	if f.Recv == nil {
		return true
	}
	of := f.Recv.List[0].Type
	if star, ok := of.(*ast.StarExpr); ok {
		of = star.X
	}
	if index, ok := of.(*ast.IndexExpr); ok {
		of = index.X
	}
	id, ok := of.(*ast.Ident)
	return !ok || id.IsExported()
}

// undocumentedSpec looks at one type, or at the constants or variables of one line. A comment above the
// whole declaration is for all of it, except that each type needs its own.
func undocumentedSpec(d *ast.GenDecl, s ast.Spec) (names []string) {
	switch s := s.(type) {
	case *ast.TypeSpec:
		if !s.Name.IsExported() {
			return nil
		}
		if s.Doc == nil && s.Comment == nil && d.Doc == nil {
			names = append(names, s.Name.Name)
		}
	case *ast.ValueSpec:
		names = undocumentedNames(s.Names, s.Doc, s.Comment, d.Doc)
	}
	return names
}

func undocumentedNames(ids []*ast.Ident, comments ...*ast.CommentGroup) (names []string) {
	for _, c := range comments {
		if c != nil {
			return nil
		}
	}
	for _, id := range ids {
		if id.IsExported() {
			names = append(names, id.Name)
		}
	}
	return names
}
