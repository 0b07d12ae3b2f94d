package columns

import (
	"unsafe"

	"github.com/mlange-42/arche/ecs"
)

// Writer changes a world by component ids and bytes. It allocates nothing itself: the caller passes
// slices of ids and fill functions that it keeps. Like Arche, it panics if the world is locked, if
// the entity is dead, and if a component is added twice or removed without being present.
type Writer struct {
	world *ecs.World
	size  map[ecs.ID]int
}

// NewWriter returns a writer for w.
func NewWriter(w *ecs.World) *Writer {
	return &Writer{world: w, size: map[ecs.ID]int{}}
}

// Spawn creates an entity with the given components, zeroed. Then it calls fill, which can write
// values through Bytes before any listener is notified of the entity; fill must not change
// structure. It may be nil.
func (wr *Writer) Spawn(ids []ecs.ID, fill func(ecs.Entity)) ecs.Entity {
	return wr.world.NewEntityFn(fill, ids...)
}

// Exchange adds and removes components in one step, then calls fill like Spawn. If there are no
// ids, it does nothing.
func (wr *Writer) Exchange(e ecs.Entity, add, remove []ecs.ID, fill func(ecs.Entity)) {
	if len(add)+len(remove) == 0 {
		return
	}
	wr.world.ExchangeFn(e, add, remove, fill)
}

// SetTarget sets the target of a relation component of e. Arche itself allocates once in this call.
// An entity must not be its own target, because then Arche panics when it is removed.
func (wr *Writer) SetTarget(e ecs.Entity, relation ecs.ID, target ecs.Entity) {
	wr.world.Relations().Set(e, relation, target)
}

// Bytes returns the memory of a component, which is valid until the next change of structure. It
// returns nil if e has no such component.
func (wr *Writer) Bytes(e ecs.Entity, id ecs.ID) []byte {
	p := wr.world.Get(e, id)
	if p == nil {
		return nil
	}
	return unsafe.Slice((*byte)(p), wr.sizeOf(id))
}

// Remove removes an entity from the world.
func (wr *Writer) Remove(e ecs.Entity) { wr.world.RemoveEntity(e) }

func (wr *Writer) sizeOf(id ecs.ID) int {
	size, ok := wr.size[id]
	if !ok {
		info, _ := ecs.ComponentInfo(wr.world, id)
		size = int(info.Type.Size())
		wr.size[id] = size
	}
	return size
}
