package packet

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestReason(t *testing.T) {
	for _, c := range []struct{ name, in, out string }{
		{"none", "", ""},
		{"plain", "server full", "server full"},
		{"other alphabets", "до свидания 🙂", "до свидания 🙂"},
		{"control characters", "bye\n\x1b[31m\x00", "bye??[31m?"},
		{"not UTF-8", "a\xffb", "a?b"},
		{"too long", strings.Repeat("é", 150), strings.Repeat("é", 98) + "…"},
		{"cut between characters", strings.Repeat("x", 199) + "é", strings.Repeat("x", 197) + "…"},
		{"just fits", strings.Repeat("word ", 40), strings.Repeat("word ", 40)},
		{"cut between words", strings.Repeat("a word ", 40), strings.Repeat("a word ", 28) + "a…"},
		{"a last long word", "short " + strings.Repeat("x", 300), "short " + strings.Repeat("x", 191) + "…"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := ParseReason(AppendReason(nil, c.in))
			require.NoError(t, err)
			assert.Equal(t, c.out, got)
		})
	}
}

func TestParseReasonRefuses(t *testing.T) {
	for _, body := range []string{strings.Repeat("x", MaxReason+1), "a\xff", "two\nlines", "\x1b[2J"} {
		_, err := ParseReason([]byte(body))
		require.ErrorIs(t, err, ErrReason, "%q", body)
	}
}

func FuzzParseReason(f *testing.F) {
	f.Add([]byte("kicked"))
	f.Add([]byte{0xef, 0xbf, 0xbd})
	f.Fuzz(func(t *testing.T, b []byte) {
		text, err := ParseReason(b)
		if err == nil {
			assert.Equal(t, b, append([]byte{}, AppendReason(nil, text)...))
		}
	})
}
