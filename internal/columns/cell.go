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

// Cells returns access to the values of a component.
func (wr *Writer) Cells(id ecs.ID) Cells {
	return Cells{world: wr.world, id: id, size: wr.sizeOf(id)}
}

// At returns the address of an entity's component, or nil if it has none. The entity must be alive.
// The address is valid until the next change of structure.
func (c *Cells) At(e ecs.Entity) *byte {
	return (*byte)(c.world.GetUnchecked(e, c.id))
}

// Find is At for an entity that may be dead.
func (c *Cells) Find(e ecs.Entity) *byte {
	if !c.world.Alive(e) {
		return nil
	}
	return (*byte)(c.world.Get(e, c.id))
}

// Bytes returns the memory of the value at an address that At returned. For a tag the memory is
// empty.
func (c *Cells) Bytes(at *byte) []byte { return unsafe.Slice(at, c.size) }
