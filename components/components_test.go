package components_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/components"
)

// All component types of this package that the plugin may register in a world.
var all = []reflect.Type{
	reflect.TypeFor[components.Replicate](),
	reflect.TypeFor[components.Remote](),
	reflect.TypeFor[components.ControlledBy](),
	reflect.TypeFor[components.ChildOf](),
	reflect.TypeFor[components.Controlled](),
	reflect.TypeFor[components.Persistent](),
	reflect.TypeFor[components.NoReplicateChildren](),
	reflect.TypeFor[components.Viewer](),
	reflect.TypeFor[components.Predicted](),
	reflect.TypeFor[components.Interpolated](),
	reflect.TypeFor[components.Prespawned](),
	reflect.TypeFor[components.IntentOf](),
	reflect.TypeFor[components.NoRollback](),
	reflect.TypeFor[components.ConfirmedOf](),
	reflect.TypeFor[components.SID](),
}

// Types that are not components: fields of components, and resources.
var others = []reflect.Type{
	reflect.TypeFor[components.At](), reflect.TypeFor[components.Group](), reflect.TypeFor[components.Target](),
	reflect.TypeFor[components.Targets](), reflect.TypeFor[components.Relevance](), reflect.TypeFor[components.Room](),
	reflect.TypeFor[components.Text32](),
	reflect.TypeFor[components.Time](),
}

// An Arche world has 240 component types, 64 with the build tag tiny, most of which should be left
// to the game.
func TestThereAreFewComponentTypes(t *testing.T) {
	assert.LessOrEqual(t, len(all), 16)
	w := ecs.NewWorld()
	for _, component := range all {
		ecs.TypeID(&w, component)
	}
}

func TestEveryExportedTypeIsKnownToTheseTests(t *testing.T) {
	var known []string
	for _, listed := range slices.Concat(all, others) {
		known = append(known, listed.Name())
	}
	assert.ElementsMatch(t, known, exportedTypes(t))
}

func exportedTypes(t *testing.T) []string {
	var names []string
	files, err := fs.Glob(os.DirFS("."), "*.go")
	require.NoError(t, err)
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		require.NoError(t, err)
		for _, decl := range file.Decls {
			names = append(names, exportedTypesOf(decl)...)
		}
	}
	return names
}

func exportedTypesOf(decl ast.Decl) []string {
	var names []string
	if group, ok := decl.(*ast.GenDecl); ok {
		for _, spec := range group.Specs {
			if typ, ok := spec.(*ast.TypeSpec); ok && typ.Name.IsExported() {
				names = append(names, typ.Name.Name)
			}
		}
	}
	return names
}

// Arche moves components as raw bytes, which loses pointers.
func TestComponentsHoldNoPointers(t *testing.T) {
	values := []reflect.Type{reflect.TypeFor[components.Group](), reflect.TypeFor[components.Target](), reflect.TypeFor[components.Text32]()}
	for _, component := range slices.Concat(all, values) {
		assert.Empty(t, pointerIn(component), "%v", component)
	}
	assert.Equal(t, "string", pointerIn(reflect.TypeFor[struct{ A [2]struct{ B string } }]()),
		"the check itself finds one")
}

// pointerIn returns the first type within typ that holds a pointer.
func pointerIn(typ reflect.Type) string {
	switch typ.Kind() {
	case reflect.Struct:
		for i := range typ.NumField() {
			if found := pointerIn(typ.Field(i).Type); found != "" {
				return found
			}
		}
		return ""
	case reflect.Array:
		return pointerIn(typ.Elem())
	case reflect.Pointer, reflect.String, reflect.Slice, reflect.Map, reflect.Chan,
		reflect.Func, reflect.Interface, reflect.UnsafePointer, reflect.Uintptr:
		return typ.String()
	default:
		return ""
	}
}
