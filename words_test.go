package entangle_test

import (
	"fmt"
	"go/scanner"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// retired maps words and phrases that are no longer used, neither in identifiers nor in prose
// (comments, strings and pages), to the words that docs/GLOSSARY.md uses instead.
var retired = map[string]string{
	"adrift":                 "in transit between groups",
	"allowance, allowances":  "budget",
	"ample":                  "fits",
	"anew":                   "again; or name what happens: resend, restart, recompute",
	"as ever":                "nothing",
	"astray, wrong way":      "invalid",
	"at hand":                "available, present",
	"be it that":             "if, unless",
	"bulky":                  "fragmented",
	"bury, buries, buried":   "keep a tombstone",
	"clothe, clothed":        "restored components",
	"credit":                 "budget",
	"crowds":                 "clusters",
	"doubted, in doubt":      "needs full, awaiting resync; suspected",
	"family, families, kin":  "hierarchy",
	"foresee, foresees":      "predict",
	"foreseen, foresight":    "predicted set, predicted entity",
	"frontier":               "confirmed tick",
	"grave, graves":          "tombstone",
	"hangs up, hung up":      "disconnect",
	"heir, heirs":            "id reuse",
	"hung on":                "attached to",
	"in the manner of":       "like",
	"it is told, is told so": "receives; or name the message",
	"kids":                   "children",
	"kindred":                "hierarchy",
	"lane, lanes":            "input stream",
	"let go, lets go":        "orphan; release",
	"mailbox":                "inbox",
	"mend, mends, mended":    "fix",
	"mourn, mourns":          "release tombstones",
	"oddity, oddities":       "suspicious configuration",
	"purse":                  "byte budget",
	"seat, seats, seated":    "peer index, slot",
	"second base":            "previous baseline",
	"sight, sights":          "visibility, view",
	"spared":                 "excluded from rollback",
	"stirred, stirs":         "marked stale, marks stale",
	"stray, strays":          "unmatched",
	"tally":                  "count",
	"teller, tellers":        "inspection stream",
	"the server's word":      "confirmed state",
	"tray, trays":            "outbox",
	"under way":              "in flight",
	"unsaid":                 "unsent",
	"vista, vistas":          "local view",
	"ward, wards":            "owned entity",
}

// retiredNames are words that prose may use and identifiers may not.
var retiredNames = map[string]string{
	"apart":           "name what separates the two",
	"aside":           "deferred",
	"doubt":           "suspect; needs full, awaiting resync",
	"heard":           "received, acknowledged",
	"letter, letters": "message",
	"odd":             "invalid, suspicious",
	"paint":           "label",
	"picture":         "snapshot",
	"said":            "sent",
	"settle, settled": "flush, commit, confirm; confirmed",
	"shed":            "disable components, drop",
	"spare":           "free, unused; exclude from rollback",
	"stripped":        "disabled components",
	"stir":            "mark stale",
	"stock":           "predicted resources",
	"told":            "sent, acknowledged",
	"unheard":         "unacknowledged",
}

// otherSense lists words that a folder uses in another sense.
var otherSense = map[string]string{
	"examples/simplebox": "letter, letters",  // of the alphabet
	"transport/udp":      "family, families", // of addresses
	"benchmarks/sockets": "family",           // of addresses
}

// TestWordsOfTheGlossary finds retired words in folders of Go and in pages. Folders and pages that
// still use some are listed in testdata/words.txt. The list only shrinks: -update removes entries
// that use none any more.
func TestWordsOfTheGlossary(t *testing.T) {
	const list = "testdata/words.txt" // empty lines prevent conflicts between changes
	listed, err := os.ReadFile(list)
	require.NoError(t, err)
	pending := strings.Fields(string(listed))
	found := retiredWords(t, ".")
	if *update {
		pending = slices.DeleteFunc(pending, func(place string) bool { return found[place] == nil })
		require.NoError(t, os.WriteFile(list, []byte(strings.Join(pending, "\n\n")+"\n"), 0o644))
	}
	for _, place := range slices.Sorted(maps.Keys(found)) {
		if !slices.Contains(pending, place) {
			t.Errorf("retired words in %s:\n\t%s", place, strings.Join(found[place], "\n\t"))
		}
	}
	for _, place := range pending {
		assert.NotNil(t, found[place], "%s has no retired word any more: run go test -run TestWords . -update", place)
	}
}

// TestRetiredWordsAreFound checks that retired words are found.
func TestRetiredWordsAreFound(t *testing.T) {
	words := newWordList()
	found := words.inGo("a.go", []byte("package a\n\n// A Grave is said to be\n// under\n// way.\ntype openLanes struct{ toldIt string }\n\nvar _ = \"the tray\" + `anew`\n"))
	assert.Equal(t, []string{
		`a.go:3: "grave": say tombstone`,
		`a.go:4: "under way": say in flight`,
		`a.go:6: "lanes" in openLanes: say input stream`,
		`a.go:6: "told" in toldIt: say sent, acknowledged`,
		`a.go:8: "tray": say outbox`,
		`a.go:8: "anew": say again; or name what happens: resend, restart, recompute`,
	}, found)
	found = words.inPage("a.md", "One told two, `anew`.\n\nA way under\n\nway.")
	assert.Equal(t, []string{
		`a.md:1: "anew": say again; or name what happens: resend, restart, recompute`,
		`a.md:3: "under way": say in flight`,
	}, found)
	assert.Equal(t, []string{"HTTP", "Server", "Has", "ID2", "x"}, nameParts("HTTPServerHasID2_x"))
}

// wordList holds the retired words, by the first word of each phrase.
type wordList struct {
	prose map[string][]retiredPhrase
	names map[string]string
}

type retiredPhrase struct{ text, use string }

func newWordList() *wordList {
	l := &wordList{prose: map[string][]retiredPhrase{}, names: map[string]string{}}
	for key, use := range retired {
		for text := range strings.SplitSeq(key, ", ") {
			first, _, more := strings.Cut(text, " ")
			l.prose[first] = append(l.prose[first], retiredPhrase{text, use})
			if !more {
				l.names[text] = use
			}
		}
	}
	for key, use := range retiredNames {
		for text := range strings.SplitSeq(key, ", ") {
			l.names[text] = use
		}
	}
	return l
}

// retiredWords returns the findings in all folders with Go files and in all pages, by their path.
func retiredWords(t *testing.T, root string) map[string][]string {
	t.Helper()
	words, found := newWordList(), map[string][]string{}
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		name = filepath.ToSlash(name)
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || name != "." && strings.HasPrefix(d.Name(), ".")):
			return fs.SkipDir
		case d.IsDir() || name == "words_test.go" || name == "CHANGELOG.md":
			return nil // both files list the retired words
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		place, complaints := path.Dir(name), []string(nil)
		switch path.Ext(name) {
		case ".go":
			complaints = words.inGo(name, text)
		case ".md":
			place, complaints = name, words.inPage(name, string(text))
		}
		complaints = slices.DeleteFunc(complaints, func(complaint string) bool {
			return slices.ContainsFunc(strings.Split(otherSense[place], ", "), func(word string) bool {
				return word != "" && strings.Contains(complaint, strconv.Quote(word))
			})
		})
		if len(complaints) > 0 {
			found[place] = append(found[place], complaints...)
		}
		return nil
	})
	require.NoError(t, err)
	return found
}

