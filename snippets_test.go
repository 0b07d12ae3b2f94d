package entangle_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// snippet is one fenced block of Go in a page.
type snippet struct {
	page string
	line int // line of the fence, counted from 1
	text string
}

// file returns the name of the snippet's file in a reader's module.
func (s *snippet) file() string {
	if strings.Contains(s.text, "\nfunc Test") {
		return "snippet_test.go"
	}
	return "snippet.go"
}

// readSnippets returns the Go blocks of a page. Each must be a whole file, so that a reader can
// copy it and the compiler can check it.
func readSnippets(page, text string) (found []snippet, err error) {
	inside := false
	for i, line := range strings.SplitAfter(text, "\n") {
		fence := strings.TrimSpace(line)
		switch {
		case !inside && fence == "```go":
			inside = true
			found = append(found, snippet{page: page, line: i + 1})
		case inside && fence == "```":
			inside = false
			if last := found[len(found)-1]; !strings.HasPrefix(last.text, "package ") && !strings.HasPrefix(last.text, "// ") {
				return nil, fmt.Errorf("%s:%d: a block of Go has to be a whole file that begins with its package", page, last.line)
			}
		case inside:
			found[len(found)-1].text += line
		}
	}
	if inside {
		return nil, fmt.Errorf("%s:%d: the block has no end", page, found[len(found)-1].line)
	}
	return found, nil
}

// TestSnippetsAreRead checks the blocks that are found in a small page.
func TestSnippetsAreRead(t *testing.T) {
	found, err := readSnippets("a.md", "# A\n```go\npackage a\n```\n```sh\nls\n```\n```go\npackage b\n\nvar X int\n```\n")
	require.NoError(t, err)
	assert.Equal(t, []snippet{{"a.md", 2, "package a\n"}, {"a.md", 8, "package b\n\nvar X int\n"}}, found)

	_, err = readSnippets("a.md", "```go\nx := 1\n```\n")
	require.EqualError(t, err, "a.md:1: a block of Go has to be a whole file that begins with its package")
	_, err = readSnippets("a.md", "\n```go\npackage a\n")
	require.EqualError(t, err, "a.md:2: the block has no end")
}

// pages returns README.md and every page of docs.
func pages(t *testing.T) []string {
	t.Helper()
	found := []string{"README.md"}
	err := filepath.WalkDir("docs", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && filepath.Ext(name) == ".md" {
			found = append(found, name)
		}
		return err
	})
	require.NoError(t, err)
	return found
}

// snippetModule writes each snippet into a folder of its own, in a module outside of this
// repository that requires this one, like a reader's module.
func snippetModule(t *testing.T, snippets []snippet) (dir string, folders []string) {
	t.Helper()
	dir = t.TempDir()
	root, err := filepath.Abs(".")
	require.NoError(t, err)
	mod, err := os.ReadFile("go.mod")
	require.NoError(t, err)
	text := strings.Replace(string(mod), "module "+module, "module snippets", 1)
	text += fmt.Sprintf("\nrequire %s v0.0.0\n\nreplace %s => %q\n", module, module, root)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte(text), 0o644))
	sum, err := os.ReadFile("go.sum")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.sum"), sum, 0o644))
	for _, s := range snippets {
		name := strings.NewReplacer("/", "_", ".", "_").Replace(filepath.ToSlash(s.page))
		folder := fmt.Sprintf("%s_line_%d", strings.ToLower(name), s.line)
		folders = append(folders, folder)
		require.NoError(t, os.Mkdir(filepath.Join(dir, folder), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, folder, s.file()), []byte(s.text), 0o644))
	}
	return dir, folders
}

func goCommand(ctx context.Context, dir string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	return cmd
}

// TestSnippetsCompile compiles and vets every Go block in README.md and docs.
func TestSnippetsCompile(t *testing.T) {
	var all []snippet
	for _, page := range pages(t) {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		found, err := readSnippets(filepath.ToSlash(page), string(text))
		require.NoError(t, err)
		all = append(all, found...)
	}
	require.True(t, slices.ContainsFunc(all, func(s snippet) bool { return s.page == "README.md" }),
		"README.md shows no Go")
	dir, _ := snippetModule(t, all)
	out, err := goCommand(t.Context(), dir, "vet", "./...").CombinedOutput()
	require.NoError(t, err, "%s", out)
}

// longestProgram is the greatest number of lines that a newcomer is expected to read.
const longestProgram = 80

// TestReadmeProgramRuns runs the first program of README.md until it has printed the lines in its
// closing "// Output:" comment.
func TestReadmeProgramRuns(t *testing.T) {
	program := firstProgram(t, "README.md")
	assert.Less(t, strings.Count(program.text, "\n"), longestProgram, "README.md:%d: the program is too long", program.line)
	runProgram(t, program)
}

