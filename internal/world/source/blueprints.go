package source

import (
	"slices"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/mlange-42/arche/ecs"
)

// Blueprints assembles the entities of a world that have blueprints: on a server, and on a client, in the
// same way. An entity is assembled from a blueprint if it has the blueprint's mark.
type Blueprints struct {
	world  *ecs.World
	writer *columns.Writer
	remote ecs.ID
	twin   ecs.ID   // components.ConfirmedOf
	intent []ecs.ID // components.IntentOf
	kinds  []blueprintKind

	refreshing set.Mask // components of blueprints that are refreshed when they are sent
	refreshed  []byte   // scratch

	found []ecs.Entity // scratch
	adds  []ecs.ID     // scratch
	fill  func(e ecs.Entity)
	parts []int          // scratch: the indexes of the parts of adds
	kind  *blueprintKind // of fill
}

// blueprintKind is one type of blueprint.
type blueprintKind struct {
	registry.BlueprintFuncs
	id, mark ecs.ID
	number   int // of the component
	parts    []blueprintPart
	waiting  ecs.MaskFilter // entities that are not assembled
	left     ecs.MaskFilter // entities that have lost the blueprint
}

// blueprintPart is a component that a blueprint gives an entity.
type blueprintPart struct {
	id   ecs.ID
	sent bool // the server sends it, too
}

// NewBlueprints returns the blueprints of a world, nil if none is registered.
func NewBlueprints(w *ecs.World, r *registry.Registry) *Blueprints {
	if len(r.Blueprints) == 0 {
		return nil
	}
	b := &Blueprints{world: w, writer: columns.NewWriter(w), remote: ecs.ComponentID[components.Remote](w)}
	b.twin = ecs.ComponentID[components.ConfirmedOf](w)
	b.intent = []ecs.ID{ecs.ComponentID[components.IntentOf](w)}
	for _, info := range r.Blueprints {
		k := blueprintKind{BlueprintFuncs: info.New(w), id: ecs.TypeID(w, info.Type), mark: ecs.TypeID(w, info.Mark), number: r.ComponentOf(info.Type).Number}
		for _, part := range info.Parts {
			k.parts = append(k.parts, blueprintPart{ecs.TypeID(w, part), r.ComponentOf(part) != nil})
		}
		k.waiting, k.left = ecs.All(k.id).Without(k.mark), ecs.All(k.mark).Without(k.id)
		if r.ComponentOf(info.Type).Refreshed {
			b.refreshing.Set(k.number)
		}
		b.kinds = append(b.kinds, k)
	}
	b.fill = b.putParts
	return b
}

// Waiting is an entity with a blueprint from which it is not assembled yet.
type Waiting struct {
	Entity ecs.Entity
	Tick   entangle.Tick // in which it is to be assembled; 0: the next
}

// AppendWaiting appends the entities that are not assembled, by blueprint.
func (b *Blueprints) AppendWaiting(dst []Waiting) []Waiting {
	if b == nil {
		return dst
	}
	for i := range b.kinds {
		k := &b.kinds[i]
		for q := b.world.Query(&k.waiting); q.Next(); {
			dst = append(dst, Waiting{q.Entity(), k.Tick(b.memoryOf(k, q.Entity()))})
		}
	}
	return dst
}

// WaitsAt reports whether an entity waits for a tick after the given one.
func (b *Blueprints) WaitsAt(e ecs.Entity, tick entangle.Tick) bool {
	if b == nil {
		return false
	}
	return slices.ContainsFunc(b.kinds, func(k blueprintKind) bool {
		return b.world.Has(e, k.id) && tick.Before(k.Tick(b.memoryOf(&k, e)))
	})
}

// Assemble assembles the entities without components.Remote that wait for a tick or for an earlier one,
// before the simulation of that tick. lacks reports whether an entity gets the components that the server
// sends, too; nil means that all do.
func (b *Blueprints) Assemble(tick entangle.Tick, lacks func(e ecs.Entity, due entangle.Tick) bool) {
	if b == nil {
		return
	}
	for i := range b.kinds {
		k := &b.kinds[i]
		b.unmark(k, false)
		b.find(k, false)
		for at := 0; at < len(b.found); at++ {
			e := b.found[at]
			if due, ok := b.dueOf(k, e); ok && !tick.Before(due) {
				b.assemble(k, e, lacks == nil || lacks(e, due))
			}
		}
	}
}

