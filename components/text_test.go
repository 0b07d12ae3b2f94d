package components

import (
	"strings"
	"testing"
	"unicode/utf8"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

func TestText32KeepsWhatFits(t *testing.T) {
	for _, text := range []string{"", "a", "Zoë", "日本語", strings.Repeat("x", 31), "a\x00b"} {
		assert.Equal(t, text, NewText32(text).String())
	}
}

func TestText32CutsBetweenCharacters(t *testing.T) {
	assert.Equal(t, strings.Repeat("x", 31), NewText32(strings.Repeat("x", 32)).String())
	assert.Equal(t, strings.Repeat("x", 30), NewText32(strings.Repeat("x", 30)+"é").String())
	assert.Equal(t, strings.Repeat("語", 10), NewText32(strings.Repeat("語", 11)).String())
}

func TestText32HoldsTheLongestValidPrefix(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })).Draw(t, "text")
		got := NewText32(text)
		valid := strings.ToValidUTF8(string([]rune(text)), "")
		if !strings.HasPrefix(valid, got.String()) || !utf8.ValidString(got.String()) {
			t.Fatalf("%q is not the beginning of %q", got, valid)
		}
		rest := strings.TrimPrefix(valid, got.String())
		if _, size := utf8.DecodeRuneInString(rest); rest != "" && len(got.String())+size <= 31 {
			t.Fatalf("%q leaves out %q, which fits", got, rest)
		}
		if got != NewText32(got.String()) {
			t.Fatalf("equal texts differ in memory: %v", got)
		}
	})
}

func TestText32OfAPeerIsHarmless(t *testing.T) {
	assert.Equal(t, "\uFFFDok", Text32{length: 3, bytes: [31]byte{0xff, 'o', 'k'}}.String())
	assert.Len(t, Text32{length: 255}.String(), 31)
}

func TestText32Is32Bytes(t *testing.T) {
	assert.EqualValues(t, 32, unsafe.Sizeof(Text32{}))
}
