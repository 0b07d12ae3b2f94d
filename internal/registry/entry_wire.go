package registry

import (
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/entangle-ecs/entangle/protocol/bits"
)

const (
	// MaxPerKind is the most messages, the most requests, the most resources and the most intents.
	MaxPerKind = 256
	// MaxChannels is the most channels that a game can add.
	MaxChannels = 48
	// MaxEntries is the most entries of a peer's list: as many as can be registered, and some more
	// for settings.
	MaxEntries = 4*MaxPerKind + 2*256 + MaxChannels + 16

	// MaxEntryName is the most bytes of a name in the list. It is enough for two types with long
	// package paths.
	MaxEntryName = 512

	// maxEntryNumber is the highest number in the list. Tick rates are the largest numbers.
	maxEntryNumber = 1 << 16

	// maxEntryOptions is the most options of an entry. Components have the most.
	maxEntryOptions = 16
)

// ErrEntries means that the bytes are not a list of entries.
var ErrEntries = errors.New("protocol: not a list of registry entries")

// AppendEntries appends the wire form of a list to dst. The package documentation describes it.
func AppendEntries(dst []byte, entries []Entry) []byte {
	var w bits.Writer
	w.Reset(dst)
	w.Uvarint(uint64(len(entries)))
	for _, e := range entries {
		w.Uvarint(uint64(e.Kind))
		w.Uvarint(uint64(e.Number))
		appendText(&w, e.Name)
		w.Bits(e.Hash, 64)
		w.Uvarint(uint64(len(e.Options)))
		for _, o := range e.Options {
			appendText(&w, o.Name)
			appendText(&w, o.Value)
		}
	}
	return w.Finish()
}

func appendText(w *bits.Writer, text string) {
	w.Uvarint(uint64(len(text)))
	w.Raw([]byte(text))
}

const (
	// minEntryBits is the size of the shortest entry: four numbers and a hash.
	minEntryBits = 4*4 + 64
	// minOptionBits is the size of the shortest option: two lengths.
	minOptionBits = 2 * 4
)

// ParseEntries reads what AppendEntries wrote. A peer may send anything.
func ParseEntries(data []byte) ([]Entry, error) {
	var r bits.Reader
	r.Reset(data)
	n := r.Uvarint()
	if n > MaxEntries || n*minEntryBits > uint64(r.RemainingBits()) {
		return nil, ErrEntries
	}
	entries := make([]Entry, 0, n)
	for range n {
		e, ok := parseEntry(&r)
		if !ok {
			return nil, ErrEntries
		}
		entries = append(entries, e)
	}
	return entries, r.End()
}

func parseEntry(r *bits.Reader) (e Entry, ok bool) {
	kind, number := r.Uvarint(), r.Uvarint()
	if kind >= uint64(kinds) || number > maxEntryNumber {
		return e, false
	}
	e.Kind, e.Number = Kind(kind), int(number)
	if e.Name, ok = parseText(r); !ok {
		return e, false
	}
	e.Hash = r.Bits(64)
	n := r.Uvarint()
	if n > maxEntryOptions || n*minOptionBits > uint64(max(r.RemainingBits(), 0)) {
		return e, false
	}
	for range n {
		name, ok := parseText(r)
		value, ok2 := parseText(r)
		if !ok || !ok2 {
			return e, false
		}
		e.Options = append(e.Options, Option{name, value})
	}
	return e, r.Err() == nil
}

// parseText reads a text. It refuses control characters, because the text is logged and they could
// forge lines there.
func parseText(r *bits.Reader) (text string, ok bool) {
	length := r.Uvarint()
	if length > MaxEntryName || int(length)*8 > r.RemainingBits() {
		return "", false
	}
	raw := make([]byte, length)
	r.Raw(raw)
	return string(raw), r.Err() == nil && utf8.Valid(raw) && !strings.ContainsFunc(string(raw), unicode.IsControl)
}
