package entangle_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

var (
	provesLine = regexp.MustCompile(`^\s*(?://|#)?\s*Proves:(.*)$`)
	provesRows = regexp.MustCompile(`^\s*[A-Z][0-9]+(\s*,\s*[A-Z][0-9]+)*\s*$`)
	pageRow    = regexp.MustCompile(`^\| ([A-Z][0-9]+) \|(.*)\|(.*)\|$`)
	pythonDef  = regexp.MustCompile(`^\s*(?:async )?def (\w+)`)
)

// proofs maps a row to the sorted names of the tests that prove it.
type proofs map[string][]string

func (p proofs) add(rows, test string) {
	for row := range strings.SplitSeq(rows, ",") {
		row = strings.TrimSpace(row)
		if !slices.Contains(p[row], test) {
			p[row] = append(p[row], test)
			slices.Sort(p[row])
		}
	}
}

// readProofs gathers every "Proves:" of the tree, and complains about those that do
// not stand at a test.
func readProofs(root fs.FS) (p proofs, misplaced []string, err error) {
	p = proofs{}
	err = fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." && strings.HasPrefix(d.Name(), "."):
			return fs.SkipDir
		case d.IsDir():
			return nil
		}
		read := goProofs
		switch {
		case strings.HasSuffix(name, ".py"):
			read = pythonProofs
		case !strings.HasSuffix(name, "_test.go"):
			return nil
		}
		text, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		complaints, err := read(p, name, text)
		misplaced = append(misplaced, complaints...)
		return err
	})
	return p, misplaced, err
}

func goProofs(p proofs, name string, text []byte) ([]string, error) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	tests := map[*ast.CommentGroup]string{}
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if ok && f.Doc != nil && f.Recv == nil && (strings.HasPrefix(f.Name.Name, "Test") || strings.HasPrefix(f.Name.Name, "Fuzz")) {
			tests[f.Doc] = testName(name, f.Name.Name)
		}
	}
	var misplaced []string
	for _, group := range file.Comments {
		for _, c := range group.List {
			m := provesLine.FindStringSubmatch(c.Text)
			if m == nil {
				continue
			}
			where := fmt.Sprintf("%s:%d", name, set.Position(c.Pos()).Line)
			switch test := tests[group]; {
			case test == "":
				misplaced = append(misplaced, where+`: "Proves:" stands where no test begins; put it into the doc comment of a Test or Fuzz function`)
			case !provesRows.MatchString(m[1]):
				misplaced = append(misplaced, where+`: "Proves:" names no row; write it like "Proves: P4, P5"`)
			default:
				p.add(m[1], test)
			}
		}
	}
	return misplaced, nil
}

// testName puts the folder before a test, and the package's name for the root.
func testName(file, test string) string {
	if folder := path.Dir(file); folder != "." {
		return folder + "." + test
	}
	return path.Base(module) + "." + test
}

func pythonProofs(p proofs, name string, text []byte) ([]string, error) {
	var misplaced []string
	test := ""
	for i, line := range strings.Split(string(text), "\n") {
		if m := pythonDef.FindStringSubmatch(line); m != nil {
			test = m[1]
		}
		m := provesLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		where := fmt.Sprintf("%s:%d", name, i+1)
		switch {
		case !strings.HasPrefix(test, "test"):
			misplaced = append(misplaced, where+`: "Proves:" stands where no test begins; put it under a def whose name begins with test`)
		case !provesRows.MatchString(m[1]):
			misplaced = append(misplaced, where+`: "Proves:" names no row; write it like "Proves: P4, P5"`)
		default:
			p.add(m[1], name+":"+test)
		}
	}
	return misplaced, nil
}

// A guarantee is one row of the page.
type guarantee struct {
	row, promise string
	tests        []string
}

func readPage(text string) []guarantee {
	var rows []guarantee
	for line := range strings.Lines(text) {
		m := pageRow.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			continue
		}
		g := guarantee{row: m[1], promise: strings.TrimSpace(m[2])}
		for test := range strings.SplitSeq(m[3], "<br>") {
			if test = strings.Trim(test, " `"); test != "" {
				g.tests = append(g.tests, test)
			}
		}
		rows = append(rows, g)
	}
	return rows
}

// rewritePage puts the tests of each row into its last column and leaves the rest alone.
func rewritePage(text string, p proofs) string {
	lines := strings.SplitAfter(text, "\n")
	for i, line := range lines {
		m := pageRow.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			continue
		}
		cell := ""
		if tests := p[m[1]]; len(tests) > 0 {
			cell = " `" + strings.Join(tests, "`<br>`") + "`"
		}
		lines[i] = fmt.Sprintf("| %s | %s |%s |\n", m[1], strings.TrimSpace(m[2]), cell)
	}
	return strings.Join(lines, "")
}

// checkGuarantees returns a sentence for each disagreement between page and tests.
func checkGuarantees(rows []guarantee, p proofs) []string {
	var found []string
	onPage := map[string]bool{}
	for _, g := range rows {
		switch tests := p[g.row]; {
		case onPage[g.row]:
			found = append(found, g.row+": the row stands twice")
		case g.promise == "":
			found = append(found, g.row+": the row has no promise")
		case len(tests) == 0:
			found = append(found, fmt.Sprintf("%s: no test says \"Proves: %s\"", g.row, g.row))
		case !slices.Equal(g.tests, tests):
			found = append(found, fmt.Sprintf("%s: the page names %s, but the tests that prove it are %s; run go test -run TestGuarantees . -update",
				g.row, strings.Join(g.tests, ", "), strings.Join(tests, ", ")))
		}
		onPage[g.row] = true
	}
	for _, row := range slices.Sorted(maps.Keys(p)) {
		if !onPage[row] {
			found = append(found, fmt.Sprintf("%s: prove %s, which has no row in %s", strings.Join(p[row], ", "), row, guaranteesPage))
		}
	}
	return found
}
