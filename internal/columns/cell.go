package columns

import (
	"unsafe"

	"github.com/mlange-42/arche/ecs"
)

// Cells accesses the values of one component type by entity, for code that writes many of them one by
// one.
type Cells struct {
	world *ecs.World
	id    ecs.ID
	size  int
}

// Cells returns the values of a component.
func (wr *Writer) Cells(id ecs.ID) Cells {
	return Cells{world: wr.world, id: id, size: wr.sizeOf(id)}
}

// At returns the address of an entity's component, valid until the next change of structure. The entity
// must be alive. Nil: it has no such component.
func (c *Cells) At(e ecs.Entity) *byte {
	return (*byte)(c.world.GetUnchecked(e, c.id))
}

// Bytes returns the memory of the value at an address; it is empty for a tag.
func (c *Cells) Bytes(at *byte) []byte { return unsafe.Slice(at, c.size) }
