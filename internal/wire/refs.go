package wire

import (
	"math"
	"unsafe"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle/protocol/bits"
)

// RefWriter collects the entities that a body refers to in a table, which the caller writes in
// front of the body.
type RefWriter interface {
	// Index returns the index of an entity in the table, and adds the entity if necessary. Indexes
	// count from 1; 0 stands for the zero entity.
	Index(ecs.Entity) uint32
}

// RefReader is the table of entities that was read in front of a body.
type RefReader interface {
	// At returns the entity with an index; indexes count from 1. It returns false if the table has
	// no such index, and the zero entity and true for an entity that is unknown here.
	At(index uint32) (ecs.Entity, bool)
}

// meter is a RefReader that measures the cost of decoding. Expanded is called for each value,
// including its lists, with the number of bytes by which the value is larger in memory than on the
// wire: a short message can contain thousands of booleans or hundreds of strings. The memory that a
// codec of the game allocates is not counted.
type meter interface{ Expanded(bytes int) }

// measure passes the size of a value to refs, if it is a meter. memory is in bytes, wire in bits.
func measure(refs RefReader, memory, wire int) {
	if m, ok := refs.(meter); ok {
		m.Expanded(max(memory-wire/8, 0))
	}
}

// encodeRefs writes each entity as the Uvarint of its index in the table.
func encodeRefs(o *op, w *bits.Writer, p unsafe.Pointer, refs RefWriter) (clamped int) {
	for i := range uintptr(o.count) {
		entity := loadEntity(unsafe.Add(p, i*8))
		if entity.IsZero() {
			w.Uvarint(0)
			continue
		}
		w.Uvarint(uint64(refs.Index(entity)))
	}
	return 0
}

func decodeRefs(o *op, r *bits.Reader, p unsafe.Pointer, refs RefReader, _ *int) {
	for i := range uintptr(o.count) {
		storeEntity(unsafe.Add(p, i*8), readRef(r, refs))
	}
}

func readRef(r *bits.Reader, refs RefReader) ecs.Entity {
	index := r.Uvarint()
	if index == 0 {
		return ecs.Entity{}
	}
	if index <= math.MaxUint32 {
		if e, ok := refs.At(uint32(index)); ok {
			return e
		}
	}
	r.Fail(ErrReference)
	return ecs.Entity{}
}

// manyRefs is the highest result of MaxRefs.
const manyRefs = 1 << 16

// MaxRefs returns how many entities one value can contain, at most 65,536. It returns 65,536 for a
// type with a codec, because only the codec knows the number.
func (p *Plan) MaxRefs() int {
	switch {
	case !p.HasRefs():
		return 0
	case p.codec() != nil:
		return manyRefs
	default:
		return maxRefs(p.ops)
	}
}

func maxRefs(ops []op) (n int) {
	for i := range ops {
		o := &ops[i]
		switch o.kind {
		case opRef:
			n += int(o.count)
		case opRepeat:
			n += int(o.count) * maxRefs(o.body)
		case opSlice:
			n += min(o.list.max, manyRefs) * maxRefs(o.body)
		case opCodec:
			n += manyRefs
		default:
		}
		n = min(n, manyRefs)
	}
	return n
}
