package repl

import (
	pack "github.com/entangle-ecs/entangle/protocol/bits"
)

// Codes for differences may be learned from sent values. A sender transmits them in tables, version
// after version, and uses a version once it is acknowledged. Only the encoder of values interprets
// a table.

// CodesPlaces is how many versions of learned codes a receiver keeps.
const CodesPlaces = 3

// CodesBits is the width of From.Codes.
const CodesBits = 2

// CodesAt returns the place of a version, 1 to CodesPlaces. Versions count from 1.
func CodesAt(version uint32) uint8 { return uint8(version%CodesPlaces) + 1 }

// Table is what stands before a table of codes.
type Table struct {
	Version uint32
	// Over: it holds only the changes since the previous version, which the receiver has.
	Over  bool
	Bytes int // of the table, which follow
}

// MaxTableBytes bounds a table: with its head it fits into a frame of updates, whatever that
// is in.
const MaxTableBytes = 1 << 10

// tablePart is the part of a mark that says that it is none: what follows is a table.
const tablePart = MaxParts

// MaxTableHead bounds the bytes of a table's head.
const MaxTableHead = (1 + 8 + 68 + 1 + 16 + 7) / 8

// Append writes the head of a table. It ends at a whole byte.
func (t *Table) Append(w *pack.Writer) {
	w.Bool(true)
	w.Uvarint(tablePart)
	w.Uvarint(uint64(t.Version))
	w.Bool(t.Over)
	w.Uvarint(uint64(t.Bytes))
	w.Align()
}

// IsTable reports whether a table follows, behind the bit of a mark and its part.
func IsTable(part uint64) bool { return part == tablePart }

// Read reads what Append wrote behind the part.
func (t *Table) Read(r *pack.Reader) (ok bool) {
	version := r.Uvarint()
	t.Over = r.Bool()
	size := r.Uvarint()
	r.Align()
	t.Version, t.Bytes = uint32(version), int(size)
	return r.Err() == nil && version > 0 && version < 1<<32 && size > 0 && size <= MaxTableBytes && int(size)*8 <= r.RemainingBits()
}
