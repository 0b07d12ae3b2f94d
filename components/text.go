package components

import (
	"strings"
	"unicode/utf8"
)

// Text32Limit is the greatest number of bytes of UTF-8 in a Text32: with the length it has 32 bytes,
// half a cache line.
const Text32Limit = 31

// Text32 is a text of up to 31 bytes without pointers, for names in components.
// Make one with NewText32. Its zero value is the empty text, and two are equal
// (==) if their texts are.
type Text32 struct {
	length uint8 `net:"range=0..31"`
	bytes  [Text32Limit]byte
}

// NewText32 returns the text, truncated after the last whole character within 31 bytes. Invalid UTF-8
// becomes the replacement character.
func NewText32(text string) Text32 {
	var t Text32
	for _, r := range text {
		next := utf8.AppendRune(t.bytes[:t.length], r)
		if len(next) > Text32Limit {
			break
		}
		t.length = uint8(len(next))
	}
	return t
}

// String returns the text. Invalid UTF-8 from a peer becomes the replacement character.
func (t Text32) String() string {
	return strings.ToValidUTF8(string(t.bytes[:min(t.length, Text32Limit)]), string(utf8.RuneError))
}
