package source

import (
	"log/slog"
	"reflect"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/mlange-42/arche/ecs"
)

// kindred makes children follow their parents in the world itself: it adds and removes their
// Replicate, and removes them with their parent. It acts once per tick, before the world is
// observed, on the events that its listener recorded.
type kindred struct {
	publisher *Publisher
	world     *ecs.World
	writer    *columns.Writer
	log       *slog.Logger

	relations []ecs.ID     // of children to their parents
	is        ecs.Mask     // the same
	cols      columns.Mask // the same
	marker    ecs.ID       // components.Replicate
	apart     ecs.ID       // components.NoReplicateChildren
	remote    ecs.ID
	childOf   ecs.ID
	markers   []ecs.ID // the marker, as Arche wants it

	ended    []ecs.Entity // removed entities that had children
	parents  []ecs.Entity // their children are to be checked
	Children []ecs.Entity // to be checked
	looked   []ecs.Entity // those that were checked
	found    []ecs.Entity
	parental repl.Bitset // by entity id: it has children, or had
	Anew     bool        // all children are to be checked
	acting   bool
	told     bool

	given    repl.Bitset // by slot: kindred added its Replicate
	Held     repl.Bitset // the game removed its Replicate
	withheld repl.Bitset // it is not replicated, since its parent excludes its children
}

func TypeOf[T any]() reflect.Type { return reflect.TypeFor[T]() }

func newKindred(p *Publisher, infos []*registry.Component, log *slog.Logger) kindred {
	w := p.Arche
	k := kindred{
		publisher: p, world: w, writer: columns.NewWriter(w), log: log, Anew: true,
		marker: p.marker, apart: ecs.ComponentID[components.NoReplicateChildren](w),
		remote: ecs.ComponentID[components.Remote](w), childOf: ecs.ComponentID[components.ChildOf](w),
		markers: []ecs.ID{p.marker},
	}
	for i, info := range infos {
		if IsHierarchy(info) && p.cols[i] >= 0 {
			id := ecs.TypeID(w, info.Type)
			k.relations = append(k.relations, id)
			k.is.Set(id, true)
			k.cols.Set(p.cols[i])
		}
	}
	return k
}

// none reports whether this game has no hierarchies.
func (k *kindred) none() bool { return len(k.relations) == 0 }

// overlook logs that children are not replicated with their parents, because a line of code is
// missing.
func (k *kindred) overlook(relation ecs.ID) {
	if relation != k.childOf || k.told {
		return
	}
	k.told = true
	k.log.Warn("components.ChildOf is in use and not registered, so that children are not replicated with their parents; add protocol.Component[components.ChildOf](p)")
}

// act applies the consequences of the recorded events, and of the events that it causes.
func (k *kindred) act() {
	if k.world.IsLocked() {
		return // the observation that follows returns the error
	}
	if k.Anew {
		k.Anew = false
		k.lookAtAll()
	}
	k.acting = true
	for ended, parents, children := 0, 0, 0; ; {
		switch {
		case ended < len(k.ended):
			k.end(k.ended[ended])
			ended++
		case parents < len(k.parents):
			k.lookBelow(k.parents[parents])
			parents++
		case children < len(k.Children):
			k.look(k.Children[children])
			children++
		default:
			k.ended, k.parents, k.Children = k.ended[:0], k.parents[:0], k.Children[:0]
			k.acting = false
			return
		}
	}
}

// lookAtAll finds all children and former children.
func (k *kindred) lookAtAll() {
	k.ended, k.parents, k.Children = k.ended[:0], k.parents[:0], k.Children[:0]
	for s := k.given.Next(0); s >= 0; s = k.given.Next(s + 1) {
		k.Children = append(k.Children, k.publisher.Table.Entity(columns.Slot(s)))
	}
	for _, relation := range k.relations {
		all := ecs.All(relation)
		for query := k.world.Query(&all); query.Next(); {
			if to := query.Relation(relation); !to.IsZero() {
				k.adopt(to)
			}
			k.Children = append(k.Children, query.Entity())
		}
	}
	if all := ecs.All(k.childOf); !k.is.Get(k.childOf) {
		if query := k.world.Query(&all); query.Next() {
			query.Close()
			k.overlook(k.childOf)
		}
	}
}

