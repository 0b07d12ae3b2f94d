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

// At returns the memory of an entity's component, like Writer.Bytes. The entity
// must be alive. Nil: it has no such component; that of a tag is empty.
func (c *Cells) At(e ecs.Entity) []byte {
	p := c.world.GetUnchecked(e, c.id)
	if p == nil {
		return nil
	}
	return unsafe.Slice((*byte)(p), c.size)
}
