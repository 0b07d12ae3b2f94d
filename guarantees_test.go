package entangle_test

import (
	"flag"
	"os"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	guaranteesPage = "docs/GUARANTEES.md"
	testsPage      = "docs/GUARANTEES-TESTS.md"
)

var update = flag.Bool("update", false, "write "+testsPage)

// TestGuarantees compares docs/GUARANTEES.md with the tests: each row has a test with "Proves:" and
// the row in its doc comment, each "Proves:" names a row, and docs/GUARANTEES-TESTS.md lists them.
func TestGuarantees(t *testing.T) {
	proofs, misplaced, err := readProofs(os.DirFS("."))
	require.NoError(t, err)
	for _, m := range misplaced {
		t.Error(m)
	}
	promises, err := os.ReadFile(guaranteesPage)
	require.NoError(t, err)
	rows := readPage(string(promises))
	require.NotEmpty(t, rows, "the page has no rows")
	for _, complaint := range checkGuarantees(rows, proofs) {
		t.Error(complaint)
	}
	want := proofsPage(rows, proofs)
	if *update {
		require.NoError(t, os.WriteFile(testsPage, []byte(want), 0o644))
	}
	tests, err := os.ReadFile(testsPage)
	require.NoError(t, err)
	assert.Equal(t, want, string(tests), "%s is out of date; run go test -run TestGuarantees . -update", testsPage)
}

// TestGuaranteesAreChecked makes one difference between a page and its tests, in either direction,
// and checks what is reported.
func TestGuaranteesAreChecked(t *testing.T) {
	const head = "| row | promise |\n| --- | --- |\n"
	cases := map[string]struct {
		page string
		says []string
	}{
		"in agreement": {head + "| P4 | once |\n| P5 | in order |\n", nil},
		"a row without a test": {
			head + "| P4 | once |\n| P5 | in order |\n| P6 | at once |\n",
			[]string{`P6: no test says "Proves: P6"`},
		},
		"a test without a row": {
			head + "| P4 | once |\n",
			[]string{`chan.TestOnce, peer.py:test_order: prove P5, which has no row in docs/GUARANTEES.md`},
		},
		"a row without a promise": {
			head + "| P4 | |\n| P5 | in order |\n",
			[]string{`P4: the row has no promise`},
		},
		"a row twice": {
			head + "| P4 | once |\n| P4 | once |\n| P5 | in order |\n",
			[]string{`P4: the row stands twice`},
		},
	}
	proofs, misplaced, err := readProofs(fstest.MapFS{
		"chan/once_test.go": {Data: []byte("package chan_test\n\n// TestOnce loses packets.\n//\n// Proves: P4, P5\nfunc TestOnce(t *testing.T) {}\n")},
		"peer.py":           {Data: []byte("def test_order():\n    \"\"\"Waits.\n\n    Proves: P5\n    \"\"\"\n")},
	})
	require.NoError(t, err)
	require.Empty(t, misplaced)
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, c.says, checkGuarantees(readPage(c.page), proofs))
		})
	}
	assert.Equal(t, proofsHead+"| P4 | `chan.TestOnce` |\n| P5 | `chan.TestOnce`<br>`peer.py:test_order` |\n| P6 | |\n",
		proofsPage([]guarantee{{"P4", "once"}, {"P5", "in order"}, {"P6", "at once"}}, proofs))
}

// TestProofsOutsideOfTestsAreRefused checks that a "Proves:" outside of a test's doc comment is
// reported, because otherwise it would silently count for nothing.
func TestProofsOutsideOfTestsAreRefused(t *testing.T) {
	_, misplaced, err := readProofs(fstest.MapFS{
		"a_test.go": {Data: []byte("package a\n\n// Proves: P4\nfunc helper() {}\n")},
		"b_test.go": {Data: []byte("package a\n\nfunc TestB(t *testing.T) {\n\t// Proves: P4\n}\n")},
		"c_test.go": {Data: []byte("package a\n\n// Proves: retransmission\nfunc TestC(t *testing.T) {}\n")},
		"d.py":      {Data: []byte("# Proves: P4\n")},
	})
	require.NoError(t, err)
	assert.Equal(t, []string{
		`a_test.go:3: "Proves:" stands where no test begins; put it into the doc comment of a Test or Fuzz function`,
		`b_test.go:4: "Proves:" stands where no test begins; put it into the doc comment of a Test or Fuzz function`,
		`c_test.go:3: "Proves:" names no row; write it like "Proves: P4, P5"`,
		`d.py:1: "Proves:" stands where no test begins; put it under a def whose name begins with test`,
	}, misplaced)
}
