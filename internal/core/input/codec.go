package input

import "github.com/entangle-ecs/entangle/protocol/bits"

// Codec is what is known of the values of one type of input. A value is the memory of
// one: exactly Size bytes, aligned as make([]byte, n) is.
//
// If values refer to entities, the codec keeps the table of them for one body. Encode
// fills it, and who writes the head of the lane puts it there; who reads the head reads it
// back, before Decode needs it. An entity for which a table has no room is sent as none.
type Codec interface {
	Size() int
	// Begin empties the table: another body begins.
	Begin()
	Encode(w *bits.Writer, value []byte)
	// Decode reads a value. It is called with spare memory, and an error ends it.
	Decode(r *bits.Reader, value []byte) error
	// Equal reports whether both values have the same encoding.
	Equal(a, b []byte) bool
	// Round makes a value what the other side decodes.
	Round(value []byte)
	// ClearEvents sets the fields that are events to zero.
	ClearEvents(value []byte)
	// MergeEvents copies the fields of src that are events and not zero to dst.
	MergeEvents(dst, src []byte)
}
