package columns

import (
	"unsafe"

	"github.com/mlange-42/arche/ecs"
)

// Batch creates entities with the same components, many at once.
type Batch struct {
	writer  *Writer
	builder *ecs.Builder
	ids     []ecs.ID
	signed  ecs.ID
	cells   []batchCell
	stride  int
	one     []byte // values of the entity that is created by itself
	fillOne func(ecs.Entity)
}

// leastBatch is the number of entities from which on they are created as a batch, for which Arche
// allocates five times.
const leastBatch = 32

// batchCell is the place of a component in the values of an entity.
type batchCell struct {
	id   ecs.ID
	size int // of the component in memory
	at   int
	n    int // bytes of its value, at most size
}

// NewBatch returns a Batch of entities with a component for the signature (see Writer.Sign), and others.
// sizes are the bytes of the values of these, at most those of the component.
func (wr *Writer) NewBatch(signed ecs.ID, ids []ecs.ID, sizes []int) *Batch {
	if wr.sizeOf(signed) != signatureSize {
		panic("columns: a signature is an Entity: use a component of that size")
	}
	all := append([]ecs.ID{signed}, ids...)
	b := &Batch{writer: wr, builder: ecs.NewBuilder(wr.world, all...), ids: all, signed: signed}
	b.fillOne = b.fillEntity
	for i, id := range ids {
		b.cells = append(b.cells, batchCell{id: id, size: wr.sizeOf(id), at: b.stride, n: sizes[i]})
		b.stride += (sizes[i] + 7) &^ 7
	}
	return b
}

// Stride is the number of bytes of the values of an entity.
func (b *Batch) Stride() int { return b.stride }

// Cell returns the memory of component i in the values of an entity.
func (b *Batch) Cell(values []byte, i int) []byte {
	c := &b.cells[i]
	return values[c.at : c.at+c.n : c.at+c.n]
}

// Spawn creates as many entities as entities has room for, at least one, and writes them there. values are
// Stride bytes for each. A listener is called for an entity when that has all values. Few entities are
// created one by one, which allocates nothing; the order is the same.
func (b *Batch) Spawn(entities []ecs.Entity, values []byte) {
	if len(entities) < leastBatch {
		for i := range entities {
			b.one = values[i*b.stride:]
			entities[i] = b.writer.Spawn(b.ids, b.fillOne)
		}
		return
	}
	query := b.builder.NewBatchQ(len(entities))
	query.Next() // there is a first row, and the others follow it
	signatures := unsafe.Slice((*ecs.Entity)(query.Get(b.signed)), len(entities))
	for _, c := range b.cells {
		if c.n > 0 {
			b.fill(c, unsafe.Slice((*byte)(query.Get(c.id)), len(entities)*c.size), values)
		}
	}
	for i := range entities {
		entities[i] = query.Entity()
		signatures[i] = entities[i]
		query.Next()
	}
}

// fill copies the values of a component to its column.
func (b *Batch) fill(c batchCell, column, values []byte) {
	if c.n == 8 && c.size == 8 {
		for i, at := 0, c.at; i < len(column); i, at = i+8, at+b.stride {
			*(*[8]byte)(column[i:]) = [8]byte(values[at:])
		}
		return
	}
	for i, at := 0, c.at; i < len(column); i, at = i+c.size, at+b.stride {
		copy(column[i:i+c.n], values[at:])
	}
}

// fillEntity writes the signature and the values of an entity.
func (b *Batch) fillEntity(e ecs.Entity) {
	b.writer.Sign(e, b.signed)
	for _, c := range b.cells {
		copy(b.writer.Bytes(e, c.id)[:c.n], b.one[c.at:])
	}
}
