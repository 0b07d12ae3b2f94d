package packet

import (
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxReason is the longest reason in a goodbye, in bytes. It is enough for two lines of text, and
// it bounds the text that a peer can write to this end's log.
const MaxReason = 200

// ErrReason is returned for a goodbye with text that is too long, is not UTF-8, or contains control
// characters. Those could forge lines in a log or on a terminal.
var ErrReason = errors.New("packet: goodbye without a readable reason")

// cut marks the end of a text that was truncated.
const cut = "…"

// AppendReason appends the body of a Goodbye to dst. It truncates a text longer than MaxReason
// between words, or between characters if the last word is very long. It replaces characters that
// ParseReason would refuse by '?'.
func AppendReason(dst []byte, reason string) []byte {
	start, limit := len(dst), len(dst)+MaxReason
	word, end := start, start // where to truncate: between words, and between characters
	for _, r := range strings.ToValidUTF8(reason, "?") {
		if unicode.IsControl(r) {
			r = '?'
		}
		if len(dst)+utf8.RuneLen(r) > limit {
			if word-start < MaxReason/2 {
				word = end
			}
			return append(dst[:word], cut...)
		}
		if len(dst)+len(cut) <= limit {
			end = len(dst)
			if r == ' ' {
				word = end
			}
		}
		dst = utf8.AppendRune(dst, r)
	}
	return dst
}

// ParseReason returns the text of the body of a Goodbye, or ErrReason if it is invalid.
func ParseReason(body []byte) (string, error) {
	if len(body) > MaxReason || !utf8.Valid(body) {
		return "", ErrReason
	}
	text := string(body)
	for _, r := range text {
		if unicode.IsControl(r) {
			return "", ErrReason
		}
	}
	return text, nil
}
