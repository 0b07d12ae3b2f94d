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
	pageRow    = regexp.MustCompile(`^\| ([A-Z][0-9]+) \|(.*)\|$`)
	pythonDef  = regexp.MustCompile(`^\s*(?:async )?def (\w+)`)
)

// proofs maps a row to the sorted names of the tests that prove the row.
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

// readProofs gathers every "Proves:" of the tree, and reports those that are not in the doc comment
// of a test.
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

// testName returns the folder of a test with its name. For the root it puts the package's name
// before.
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

// guarantee is one row of the page of guarantees.
type guarantee struct{ row, promise string }

func readPage(text string) []guarantee {
	var rows []guarantee
	for line := range strings.Lines(text) {
		if m := pageRow.FindStringSubmatch(strings.TrimSpace(line)); m != nil {
			rows = append(rows, guarantee{row: m[1], promise: strings.TrimSpace(m[2])})
		}
	}
	return rows
}

const proofsHead = `# The tests behind each guarantee

Generated from the doc comments of the tests by ` + "`go test -run TestGuarantees . -update`" + `; do not edit it
by hand. The promises are in [GUARANTEES.md](GUARANTEES.md). A test is named by its folder and its
function: run one with ` + "`go test ./FOLDER -run '^NAME$'`" + `.

| row | proved by |
| --- | --- |
`

// proofsPage returns the page that lists the tests of each row, in the order of the rows.
func proofsPage(rows []guarantee, p proofs) string {
	var page strings.Builder
	page.WriteString(proofsHead)
	for _, g := range rows {
		cell := ""
		if tests := p[g.row]; len(tests) > 0 {
			cell = " `" + strings.Join(tests, "`<br>`") + "`"
		}
		fmt.Fprintf(&page, "| %s |%s |\n", g.row, cell)
	}
	return page.String()
}

// checkGuarantees returns one sentence for each row without a test, and for each test without a
// row.
func checkGuarantees(rows []guarantee, p proofs) []string {
	var found []string
	onPage := map[string]bool{}
	for _, g := range rows {
		switch {
		case onPage[g.row]:
			found = append(found, g.row+": the row stands twice")
		case g.promise == "":
			found = append(found, g.row+": the row has no promise")
		case len(p[g.row]) == 0:
			found = append(found, fmt.Sprintf("%s: no test says \"Proves: %s\"", g.row, g.row))
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