// AssembleRemote assembles the entities with components.Remote for which due returns true.
func (b *Blueprints) AssembleRemote(due func(e ecs.Entity, tick entangle.Tick) bool) {
	if b == nil {
		return
	}
	for i := range b.kinds {
		k := &b.kinds[i]
		b.unmark(k, true)
		b.find(k, true)
		for at := 0; at < len(b.found); at++ {
			if tick, ok := b.dueOf(k, b.found[at]); ok && due(b.found[at], tick) {
				b.assemble(k, b.found[at], false)
			}
		}
	}
}

// SetTicks gives the next tick to waiting blueprints without a tick, and with past also to blueprints with a tick
// that has run.
func (b *Blueprints) SetTicks(next entangle.Tick, past bool) {
	if b == nil {
		return
	}
	for i := range b.kinds {
		k := &b.kinds[i]
		for q := b.world.Query(&k.waiting); q.Next(); {
			value := b.memoryOf(k, q.Entity())
			if due := k.Tick(value); !q.Has(b.remote) && (due == 0 || past && due.Before(next)) {
				k.SetTick(value, next)
			}
		}
	}
}

// memoryOf returns the memory of the blueprint of an entity that has it.
func (b *Blueprints) memoryOf(k *blueprintKind, e ecs.Entity) []byte { return b.writer.Bytes(e, k.id) }

// dueOf returns the tick for which an entity waits. The functions of other entities' blueprints may have
// removed the entity, or its blueprint.
func (b *Blueprints) dueOf(k *blueprintKind, e ecs.Entity) (tick entangle.Tick, waits bool) {
	if !b.world.Alive(e) || !b.world.Has(e, k.id) {
		return 0, false
	}
	return k.Tick(b.memoryOf(k, e)), true
}

// find finds the entities that are not assembled, with or without components.Remote. Confirmed twins have only
// what the server sends.
func (b *Blueprints) find(k *blueprintKind, remote bool) {
	b.found = b.found[:0]
	for q := b.world.Query(&k.waiting); q.Next(); {
		if q.Has(b.remote) == remote && !q.Has(b.twin) {
			b.found = append(b.found, q.Entity())
		}
	}
}

// unmark takes the mark off entities that have lost their blueprint, so that they can get another one.
func (b *Blueprints) unmark(k *blueprintKind, remote bool) {
	b.found = b.found[:0]
	for q := b.world.Query(&k.left); q.Next(); {
		if q.Has(b.remote) == remote {
			b.found = append(b.found, q.Entity())
		}
	}
	for _, e := range b.found {
		b.writer.Exchange(e, nil, append(b.adds[:0], k.mark), nil)
	}
}

// assemble assembles an entity from a blueprint. Its other components stay as they are.
func (b *Blueprints) assemble(k *blueprintKind, e ecs.Entity, sent bool) {
	k.Assemble(e, b.memoryOf(k, e))
	if _, waits := b.dueOf(k, e); !waits {
		return // its own function has removed it
	}
	b.kind, b.adds, b.parts = k, append(b.adds[:0], k.mark), b.parts[:0]
	for i, part := range k.parts {
		if !b.world.Has(e, part.id) && (sent || !part.sent) {
			b.adds, b.parts = append(b.adds, part.id), append(b.parts, i)
		}
	}
	var drops []ecs.ID
	if !b.world.Has(e, b.remote) && b.world.Has(e, b.intent[0]) {
		drops = b.intent // from here on it is no child of its shooter
	}
	b.writer.Exchange(e, b.adds, drops, b.fill)
}

// putParts writes the parts that an entity has just got.
func (b *Blueprints) putParts(e ecs.Entity) {
	for _, i := range b.parts {
		b.kind.PutPart(i, e)
	}
}

// refresh returns the blueprint of an entity as it is sent in a tick, in which the entity was or was not
// assembled before.
func (b *Blueprints) refresh(e ecs.Entity, comp int, value []byte, now entangle.Tick) []byte {
	if b == nil || !b.refreshing.Has(comp) || !b.world.Alive(e) {
		return value
	}
	k := &b.kinds[slices.IndexFunc(b.kinds, func(k blueprintKind) bool { return k.number == comp })]
	if !b.world.Has(e, k.mark) || !k.Tick(value).Before(now) {
		return value // clients that get it now assemble it in its own tick
	}
	b.refreshed = append(b.refreshed[:0], value...)
	k.Refresh(e, b.refreshed)
	k.SetTick(b.refreshed, now+1)
	return b.refreshed
}
