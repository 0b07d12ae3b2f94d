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

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.+)$`)
	code    = regexp.MustCompile("(?s)```.*?```|`[^`\n]*`")
	notSlug = regexp.MustCompile(`[^\w\- ]`)
)

// brokenLinks returns the links of a page that lead to no file, or to no heading of it. Links to
// the web are not checked.
func brokenLinks(t *testing.T, page, text string) (broken []string) {
	t.Helper()
	for _, m := range link.FindAllStringSubmatch(code.ReplaceAllString(text, ""), -1) {
		target, anchor, _ := strings.Cut(m[1], "#")
		if strings.Contains(target, "://") {
			continue
		}
		there := text
		if target != "" {
			name := filepath.Join(filepath.Dir(page), filepath.FromSlash(target))
			if _, err := os.Stat(name); err != nil {
				broken = append(broken, m[1])
				continue
			}
			if anchor != "" {
				b, err := os.ReadFile(name)
				require.NoError(t, err)
				there = string(b)
			}
		}
		if anchor != "" && !hasHeading(there, anchor) {
			broken = append(broken, m[1])
		}
	}
	return broken
}

// hasHeading reports whether a page has the heading that an anchor names, in GitHub's spelling.
func hasHeading(text, anchor string) bool {
	for _, m := range heading.FindAllStringSubmatch(text, -1) {
		slug := strings.ReplaceAll(notSlug.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-")
		if slug == anchor {
			return true
		}
	}
	return false
}

// TestLinksLeadSomewhere checks the relative links of all pages.
func TestLinksLeadSomewhere(t *testing.T) {
	for _, page := range append(pages(t), "CHANGELOG.md", "CONTRIBUTING.md") {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		assert.Empty(t, brokenLinks(t, page, string(text)), page)
	}
}

// TestBrokenLinksAreFound checks that broken links are found.
func TestBrokenLinksAreFound(t *testing.T) {
	const text = "# One, two\n[a](gone.md) [b](go.mod) [c](#one-two) [d](#two) [e](https://example.com/gone) [f](LICENSE#three)\n```go\nm[T](w)\n```\n"
	assert.Equal(t, []string{"gone.md", "#two", "LICENSE#three"}, brokenLinks(t, "page.md", text))
}