// below finds the children of an entity, which may have been removed.
func (k *kindred) below(parent ecs.Entity) []ecs.Entity {
	k.found = k.found[:0]
	for _, relation := range k.relations {
		all := ecs.All(relation)
		filter := ecs.NewRelationFilter(&all, parent)
		for query := k.world.Query(&filter); query.Next(); {
			k.found = append(k.found, query.Entity())
		}
	}
	return k.found
}

// end removes the children of a removed entity. Their own children follow when the listener
// records these removals.
func (k *kindred) end(parent ecs.Entity) {
	for _, e := range k.below(parent) {
		k.remove(e)
	}
}

func (k *kindred) remove(e ecs.Entity) {
	if k.world.Alive(e) && !k.world.Has(e, k.remote) {
		k.world.RemoveEntity(e)
	}
}

func (k *kindred) lookBelow(parent ecs.Entity) {
	if k.world.Alive(parent) {
		k.Children = append(k.Children, k.below(parent)...)
	}
}

// look adds a Replicate to a child whose parent has one, and removes an added one if the parent
// has none any more. Replicas are left alone.
func (k *kindred) look(e ecs.Entity) {
	if !k.world.Alive(e) || k.world.Has(e, k.remote) {
		return
	}
	k.looked = append(k.looked, e)
	parent, related := k.parentOf(e)
	switch has := k.world.Has(e, k.marker); {
	case related && !parent.IsZero() && !k.world.Alive(parent):
		k.remove(e)
	case !has && (related && k.leads(parent) || !related && k.pausedHere(e)):
		k.give(e)
	case has && related && !k.leads(parent):
		k.takeBack(e, parent)
	}
}

// parentOf returns the parent of an entity, and whether it has a relation to one.
func (k *kindred) parentOf(e ecs.Entity) (parent ecs.Entity, related bool) {
	for _, relation := range k.relations {
		if k.world.Has(e, relation) {
			return k.world.Relations().GetUnchecked(e, relation), true
		}
	}
	return ecs.Entity{}, false
}

// leads reports whether an entity is replicated together with its children.
func (k *kindred) leads(parent ecs.Entity) bool {
	return !parent.IsZero() && k.world.Alive(parent) && k.world.Has(parent, k.marker) && !k.keepsApart(parent)
}

// keepsApart reports whether a living entity excludes its children from its group.
func (k *kindred) keepsApart(parent ecs.Entity) bool {
	return k.world.Alive(parent) && k.world.Has(parent, k.apart)
}

// pausedHere reports whether an entity is paused because its parent was.
func (k *kindred) pausedHere(e ecs.Entity) bool {
	s, ok := k.publisher.Table.SlotOf(e)
	return ok && k.given.Has(int(s)) && !k.Held.Has(int(s)) && !k.withheld.Has(int(s))
}

// give adds a Replicate to a child, or restores its former one.
func (k *kindred) give(e ecs.Entity) {
	t := k.publisher.Table
	s, paused := t.SlotOf(e)
	if paused && k.Held.Has(int(s)) {
		return
	}
	k.world.Add(e, k.markers...)
	if s, _ = t.SlotOf(e); s == columns.NoSlot {
		return // no listener observes the world
	}
	k.grow(int(s) + 1)
	k.given.Set(int(s))
	if !paused {
		k.Held.Clear(int(s)) // set for an earlier entity, within one tick
	} else if old := t.KnownMarker(s); old != nil {
		copy(k.writer.Bytes(e, k.marker), old)
	}
}

// takeBack removes a Replicate that kindred added. If the parent is paused, the child is paused.
// If the parent excludes its children, the child is no longer replicated. Otherwise the child
// continues alone.
func (k *kindred) takeBack(e, parent ecs.Entity) {
	s, _ := k.publisher.Table.SlotOf(e)
	if parent.IsZero() || !k.given.Has(int(s)) {
		return
	}
	above, known := k.publisher.Table.SlotOf(parent)
	switch {
	case k.world.Has(parent, k.apart) || known && k.withheld.Has(int(above)):
		k.withheld.Set(int(s))
	case !known || k.world.Has(parent, k.marker):
		return
	}
	k.world.Remove(e, k.markers...)
}
