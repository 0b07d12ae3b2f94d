package packet

import (
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxReason is the longest reason in a goodbye, in bytes: two lines of text for
// a player, and a bound on what a peer can make this end log.
const MaxReason = 200

// ErrReason is returned for a goodbye whose text is too long, is not UTF-8 or
// holds control characters, which could forge lines in a log or on a terminal.
var ErrReason = errors.New("packet: goodbye without a readable reason")

// AppendReason appends the body of a Goodbye to dst. Text beyond MaxReason is cut
// between characters, and what ParseReason would refuse is replaced by '?'.
func AppendReason(dst []byte, reason string) []byte {
	limit := len(dst) + MaxReason
	for _, r := range strings.ToValidUTF8(reason, "?") {
		if unicode.IsControl(r) {
			r = '?'
		}
		if len(dst)+utf8.RuneLen(r) > limit {
			break
		}
		dst = utf8.AppendRune(dst, r)
	}
	return dst
}

// ParseReason returns the text of a Goodbye's body, or ErrReason.
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
