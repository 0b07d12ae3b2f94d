package protocol

import (
	"reflect"
	"slices"
	"strings"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/wire"
)

// BlueprintRule has methods that set the options of a blueprint.
type BlueprintRule[B any] struct{ def *blueprintRule[B] }

type blueprintRule[B any] struct {
	rule
	info    *registry.Blueprint
	comp    *registry.Component
	refresh func(w *ecs.World, e ecs.Entity, b *B)
}

// assembled is on the entities that are assembled from a blueprint B. It is rolled back with them.
type assembled[B any] struct{}

// Blueprint registers B as a blueprint: a component that is replicated, and from which the rest of the entity
// is assembled on both sides, in the same tick. B embeds components.At, which says in which, and holds what
// assemble needs. P is a struct: the type of each of its fields is a component that assemble returns.
//
//	type Asteroid struct { components.At; Seed uint32 }
//	type rock struct { Position; Body }
//
//	protocol.Blueprint(p, func(w *ecs.World, e ecs.Entity, b Asteroid) rock { ... })
//
// Before FixedMain of its tick the entity gets the components of P that it lacks. Components of P that are
// registered, and that the server has sent, keep the server's values. On entities with components.Remote, the
// others are added, and those that the server sends arrive from it. A type in P that is not registered counts
// as Local, so that it rolls back; one with Go pointers has to be registered with Unsent, and then stays on
// the entity in a rollback.
//
// assemble runs again in a replay of its tick, and must give the same from the same state: see
// docs/PREDICTION.md. It may read the world, and may spawn and change other entities. A panic of it goes
// through to the caller of the app's Update. To assemble an entity a second time, remove B, and add another
// one in a later tick.
//
// B is sent once, with ReplicateOnce and Predict(Once). It must not hold Go pointers.
func Blueprint[B, P any](p *Protocol, assemble func(w *ecs.World, e ecs.Entity, b B) P) *BlueprintRule[B] {
	component := Component[B](p).Predict(Once).ReplicateOnce()
	b := &blueprintRule[B]{rule: component.def.rule, comp: &component.def.info}
	if b.off {
		return &BlueprintRule[B]{b}
	}
	at, ok := reflect.TypeFor[B](), false
	var field reflect.StructField
	if at.Kind() == reflect.Struct {
		field, ok = at.FieldByName("At")
	}
	if !ok || field.Type != reflect.TypeFor[components.At]() || len(field.Index) != 1 {
		b.fail(ErrType, "a blueprint has a tick: embed components.At")
		return &BlueprintRule[B]{b}
	}
	parts := b.partsOf(reflect.TypeFor[P]())
	if !b.present("Blueprint", assemble != nil) || parts == nil {
		return &BlueprintRule[B]{b}
	}
	b.info = &registry.Blueprint{Type: at, Mark: reflect.TypeFor[assembled[B]](), Parts: parts}
	b.info.New = func(w *ecs.World) registry.BlueprintFuncs {
		return newBlueprintFuncs(w, field.Offset, assemble, b.refresh)
	}
	p.blueprints = append(p.blueprints, b.info)
	return &BlueprintRule[B]{b}
}

// Refresh sets a function that the server calls when it sends an entity that is assembled already to a client
// that lacks it, such as one that joins late. It changes a copy of the blueprint, so that the client assembles
// the entity as it is now. The client does so in the tick after the one that is sent. Clients that have the
// entity are sent nothing. refresh must not change the world.
func (r *BlueprintRule[B]) Refresh(refresh func(w *ecs.World, e ecs.Entity, b *B)) *BlueprintRule[B] {
	if r.def.option("Refresh") && r.def.present("Refresh", refresh != nil) {
		r.def.refresh, r.def.comp.Refreshed = refresh, true
	}
	return r
}

// partsOf returns the types of the fields of a struct, or nil after a mistake.
func (r *rule) partsOf(t reflect.Type) []reflect.Type {
	if t.Kind() != reflect.Struct {
		r.fail(ErrType, "its function returns %v: return a struct with one field for each component", t)
		return nil
	}
	parts := []reflect.Type{}
	for i := range t.NumField() {
		part := t.Field(i).Type
		switch {
		case slices.Contains(parts, part):
			r.fail(ErrType, "its function returns %v twice: an entity has a component once", part)
			return nil
		case isRelation(part):
			r.fail(ErrType, "its function returns %v, a relation, without its target: add it in a system", part)
			return nil
		}
		parts = append(parts, part)
	}
	return parts
}

// localParts returns the components of blueprints that are not registered, and the marks of assembled
// entities: they roll back, too.
func (p *Protocol) localParts() (locals []*registry.Local) {
	add := func(t reflect.Type) {
		named := func(l *registry.Local) bool { return l.Type == t }
		if !slices.ContainsFunc(locals, named) {
			locals = append(locals, &registry.Local{Name: wire.TypeName(t), Type: t})
		}
	}
	for _, b := range p.blueprints {
		add(b.Mark)
		for _, part := range b.Parts {
			if _, registered := p.taken.kinds[part]; !registered && part.PkgPath() != reflect.TypeFor[components.At]().PkgPath() {
				add(part)
			}
		}
	}
	return locals
}

// finishBlueprints refuses parts with pointers, which cannot be rolled back.
func (p *Protocol) finishBlueprints() {
	slices.SortFunc(p.blueprints, func(a, b *registry.Blueprint) int {
		return strings.Compare(wire.TypeName(a.Type), wire.TypeName(b.Type))
	})
	p.parts = p.localParts()
	for _, l := range p.parts {
		subject := "component " + l.Name + " of a blueprint"
		if err := wire.RefusePointers(l.Type, subject); err != nil {
			p.unfit = append(p.unfit, setupError(ErrType, subject, "it holds Go pointers, which no rollback can restore: hold a number instead, or register it with protocol.Unsent, and it stays as it is in a rollback"))
		}
	}
}
