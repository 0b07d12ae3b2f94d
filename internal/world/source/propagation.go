package source

import (
	"bytes"
	"log/slog"
	"reflect"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/mlange-42/arche/ecs"
)

// propagation makes children follow their parents in the world itself: it adds and removes their
// Replicate, and removes them with their parent. It acts once per tick, before the world is
// observed, on the events that its listener recorded.
type propagation struct {
	world  *ecs.World
	table  *columns.Table
	writer *columns.Writer
	log    *slog.Logger

	warned bool // of an unregistered components.ChildOf

	comps       hierarchyComponents
	Events      hierarchyEvents
	Slots       propagatedSlots
	hadChildren set.Bitset // by entity id: it has children, or had

	changed set.Bitset   // by entity id: of which apply has changed the Replicate
	checked []ecs.Entity // children that were checked, or got a Replicate, since the hierarchy was updated
	found   []ecs.Entity // scratch

	ofRelation ecs.Mask           // scratch, of childrenOf
	ofParent   ecs.RelationFilter // scratch, of childrenOf
}

// hierarchyComponents are the components that decide about children.
type hierarchyComponents struct {
	relations []ecs.ID // of children to their parents
	mask      ecs.Mask // the same
	cols      set.Mask // the same
	marker    ecs.ID   // components.Replicate
	markers   []ecs.ID // the same, as Arche takes it
	excludes  ecs.ID   // components.NoReplicateChildren
	remote    ecs.ID
	childOf   ecs.ID
}

// hierarchyEvents are the events since the last tick.
type hierarchyEvents struct {
	removed    []ecs.Entity // removed entities that had children
	parents    []ecs.Entity // their children are to be checked
	Children   []ecs.Entity // to be checked
	Overflowed bool         // all children are to be checked
	applying   bool
}

// propagatedSlots says by slot how an entity came by its Replicate.
type propagatedSlots struct {
	added         set.Bitset // propagation added it
	RemovedByGame set.Bitset
	withheld      set.Bitset // it has none, since its parent excludes its children
	// written is the Replicate that the plugin removed, if the game had written to it in that tick.
	written map[repl.Slot]components.Replicate
}

func TypeOf[T any]() reflect.Type { return reflect.TypeFor[T]() }

func newPropagation(c *Collector, infos []*registry.Component, log *slog.Logger) propagation {
	w := c.Arche
	p := propagation{
		world: w, table: c.Table, writer: columns.NewWriter(w), log: log,
		comps: hierarchyComponents{
			marker: c.marker, markers: []ecs.ID{c.marker}, excludes: ecs.ComponentID[components.NoReplicateChildren](w),
			remote: ecs.ComponentID[components.Remote](w), childOf: ecs.ComponentID[components.ChildOf](w),
		},
		Events: hierarchyEvents{Overflowed: true},
		Slots:  propagatedSlots{written: map[repl.Slot]components.Replicate{}},
	}
	for i, info := range infos {
		if IsHierarchy(info) {
			id := ecs.TypeID(w, info.Type)
			p.comps.relations = append(p.comps.relations, id)
			p.comps.mask.Set(id, true)
			p.comps.cols.Set(i)
		}
	}
	return p
}

// unused reports whether this game has no hierarchies.
func (p *propagation) unused() bool { return len(p.comps.relations) == 0 }

// warnUnregistered logs that children are not replicated with their parents, because a line of code
// is missing.
func (p *propagation) warnUnregistered(relation ecs.ID) {
	if relation != p.comps.childOf || p.warned {
		return
	}
	p.warned = true
	p.log.Warn("components.ChildOf is in use and not registered, so that children are not replicated with their parents; add protocol.Component[components.ChildOf](p)")
}

