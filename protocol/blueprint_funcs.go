package protocol

import (
	"reflect"
	"unsafe"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
)

// blueprintFuncs implements registry.BlueprintFuncs.
type blueprintFuncs[B, P any] struct {
	world    *ecs.World
	at       uintptr // the offset of components.At
	assemble func(w *ecs.World, e ecs.Entity, b B) P
	refresh  func(w *ecs.World, e ecs.Entity, b *B)

	parts  P // of the last Assemble
	fields []partField
}

// partField is a field of the parts.
type partField struct {
	id    ecs.ID
	typ   reflect.Type
	value reflect.Value
}

func newBlueprintFuncs[B, P any](
	w *ecs.World, at uintptr, assemble func(*ecs.World, ecs.Entity, B) P, refresh func(*ecs.World, ecs.Entity, *B),
) *blueprintFuncs[B, P] {
	f := &blueprintFuncs[B, P]{world: w, at: at, assemble: assemble, refresh: refresh}
	t := reflect.TypeFor[P]()
	for i := range t.NumField() {
		field := t.Field(i)
		memory := unsafe.Add(unsafe.Pointer(&f.parts), field.Offset) // reflect refuses to read unexported fields
		f.fields = append(f.fields, partField{ecs.TypeID(w, field.Type), field.Type, reflect.NewAt(field.Type, memory).Elem()})
	}
	return f
}

func (f *blueprintFuncs[B, P]) Tick(blueprint []byte) entangle.Tick { return f.atOf(blueprint).Tick }

func (f *blueprintFuncs[B, P]) SetTick(blueprint []byte, t entangle.Tick) {
	f.atOf(blueprint).Tick = t
}

func (f *blueprintFuncs[B, P]) atOf(blueprint []byte) *components.At {
	return (*components.At)(unsafe.Pointer(&blueprint[f.at]))
}

func (f *blueprintFuncs[B, P]) Assemble(e ecs.Entity, blueprint []byte) {
	f.parts = f.assemble(f.world, e, *(*B)(unsafe.Pointer(&blueprint[0])))
}

func (f *blueprintFuncs[B, P]) PutPart(i int, e ecs.Entity) {
	part := &f.fields[i]
	reflect.NewAt(part.typ, f.world.Get(e, part.id)).Elem().Set(part.value)
}

func (f *blueprintFuncs[B, P]) Refresh(e ecs.Entity, blueprint []byte) {
	f.refresh(f.world, e, (*B)(unsafe.Pointer(&blueprint[0])))
}
