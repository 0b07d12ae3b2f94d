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

// kindred has children follow their parents in the world itself: it gives them a
// Replicate and takes it back, and removes them when their parent was removed. It acts
// once in a tick, before the world is observed, on what its listener heard.
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

	ended    []ecs.Entity // that had children, and were removed
	parents  []ecs.Entity // whose children are to be looked at
	Children []ecs.Entity // to be looked at
	looked   []ecs.Entity // those that were
	found    []ecs.Entity
	parental repl.Bitset // by id of an entity: it has children, or had
	Anew     bool        // all children are to be looked at
	acting   bool
	told     bool

	given    repl.Bitset // by slot: its Replicate is from here
	Held     repl.Bitset // the game took its Replicate off
	withheld repl.Bitset // it is not replicated, since its parent does not want that
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

// none reports whether there are no families in this game.
func (k *kindred) none() bool { return len(k.relations) == 0 }

// overlook tells of children that are not replicated with their parents because a line
// is missing.
func (k *kindred) overlook(relation ecs.ID) {
	if relation != k.childOf || k.told {
		return
	}
	k.told = true
	k.log.Warn("components.ChildOf is in use and not registered, so that children are not replicated with their parents; add protocol.Component[components.ChildOf](p)")
}

// act does what follows from what was heard, and from what that does.
func (k *kindred) act() {
	if k.world.IsLocked() {
		return // which is an error of the observation that follows
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

// lookAtAll finds every child there is, and who was one.
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

// below finds the children of an entity, which may be gone.
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

// end removes the children of an entity that was removed. Those below them follow, as
// they are heard of.
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

// look gives a child a Replicate where its parent has one, and takes back what was
// given where it has none any more. What is written by the network is let alone.
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

// leads reports whether the children of an entity are replicated with it.
func (k *kindred) leads(parent ecs.Entity) bool {
	return !parent.IsZero() && k.world.Alive(parent) && k.world.Has(parent, k.marker) && !k.keepsApart(parent)
}

// keepsApart reports whether an entity that lives wants no children with it.
func (k *kindred) keepsApart(parent ecs.Entity) bool {
	return k.world.Alive(parent) && k.world.Has(parent, k.apart)
}

// pausedHere reports whether an entity is paused because its parent was.
func (k *kindred) pausedHere(e ecs.Entity) bool {
	s, ok := k.publisher.Table.SlotOf(e)
	return ok && k.given.Has(int(s)) && !k.Held.Has(int(s)) && !k.withheld.Has(int(s))
}

// give puts a Replicate on a child, or back as it was before.
func (k *kindred) give(e ecs.Entity) {
	t := k.publisher.Table
	s, paused := t.SlotOf(e)
	if paused && k.Held.Has(int(s)) {
		return
	}
	k.world.Add(e, k.markers...)
	if s, _ = t.SlotOf(e); s == columns.NoSlot {
		return // nobody hears of the world's changes
	}
	k.grow(int(s) + 1)
	k.given.Set(int(s))
	if !paused {
		k.Held.Clear(int(s)) // of another entity that was there for no tick
	} else if old := t.KnownMarker(s); old != nil {
		copy(k.writer.Bytes(e, k.marker), old)
	}
}

// takeBack takes off a Replicate that is from here. A child of one that is paused is
// paused; a child of one that wants none with it is replicated no more; any other goes
// on alone.
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
