package columns

import (
	"unsafe"

	"github.com/mlange-42/arche/ecs"
)

// Cells reaches the values of one component type by entity, for whoever writes
// many of them one by one.
type Cells struct {
	world *ecs.World
	id    ecs.ID
	size  int
}

// Cells returns the values of a component.
func (wr *Writer) Cells(id ecs.ID) Cells {
	return Cells{world: wr.world, id: id, size: wr.sizeOf(id)}
}

// Has reports whether an entity has the component. The entity must be alive: of a
// dead one the answer means nothing.
func (c *Cells) Has(e ecs.Entity) bool { return c.world.HasUnchecked(e, c.id) }

// At returns the memory of an entity's component, like Writer.Bytes. The entity
// must be alive and have the component.
func (c *Cells) At(e ecs.Entity) []byte {
	return unsafe.Slice((*byte)(c.world.GetUnchecked(e, c.id)), c.size)
}
