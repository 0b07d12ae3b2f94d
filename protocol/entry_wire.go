package protocol

import (
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/entangle-ecs/entangle/protocol/bits"
)

const (
	// MaxEntries bounds a peer's list: as many as can be registered, and some
	// room for settings.
	MaxEntries = 3*MaxPerKind + 2*256 + MaxChannels + 16

	// maxEntryName bounds a name in it: two type names with long package paths.
	maxEntryName = 512

	// maxEntryNumber bounds a number in it: a tick rate is the largest.
	maxEntryNumber = 1 << 16
)

// ErrEntries is a list of entries that no protocol has.
var ErrEntries = errors.New("protocol: not a list of registry entries")

// AppendEntries appends the wire form of a list to dst: its length, then for each
// entry kind, number, length of the name, name and hash.
func AppendEntries(dst []byte, entries []Entry) []byte {
	var w bits.Writer
	w.Reset(dst)
	w.Uvarint(uint64(len(entries)))
	for _, e := range entries {
		w.Uvarint(uint64(e.Kind))
		w.Uvarint(uint64(e.Number))
		w.Uvarint(uint64(len(e.Name)))
		w.Raw([]byte(e.Name))
		w.Bits(e.Hash, 64)
	}
	return w.Finish()
}

// minEntryBits is the shortest entry: three numbers and a hash.
const minEntryBits = 3*4 + 64

// ParseEntries reads what AppendEntries wrote, from a peer that may send
// anything.
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
	kind, number, length := r.Uvarint(), r.Uvarint(), r.Uvarint()
	if kind >= uint64(kinds) || number > maxEntryNumber || length > maxEntryName || int(length)*8 > r.RemainingBits() {
		return e, false
	}
	name := make([]byte, length)
	r.Raw(name)
	e = Entry{Kind: Kind(kind), Number: int(number), Name: string(name), Hash: r.Bits(64)}
	// A name ends up in a log, where a control character could forge a line.
	return e, r.Err() == nil && utf8.Valid(name) && !strings.ContainsFunc(e.Name, unicode.IsControl)
}