// apply applies the consequences of the recorded events, and of the events that it causes.
func (p *propagation) apply() {
	if p.world.IsLocked() {
		return // the observation that follows returns the error
	}
	if p.Events.Overflowed {
		p.Events.Overflowed = false
		p.checkAll()
	}
	p.Events.applying = true
	p.changed.Reset()
	for ended, parents, children := 0, 0, 0; ; {
		switch {
		case ended < len(p.Events.removed):
			p.removeChildren(p.Events.removed[ended])
			ended++
		case parents < len(p.Events.parents):
			p.checkChildrenOf(p.Events.parents[parents])
			parents++
		case children < len(p.Events.Children):
			p.checkChild(p.Events.Children[children])
			children++
		default:
			p.Events.removed, p.Events.parents, p.Events.Children = p.Events.removed[:0], p.Events.parents[:0], p.Events.Children[:0]
			p.Events.applying = false
			return
		}
	}
}

// checkAll finds all children and former children.
func (p *propagation) checkAll() {
	p.Events.removed, p.Events.parents, p.Events.Children = p.Events.removed[:0], p.Events.parents[:0], p.Events.Children[:0]
	for s := p.Slots.added.Next(0); s >= 0; s = p.Slots.added.Next(s + 1) {
		p.Events.Children = append(p.Events.Children, p.table.Entity(columns.Slot(s)))
	}
	for _, relation := range p.comps.relations {
		all := ecs.All(relation)
		for query := p.world.Query(&all); query.Next(); {
			if to := query.Relation(relation); !to.IsZero() {
				p.recordParent(to)
			}
			p.Events.Children = append(p.Events.Children, query.Entity())
		}
	}
	if all := ecs.All(p.comps.childOf); !p.comps.mask.Get(p.comps.childOf) {
		if query := p.world.Query(&all); query.Next() {
			query.Close()
			p.warnUnregistered(p.comps.childOf)
		}
	}
}

// childrenOf finds the children of an entity, which may have been removed.
func (p *propagation) childrenOf(parent ecs.Entity) []ecs.Entity {
	p.found = p.found[:0]
	for _, relation := range p.comps.relations {
		p.ofRelation = ecs.All(relation)
		p.ofParent = ecs.NewRelationFilter(&p.ofRelation, parent)
		for query := p.world.Query(&p.ofParent); query.Next(); {
			p.found = append(p.found, query.Entity())
		}
	}
	return p.found
}

// removeChildren removes the children of a removed entity. Their own children follow when the
// listener records these removals.
func (p *propagation) removeChildren(parent ecs.Entity) {
	for _, e := range p.childrenOf(parent) {
		p.removeEntity(e)
	}
}

func (p *propagation) removeEntity(e ecs.Entity) {
	if p.world.Alive(e) && !p.world.Has(e, p.comps.remote) {
		p.world.RemoveEntity(e)
	}
}

func (p *propagation) checkChildrenOf(parent ecs.Entity) {
	if p.world.Alive(parent) {
		p.Events.Children = append(p.Events.Children, p.childrenOf(parent)...)
	}
}

// checkChild adds a Replicate to a child if its parent has one, and removes an added one if the
// parent has none any more. Replicas are left alone.
func (p *propagation) checkChild(e ecs.Entity) {
	if !p.world.Alive(e) || p.world.Has(e, p.comps.remote) {
		return
	}
	p.checked = append(p.checked, e)
	parent, related := p.parentOf(e)
	switch has := p.world.Has(e, p.comps.marker); {
	case related && !parent.IsZero() && !p.world.Alive(parent):
		p.removeEntity(e)
	case !has && (p.propagates(parent) || p.continuesWithout(parent) && p.pausedWithParent(e)):
		if p.mayChange(e) {
			p.addReplicate(e)
		}
	case has && related && !p.propagates(parent):
		if p.mayChange(e) {
			p.removeReplicate(e, parent)
		}
	}
}

// mayChange reports whether the Replicate of a child may be added or removed: not again if the child
// is its own descendant, or one change could follow another around the cycle for ever.
func (p *propagation) mayChange(e ecs.Entity) bool {
	if !p.changed.Has(int(e.ID())) {
		p.changed.Grow(int(e.ID()) + 1)
		p.changed.Set(int(e.ID()))
		return true
	}
	return !p.inCycle(e)
}

