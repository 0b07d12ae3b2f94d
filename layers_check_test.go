package entangle_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
)

const module = "github.com/entangle-ecs/entangle"

// sourceTree holds the parsed files of a tree, by folder. Tests may import anything, so only their
// folder is recorded.
type sourceTree struct {
	set     *token.FileSet
	folders map[string][]sourceFile
}

type sourceFile struct {
	name   string
	syntax *ast.File
}

func readTree(root fs.FS) (*sourceTree, error) {
	tree := &sourceTree{set: token.NewFileSet(), folders: map[string][]sourceFile{}}
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".")):
			return fs.SkipDir
		case d.IsDir() || path.Ext(name) != ".go":
			return nil
		}
		return tree.add(root, name)
	})
	return tree, err
}

func (t *sourceTree) add(root fs.FS, name string) error {
	folder := path.Dir(name)
	if strings.HasSuffix(name, "_test.go") {
		if t.folders[folder] == nil {
			t.folders[folder] = []sourceFile{}
		}
		return nil
	}
	text, err := fs.ReadFile(root, name)
	if err != nil {
		return err
	}
	syntax, err := parser.ParseFile(t.set, name, text, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	t.folders[folder] = append(t.folders[folder], sourceFile{name, syntax})
	return nil
}

func (f sourceFile) imports() []string {
	var paths []string
	for _, spec := range f.syntax.Imports {
		p, _ := strconv.Unquote(spec.Path.Value)
		paths = append(paths, p)
	}
	return paths
}

// folderOf returns the folder of an import path of this module.
func folderOf(importPath string) (string, bool) {
	if importPath == module {
		return ".", true
	}
	return strings.CutPrefix(importPath, module+"/")
}

// placeOf finds the row of the table with the longest path that contains the folder.
func placeOf(folder string, places []place) (place, bool) {
	var best place
	for _, p := range places {
		if (folder == p.folder || strings.HasPrefix(folder, p.folder+"/")) && len(p.folder) > len(best.folder) {
			best = p
		}
	}
	return best, best.folder != ""
}

// checkLayers returns one sentence for each violation, in order of the folders.
func checkLayers(tree *sourceTree, places []place, siblings []sibling) []string {
	c := layerCheck{tree: tree, places: places, unused: slices.Clone(siblings), siblings: siblings, arrows: map[[2]string]bool{}}
	for _, folder := range slices.Sorted(maps.Keys(tree.folders)) {
		at, found := placeOf(folder, places)
		if !found {
			c.report("%s: a folder without a place; give it a layer in the table of layers_test.go", folder)
			continue
		}
		for _, f := range tree.folders[folder] {
			c.checkArrows(folder, at, f)
		}
		if at.pure {
			c.checkPure([]string{folder}, map[string]bool{})
		}
	}
	for _, s := range c.unused {
		c.report("the table of siblings lists %s to %s, but no file imports it so: take the line out", s.from, s.to)
	}
	return c.found
}

type layerCheck struct {
	tree     *sourceTree
	places   []place
	siblings []sibling
	unused   []sibling
	found    []string
	arrows   map[[2]string]bool // reported imports; one file of a folder is enough
}

func (c *layerCheck) report(format string, args ...any) {
	c.found = append(c.found, fmt.Sprintf(format, args...))
}

func (c *layerCheck) reportArrow(from, to, format string, args ...any) {
	if arrow := [2]string{from, to}; !c.arrows[arrow] {
		c.arrows[arrow] = true
		c.report(format, args...)
	}
}

// checkArrows checks what one file imports from this module, and whether it may import unsafe.
func (c *layerCheck) checkArrows(folder string, at place, f sourceFile) {
	for _, p := range f.imports() {
		if p == "unsafe" && !at.unsafe {
			c.report("%s imports unsafe: only internal/columns, internal/wire, protocol and benchmarks/sockets may", f.name)
		}
		to, ours := folderOf(p)
		if !ours {
			continue
		}
		target, placed := placeOf(to, c.places)
		switch {
		case c.tree.folders[to] == nil:
			c.report("%s imports %s: no such folder in this module", f.name, to)
		case !placed:
			// checkLayers reports the folder itself.
		case target.layer > at.layer:
			c.reportArrow(folder, to, "%s imports %s: an arrow up, from the layer %q to %q", f.name, to, at.layer, target.layer)
		case target.layer == at.layer && !c.listed(folder, to):
			c.reportArrow(folder, to, "%s imports %s: both stand on the layer %q, and the table of siblings does not list this arrow", f.name, to, at.layer)
		}
	}
}

func (c *layerCheck) listed(from, to string) bool {
	same := func(s sibling) bool { return matches(s.from, from) && matches(s.to, to) }
	c.unused = slices.DeleteFunc(c.unused, same)
	return slices.ContainsFunc(c.siblings, same)
}

// matches compares a folder with a pattern of the table. The pattern "a/..." stands for a and all
// folders below it.
func matches(pattern, folder string) bool {
	top, below := strings.CutSuffix(pattern, "/...")
	return folder == top || below && strings.HasPrefix(folder, top+"/")
}

// checkPure looks for impurities in the last folder of the chain and in everything that it imports
// from this module. Imports from higher layers are reported elsewhere.
func (c *layerCheck) checkPure(chain []string, seen map[string]bool) {
	folder := chain[len(chain)-1]
	at, _ := placeOf(folder, c.places)
	if seen[folder] || at.layer > cores || len(chain) > 1 && at.pure {
		return
	}
	seen[folder] = true
	how := ""
	if len(chain) > 1 {
		how = fmt.Sprintf(" (reached by %s)", strings.Join(chain, " > "))
	}
	for _, what := range impurities(c.tree.set, c.tree.folders[folder], at.except) {
		c.report("%s%s", what, how)
	}
	for _, f := range c.tree.folders[folder] {
		for _, p := range f.imports() {
			if to, ours := folderOf(p); ours {
				c.checkPure(append(slices.Clone(chain), to), seen)
			}
		}
	}
}
