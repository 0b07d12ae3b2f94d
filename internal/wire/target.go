package wire

import (
	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle/protocol/bits"
)

// EncodeTarget writes the target of a relation component. It follows the component's value.
func EncodeTarget(w *bits.Writer, target ecs.Entity, refs RefWriter) {
	index := uint32(0)
	if !target.IsZero() {
		index = refs.Index(target)
	}
	w.Uvarint(uint64(index))
}

// DecodeTarget reads the target of a relation component. If the table has no such index, r keeps an
// error.
func DecodeTarget(r *bits.Reader, refs RefReader) ecs.Entity { return readRef(r, refs) }
