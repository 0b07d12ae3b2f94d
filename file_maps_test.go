package entangle_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// goFile matches the name of a Go file.
var goFile = regexp.MustCompile(`\b\w+\.go\b`)

// TestFileMapsAreComplete compares the section "Where things are" of package docs with the code
// files of the package.
func TestFileMapsAreComplete(t *testing.T) {
	docs, err := filepath.Glob("internal/*/doc.go")
	require.NoError(t, err)
	for _, deeper := range []string{"internal/*/*/doc.go", "internal/*/*/*/doc.go"} {
		more, err := filepath.Glob(deeper)
		require.NoError(t, err)
		docs = append(docs, more...)
	}
	maps := 0
	for _, doc := range docs {
		text, err := os.ReadFile(doc)
		require.NoError(t, err)
		_, section, ok := strings.Cut(string(text), "\n// # Where things are\n")
		if !ok {
			continue
		}
		maps++
		var files []string
		found, err := filepath.Glob(filepath.Join(filepath.Dir(doc), "*.go"))
		require.NoError(t, err)
		for _, file := range found {
			if name := filepath.Base(file); name != "doc.go" && !strings.HasSuffix(name, "_test.go") {
				files = append(files, name)
			}
		}
		assert.ElementsMatch(t, files, goFile.FindAllString(section, -1), doc)
	}
	assert.NotZero(t, maps)
}
