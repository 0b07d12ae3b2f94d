package entangle_test

import (
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// namedElsewhere lists words of comments that look like identifiers but are not identifiers of this
// repository.
var namedElsewhere = map[string]bool{
	"GitHub": true, "WebSockets": true,
	// identifiers of the standard library, and of other programs
	"Hijacker": true, "RoundTripper": true, "IsKeyPressed": true, "LogScale": true, "Ticker": true,
	// identifiers in examples in comments
	"TestABoxArrives": true, "TestLayer": true, "TestTransport": true, "newMyNetwork": true, "newMyPlatform": true, "turnOf": true,
}

// likeName matches a word with a capital after a small letter, such as appendFrame and PollLost,
// and a capitalised word behind a dot, such as Flush in mux.Flush.
var likeName = regexp.MustCompile(`\b[A-Za-z]*[a-z][A-Z][A-Za-z0-9]*\b|\w\.[A-Z]\w*`)

// TestNamesInCommentsExist finds identifiers in comments that do not occur in code. A comment with
// an outdated name makes its reader search in vain.
func TestNamesInCommentsExist(t *testing.T) {
	names, comments := map[string]bool{}, map[string][]string{}
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." && strings.HasPrefix(d.Name(), "."):
			return fs.SkipDir
		case d.IsDir() || filepath.Ext(name) != ".go" || name == "comment_names_test.go": // this file lists the exceptions
			return nil
		}
		text, err := os.ReadFile(name)
		if err == nil {
			namesOfFile(name, text, names, comments)
		}
		return err
	})
	require.NoError(t, err)
	for word, places := range comments {
		assert.True(t, names[word] || namedElsewhere[word], "no code has the name %s of these comments: %v", word, places)
	}
	for word := range namedElsewhere {
		assert.False(t, names[word] || comments[word] == nil, "%s is no exception any more", word)
	}
}

// TestNamesInCommentsAreFound checks that outdated names in comments are found.
func TestNamesInCommentsAreFound(t *testing.T) {
	names, comments := map[string]bool{}, map[string][]string{}
	namesOfFile("a.go", []byte("package a\n\n// OpenBox opens a box.Box of Go, see pkg.Drop.\nvar box = \"closeBox\"\n"), names, comments)
	assert.Equal(t, map[string]bool{"a": true, "box": true, "closeBox": true}, names)
	assert.Equal(t, map[string][]string{"OpenBox": {"a.go:3:1"}, "Box": {"a.go:3:1"}, "Drop": {"a.go:3:1"}}, comments)
}

// namesOfFile adds the identifiers of a file, including those in strings, to names. It adds the
// words of its comments that look like identifiers, with their positions, to comments.
func namesOfFile(name string, text []byte, names map[string]bool, comments map[string][]string) {
	set := token.NewFileSet()
	var s scanner.Scanner
	s.Init(set.AddFile(name, -1, len(text)), text, nil, scanner.ScanComments)
	for {
		pos, kind, literal := s.Scan()
		switch kind {
		case token.EOF:
			return
		case token.IDENT:
			names[literal] = true
		case token.STRING:
			for _, word := range likeName.FindAllString(literal, -1) {
				names[word] = true
			}
		case token.COMMENT:
			for _, word := range likeName.FindAllString(literal, -1) {
				word = word[strings.LastIndexByte(word, '.')+1:]
				comments[word] = append(comments[word], set.Position(pos).String())
			}
		}
	}
}