// TestProgramOfInputsRuns does the same for the page that leads from a key to the server.
func TestProgramOfInputsRuns(t *testing.T) { runProgram(t, firstProgram(t, "docs/INPUTS.md")) }

func TestProgramOfPredictionRuns(t *testing.T) { runProgram(t, firstProgram(t, "docs/PREDICTION.md")) }

func TestProgramOfTheShooterRuns(t *testing.T) { runProgram(t, firstProgram(t, "docs/SHOOTER.md")) }

func TestProgramOfArcheModelRuns(t *testing.T) { runProgram(t, firstProgram(t, "docs/ARCHE-MODEL.md")) }

// TestProgramsOfReplicationRun runs both programs of that page: the one about visibility, and the
// one that measures the page's table of bytes. A printed number may differ by less than a tenth,
// because the bytes decrease over time.
func TestProgramsOfReplicationRun(t *testing.T) {
	programs := programsOf(t, "docs/REPLICATION.md")
	require.Len(t, programs, 2)
	for _, program := range programs {
		runProgram(t, program)
	}
}

// TestTheTestOfDeterminismPasses runs the test that the page shows.
func TestTheTestOfDeterminismPasses(t *testing.T) {
	text, err := os.ReadFile("docs/DETERMINISM.md")
	require.NoError(t, err)
	found, err := readSnippets("docs/DETERMINISM.md", string(text))
	require.NoError(t, err)
	require.NotEmpty(t, found)
	dir, folders := snippetModule(t, found[:1])
	out, err := goCommand(t.Context(), dir, "test", "-v", "./"+folders[0]).CombinedOutput()
	require.NoError(t, err, "%s", out)
	assert.Contains(t, string(out), "--- PASS: Test")
}

func firstProgram(t *testing.T, page string) snippet {
	t.Helper()
	programs := programsOf(t, page)
	require.NotEmpty(t, programs, "%s shows no program", page)
	return programs[0]
}

// programsOf returns the programs in a page.
func programsOf(t *testing.T, page string) []snippet {
	t.Helper()
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	found, err := readSnippets(page, string(text))
	require.NoError(t, err)
	return slices.DeleteFunc(found, func(s snippet) bool { return !strings.Contains(s.text, "package main\n") })
}

func runProgram(t *testing.T, program snippet) {
	t.Helper()
	want := outputOf(program.text)
	require.NotEmpty(t, want, "%s:%d: the program ends without an \"// Output:\" comment", program.page, program.line)

	dir, folders := snippetModule(t, []snippet{program})
	binary := filepath.Join(dir, "program.exe")
	out, err := goCommand(t.Context(), dir, "build", "-o", binary, "./"+folders[0]).CombinedOutput()
	require.NoError(t, err, "%s", out)
	runUntil(t, binary, want)
}

// outputOf returns the lines of the comment "// Output:" that ends a program.
func outputOf(text string) []string {
	_, comment, _ := strings.Cut(text, "// Output:\n")
	var lines []string
	for line := range strings.Lines(comment) {
		if said, ok := strings.CutPrefix(strings.TrimSpace(line), "// "); ok {
			lines = append(lines, said)
		}
	}
	return lines
}

// nearly reports whether a line is the wanted one, except that whole numbers from ten on may differ
// by less than a tenth.
func nearly(want, line string) bool {
	wanted, words := strings.Fields(want), strings.Fields(line)
	return slices.EqualFunc(wanted, words, func(want, got string) bool {
		number, err := strconv.Atoi(want)
		other, err2 := strconv.Atoi(got)
		if err != nil || err2 != nil {
			return want == got
		}
		return 10*max(number-other, other-number) < max(number, 1)
	})
}

func TestLinesAreNearly(t *testing.T) {
	assert.True(t, nearly("a ship of 300, 70 gulls", "  a ship of 300, 76 gulls"))
	assert.True(t, nearly("player 1: none 0", "player 1: none 0"))
	for _, other := range []string{"player 2 has 70", "player 1 has 77", "player 1 has 63", "player 1 has", "player 1 had 70"} {
		assert.False(t, nearly("player 1 has 70", other), other)
	}
}

// runUntil runs a program until it has printed the wanted lines, in their order, and ends it.
func runUntil(t *testing.T, binary string, want []string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	var seen []string
	missing := want
	for lines := bufio.NewScanner(stdout); len(missing) > 0 && lines.Scan(); {
		seen = append(seen, lines.Text())
		if nearly(missing[0], lines.Text()) {
			missing = missing[1:]
		}
	}
	cancel()
	_ = cmd.Wait() // returns an error, because the program was killed
	assert.Empty(t, missing, "the program printed\n%s\n%s", strings.Join(seen, "\n"), stderr.String())
}
