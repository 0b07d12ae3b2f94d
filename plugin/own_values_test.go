package plugin_test

import (
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// exportedTypes walks the exported names of a package, with their fields, methods and parameters.
type exportedTypes struct {
	pkg      *types.Package
	seen     map[types.Type]bool
	internal map[string]bool // uses of types of internal packages
}

func (x *exportedTypes) walk(at string, t types.Type) {
	if alias, ok := t.(*types.Alias); ok {
		t = types.Unalias(alias)
	}
	if x.seen[t] {
		return
	}
	switch t := t.(type) {
	case *types.Named:
		x.walkNamed(at, t)
	case *types.Pointer:
		x.walk(at, t.Elem())
	case *types.Slice:
		x.walk(at, t.Elem())
	case *types.Array:
		x.walk(at, t.Elem())
	case *types.Chan:
		x.walk(at, t.Elem())
	case *types.Map:
		x.walk(at, t.Key())
		x.walk(at, t.Elem())
	case *types.Signature:
		x.walk(at, t.Params())
		x.walk(at, t.Results())
	case *types.Tuple:
		for v := range t.Variables() {
			x.walk(at, v.Type())
		}
	case *types.Interface:
		for m := range t.Methods() {
			if m.Exported() {
				x.walk(at+"."+m.Name(), m.Type())
			}
		}
	case *types.Struct:
		for f := range t.Fields() {
			if f.Exported() {
				x.walk(at+"."+f.Name(), f.Type())
			}
		}
	}
}

func (x *exportedTypes) walkNamed(at string, t *types.Named) {
	for arg := range t.TypeArgs().Types() {
		x.walk(at, arg)
	}
	if in := t.Obj().Pkg(); in != x.pkg {
		if in != nil && strings.Contains(in.Path(), "/internal/") {
			x.internal[fmt.Sprintf("%s uses %v", at, t)] = true
		}
		return
	}
	x.seen[t] = true
	x.walk(t.Obj().Name(), t.Underlying())
	set := types.NewMethodSet(types.NewPointer(t)) // includes the methods of embedded types
	for i := range set.Len() {
		if m := set.At(i).Obj(); m.Exported() {
			x.walk(t.Obj().Name()+"."+m.Name(), m.Type())
		}
	}
}

// usesOfInternalTypes returns the exported names of a package that use types of internal packages.
func usesOfInternalTypes(pkg *types.Package) []string {
	x := &exportedTypes{pkg: pkg, seen: map[types.Type]bool{}, internal: map[string]bool{}}
	for _, name := range pkg.Scope().Names() {
		if obj := pkg.Scope().Lookup(name); obj.Exported() {
			x.walk(name, obj.Type())
		}
	}
	return slices.Sorted(maps.Keys(x.internal))
}

// A game can name every type that it meets: no exported name of this package needs a type of an
// internal one.
func TestTheTypesOfAGameAreOurOwn(t *testing.T) {
	const internal = "github.com/entangle-ecs/entangle/internal/world/apps"
	out, err := exec.CommandContext(t.Context(), "go", "list", "-export", "-deps", "-f", "{{.ImportPath}}={{.Export}}", ".", internal).Output()
	require.NoError(t, err)
	files := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), "=")
		files[path] = file
	}
	packages := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) { return os.Open(files[path]) })
	pkg, err := packages.Import("github.com/entangle-ecs/entangle/plugin")
	require.NoError(t, err)
	assert.Empty(t, usesOfInternalTypes(pkg))

	bad, err := packages.Import(internal)
	require.NoError(t, err)
	assert.Contains(t, usesOfInternalTypes(bad), "App.Applier uses github.com/entangle-ecs/entangle/internal/world/sink.Applier", "the test finds one")
}
