package entangle_test

import (
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
)

// refusedInCores lists packages of the standard library that would make a core depend on something
// other than its arguments. Folders below them are refused as well.
var refusedInCores = []struct{ path, what string }{
	{"net", "a core has no socket"},
	{"os", "a core has no files and no environment"},
	{"syscall", "a core has no files and no environment"},
	{"sync", "a core has no lock"},
	{"context", "a core does not wait"},
	{"log", "a core does not log"},
	{"math/rand", "a core has no chance, it comes in as an argument"},
	{"crypto/rand", "a core has no chance, it comes in as an argument"},
}

// clock lists the names of package time that read a clock or wait for one.
var clock = []string{"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker"}

// impurities returns one sentence for each thing in a folder that a core must not have.
func impurities(set *token.FileSet, files []sourceFile, except []string) []string {
	var found []string
	globals := packageVariables(files)
	for _, f := range files {
		for _, p := range f.imports() {
			if why := refusedImport(p); why != "" && !slices.Contains(except, p) {
				found = append(found, fmt.Sprintf("%s imports %s: %s", f.name, p, why))
			}
		}
		timeName := localName(f.syntax, "time")
		for _, d := range f.syntax.Decls {
			reached := withoutShadowed(globals, d)
			ast.Inspect(d, func(n ast.Node) bool {
				if why := impurity(n, timeName, reached); why != "" {
					found = append(found, fmt.Sprintf("%s:%d %s", f.name, set.Position(n.Pos()).Line, why))
				}
				return true
			})
		}
	}
	return found
}

func refusedImport(p string) string {
	for _, r := range refusedInCores {
		if (p == r.path || strings.HasPrefix(p, r.path+"/")) && p != "net/netip" {
			return r.what
		}
	}
	host, _, _ := strings.Cut(p, "/")
	_, ours := folderOf(p)
	crypto := strings.HasPrefix(p, "golang.org/x/crypto/")
	if strings.Contains(host, ".") && !ours && !crypto {
		return "a core knows no third party but golang.org/x/crypto"
	}
	return ""
}

// localName returns the name under which a file imports a package, or "" if it does not import it.
func localName(f *ast.File, importPath string) string {
	for _, spec := range f.Imports {
		if p, _ := strconv.Unquote(spec.Path.Value); p == importPath {
			if spec.Name != nil {
				return spec.Name.Name
			}
			return path.Base(p)
		}
	}
	return ""
}

// packageVariables returns the names of the variables that the files of one package declare at
// package level.
func packageVariables(files []sourceFile) map[string]bool {
	names := map[string]bool{}
	for _, f := range files {
		for _, d := range f.syntax.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.VAR {
				continue
			}
			for _, spec := range g.Specs {
				if v, ok := spec.(*ast.ValueSpec); ok {
					for _, name := range v.Names {
						names[name.Name] = name.Name != "_"
					}
				}
			}
		}
	}
	return names
}

// withoutShadowed removes the variables that local variables of a function shadow.
func withoutShadowed(globals map[string]bool, d ast.Decl) map[string]bool {
	f, ok := d.(*ast.FuncDecl)
	if !ok {
		return globals
	}
	reached := maps.Clone(globals)
	forget := func(names ...*ast.Ident) {
		for _, name := range names {
			delete(reached, name.Name)
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			forget(n.Names...)
		case *ast.ValueSpec:
			forget(n.Names...)
		case *ast.AssignStmt:
			for _, e := range n.Lhs {
				if name, ok := e.(*ast.Ident); ok && n.Tok == token.DEFINE {
					forget(name)
				}
			}
		case *ast.RangeStmt:
			for _, e := range []ast.Expr{n.Key, n.Value} {
				if name, ok := e.(*ast.Ident); ok && n.Tok == token.DEFINE {
					forget(name)
				}
			}
		}
		return true
	})
	return reached
}

// impurity checks one node of a file: for clocks, goroutines, and package variables that are
// written, or that are declared without a value. A variable that is set in its declaration and never again
// is a table, which is allowed.
func impurity(n ast.Node, timeName string, globals map[string]bool) string {
	switch n := n.(type) {
	case *ast.GoStmt:
		return "starts a goroutine: a core runs in its caller's"
	case *ast.SelectorExpr:
		x, ok := n.X.(*ast.Ident)
		if ok && timeName != "" && x.Name == timeName && slices.Contains(clock, n.Sel.Name) {
			return fmt.Sprintf("uses time.%s: a core has no clock, now is an argument", n.Sel.Name)
		}
	case *ast.AssignStmt:
		if n.Tok != token.DEFINE {
			return written(globals, n.Lhs...)
		}
	case *ast.IncDecStmt:
		return written(globals, n.X)
	case *ast.UnaryExpr:
		if n.Op == token.AND {
			return written(globals, n.X)
		}
	case *ast.ValueSpec:
		return unset(globals, n)
	}
	return ""
}

// written returns a complaint if one of the assigned expressions belongs to a package variable.
func written(globals map[string]bool, places ...ast.Expr) string {
	for _, e := range places {
		if name := rootName(e); globals[name] {
			return fmt.Sprintf("writes %s: a core has no state of its package", name)
		}
	}
	return ""
}

func unset(globals map[string]bool, spec *ast.ValueSpec) string {
	if len(spec.Values) == 0 && globals[spec.Names[0].Name] {
		return fmt.Sprintf("declares %s without a value: a core has no state of its package", spec.Names[0].Name)
	}
	return ""
}

// rootName returns the name with which an expression such as a.b[c].d starts.
func rootName(e ast.Expr) string {
	for {
		switch x := e.(type) {
		case *ast.Ident:
			return x.Name
		case *ast.SelectorExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.ParenExpr:
			e = x.X
		case *ast.SliceExpr:
			e = x.X
		default:
			return ""
		}
	}
}