// inCycle reports whether an entity is its own descendant. It stops at its ancestors' cycle if they
// have one: the entity to compare with moves up, each time twice as far as before.
func (p *propagation) inCycle(e ecs.Entity) bool {
	seen := e
	for at, steps, next := e, 0, 1; ; steps++ {
		parent, related := p.parentOf(at)
		if !related || parent.IsZero() || !p.world.Alive(parent) {
			return false
		}
		if at = parent; at == e || at == seen {
			return at == e
		}
		if steps == next {
			seen, steps, next = at, 0, 2*next
		}
	}
}

// parentOf returns the parent of an entity, and whether it has a relation to one.
func (p *propagation) parentOf(e ecs.Entity) (parent ecs.Entity, related bool) {
	for _, relation := range p.comps.relations {
		if p.world.Has(e, relation) {
			return p.world.Relations().GetUnchecked(e, relation), true
		}
	}
	return ecs.Entity{}, false
}

// propagates reports whether an entity is replicated together with its children.
func (p *propagation) propagates(parent ecs.Entity) bool {
	return !parent.IsZero() && p.world.Alive(parent) && p.world.Has(parent, p.comps.marker) && !p.excludesChildren(parent)
}

// excludesChildren reports whether a living entity excludes its children from its group.
func (p *propagation) excludesChildren(parent ecs.Entity) bool {
	return p.world.Alive(parent) && p.world.Has(parent, p.comps.excludes)
}

// continuesWithout reports whether children of a parent are replicated alone: of one that is neither
// replicated nor paused, or the zero entity.
func (p *propagation) continuesWithout(parent ecs.Entity) bool {
	_, known := p.table.SlotOf(parent)
	return !known && !p.excludesChildren(parent)
}

// pausedWithParent reports whether an entity is paused because its parent was.
func (p *propagation) pausedWithParent(e ecs.Entity) bool {
	s, ok := p.table.SlotOf(e)
	return ok && p.Slots.added.Has(int(s)) && !p.Slots.RemovedByGame.Has(int(s)) && !p.Slots.withheld.Has(int(s))
}

// addReplicate adds a Replicate to a child, or restores its former one.
func (p *propagation) addReplicate(e ecs.Entity) {
	t := p.table
	s, paused := t.SlotOf(e)
	if paused && p.Slots.RemovedByGame.Has(int(s)) {
		return
	}
	p.world.Add(e, p.comps.markers...)
	if s, _ = t.SlotOf(e); s == columns.NoSlot {
		return // no listener observes the world
	}
	p.Slots.growSlots(int(s) + 1)
	p.Slots.added.Set(int(s))
	if !paused {
		p.Slots.RemovedByGame.Clear(int(s)) // set for an earlier entity, within one tick
		return
	}
	copy(p.writer.Bytes(e, p.comps.marker), t.KnownMarker(s)) // as last sent, or as the game wrote it since:
	if written, ok := p.Slots.written[repl.Slot(s)]; ok {
		*(*components.Replicate)(p.world.Get(e, p.comps.marker)) = written
		delete(p.Slots.written, repl.Slot(s))
	}
}

// removeReplicate removes a Replicate that propagation added. If the parent is paused, the child is
// paused. If the parent excludes its children, the child is no longer replicated. Otherwise the
// child continues alone.
func (p *propagation) removeReplicate(e, parent ecs.Entity) {
	s, _ := p.table.SlotOf(e)
	if parent.IsZero() || !p.Slots.added.Has(int(s)) {
		return
	}
	above, known := p.table.SlotOf(parent)
	switch {
	case p.world.Has(parent, p.comps.excludes) || known && p.Slots.withheld.Has(int(above)):
		p.Slots.withheld.Set(int(s))
	case !known || p.world.Has(parent, p.comps.marker):
		return
	}
	if now, known := p.writer.Bytes(e, p.comps.marker), p.table.KnownMarker(s); known != nil && !bytes.Equal(now, known) {
		p.Slots.written[repl.Slot(s)] = *(*components.Replicate)(p.world.Get(e, p.comps.marker))
	}
	p.world.Remove(e, p.comps.markers...)
}
