package input

import "github.com/entangle-ecs/entangle/protocol/bits"

// Codec encodes and compares the values of one type of input. A value is raw memory: exactly Size
// bytes, aligned like the memory of make([]byte, n).
//
// If values refer to entities, the codec has a table of these entities for one body. Encode fills
// the table, and the caller writes it into the head of the stream; the reader of the head restores
// the table before Decode needs it. An entity for which the table has no room is sent as the zero
// entity.
type Codec interface {
	Size() int
	// Begin empties the table for another body.
	Begin()
	Encode(w *bits.Writer, value []byte)
	// Decode reads a value into memory, which it may overwrite in any case. After an error the
	// value is not used.
	Decode(r *bits.Reader, value []byte) error
	// Equal reports whether both values have the same encoding.
	Equal(a, b []byte) bool
	// Round rounds a value to the one that the other side decodes.
	Round(value []byte)
	// ClearEvents sets the event fields to zero.
	ClearEvents(value []byte)
	// MergeEvents copies those event fields of src that are not zero to dst.
	MergeEvents(dst, src []byte)
}
