package input

import "github.com/entangle-ecs/entangle/protocol/bits"

// Codec encodes and compares the values of one type of input. A value is raw memory: exactly Size
// bytes, aligned as make([]byte, n) is.
//
// If values refer to entities, the codec holds the table of them for one body. Encode fills it,
// and the caller writes it into the head of the stream; the reader of the head restores it before
// Decode needs it. An entity for which a table has no room is sent as none.
type Codec interface {
	Size() int
	// Begin empties the table for another body.
	Begin()
	Encode(w *bits.Writer, value []byte)
	// Decode reads a value into memory that may be overwritten. After an error it is not used.
	Decode(r *bits.Reader, value []byte) error
	// Equal reports whether both values have the same encoding.
	Equal(a, b []byte) bool
	// Round rounds a value to the one that the other side decodes.
	Round(value []byte)
	// ClearEvents sets the fields that are events to zero.
	ClearEvents(value []byte)
	// MergeEvents copies the events of src that are not zero to dst.
	MergeEvents(dst, src []byte)
}