// inGo checks the identifiers, comments and strings of a file.
func (l *wordList) inGo(name string, text []byte) (found []string) {
	set := token.NewFileSet()
	var s scanner.Scanner
	s.Init(set.AddFile(name, -1, len(text)), text, nil, scanner.ScanComments)
	var comment []proseWord // of comment lines that follow each other
	flush := func() {
		found = append(found, l.inProse(name, comment)...)
		comment = nil
	}
	for {
		pos, kind, literal := s.Scan()
		line := set.Position(pos).Line
		switch kind {
		case token.EOF:
			flush()
			return found
		case token.COMMENT:
			comment = append(comment, proseWords(literal, line)...)
			continue
		case token.STRING:
			flush()
			found = append(found, l.inProse(name, proseWords(literal, line))...)
		case token.IDENT:
			flush()
			for _, part := range nameParts(literal) {
				part = strings.ToLower(part)
				if use, ok := l.names[part]; ok {
					found = append(found, fmt.Sprintf("%s:%d: %q in %s: say %s", name, line, part, literal, use))
				}
			}
		}
	}
}

// inPage checks all words of a page, including code.
func (l *wordList) inPage(name, text string) []string {
	return l.inProse(name, proseWords(text, 1))
}

func (l *wordList) inProse(name string, words []proseWord) (found []string) {
	for i, word := range words {
		for _, phrase := range l.prose[word.text] {
			n := 1 + strings.Count(phrase.text, " ")
			if i+n <= len(words) && joined(words[i:i+n]) == phrase.text {
				found = append(found, fmt.Sprintf("%s:%d: %q: say %s", name, word.line, phrase.text, phrase.use))
			}
		}
	}
	return found
}

type proseWord struct {
	text string // in lower case
	line int
}

func joined(words []proseWord) string {
	var b strings.Builder
	for i, word := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(word.text)
	}
	return b.String()
}

// proseWords splits a text into words, which consist of letters and apostrophes.
func proseWords(text string, line int) (words []proseWord) {
	start := -1
	for i, r := range text + "\n" {
		switch letter := unicode.IsLetter(r) || r == '\''; {
		case letter && start < 0:
			start = i
		case !letter && start >= 0:
			words = append(words, proseWord{strings.ToLower(text[start:i]), line})
			start = -1
		}
		if r == '\n' {
			line++
		}
	}
	return words
}

// nameParts splits an identifier before each capital that begins a word, and at underscores.
func nameParts(name string) (parts []string) {
	runes := []rune(name)
	start := 0
	for i := 1; i <= len(runes); i++ {
		last := i == len(runes)
		begins := !last && unicode.IsUpper(runes[i]) &&
			(!unicode.IsUpper(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1]))
		if last || begins || runes[i] == '_' {
			if part := strings.Trim(string(runes[start:i]), "_"); part != "" {
				parts = append(parts, part)
			}
			start = i
		}
	}
	return parts
}
