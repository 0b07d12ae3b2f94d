package endpoint

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/core/repl/sender"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/entangle-ecs/entangle/internal/world/event"
	"github.com/entangle-ecs/entangle/internal/world/source"
	"github.com/mlange-42/arche/ecs"
)

// localView is the local view of a host's player. It raises the events that a client with the same
// visibility would get.
//
// The collector treats it like any other client, with a peer to which nothing is ever sent. A
// retained entity raises no events, except for its despawn and for components that an override
// hides.
type localView struct {
	collector *source.Collector
	id        entangle.ClientID
	peer      *sender.Peer // nil without a connection
	observed  bool         // the entities present at the connection have been observed
	tag       [marks][]ecs.ID

	events               []*event.ComponentEvents // by component number
	onSpawned, onDespawn func(ecs.Entity)

	seen    []seenEntity // by slot
	noted   []repl.Slot
	isNoted set.Bitset
	updated []componentOf // scratch: of the present tick

	raised []viewEvent // the events to raise in the next frame
	tags   []tagging   // the tags to change in the next frame
}

// seenEntity is the state of an entity according to the last events that the player got.
type seenEntity struct {
	entity ecs.Entity // zero if it is not in the view
	mask   set.Mask
	marks  [marks]bool

	retained bool        // it stays on clients while its group is not relevant
	quiet    bool        // retained, and not relevant at present
	place    group.Place // its group when it was relevant: in another one, clients do not retain it
}

// raises reports whether the player gets events of a component.
func (g *seenEntity) raises(comp int) bool { return !g.entity.IsZero() && !g.quiet && g.mask.Has(comp) }

type componentOf struct {
	slot repl.Slot
	comp int
}

// viewEvent is one event.
type viewEvent struct {
	kind   viewEventKind
	comp   int
	entity ecs.Entity
}

type viewEventKind uint8

const (
	spawned viewEventKind = iota
	despawned
	inserted
	updated
	removed
)

// mark is a tag on the player's entities.
type mark uint8

const (
	ownMark          mark = iota // components.Controlled
	predictedMark                // components.Predicted
	interpolatedMark             // components.Interpolated
	marks
)

// tagging adds a tag to an entity, or removes it.
type tagging struct {
	entity ecs.Entity
	mark   mark
	on     bool
}

// Attach connects the player to the collector's world. Events of components go to the hub, and the
// two functions are called for entities that enter and leave the view.
func (l *Local) Attach(p *source.Collector, hub *event.Hub, onSpawned, onDespawned func(ecs.Entity)) {
	v := &l.view
	v.collector, v.onSpawned, v.onDespawn = p, onSpawned, onDespawned
	v.tag[ownMark] = []ecs.ID{ecs.ComponentID[components.Controlled](p.Arche)}
	v.tag[predictedMark] = []ecs.ID{ecs.ComponentID[components.Predicted](p.Arche)}
	v.tag[interpolatedMark] = []ecs.ID{ecs.ComponentID[components.Interpolated](p.Arche)}
	for _, t := range p.Sent.Types {
		v.events = append(v.events, hub.AddComponent(t))
	}
}

// openView starts the view. The player gets events from the next Observe on.
func (v *localView) openView(id entangle.ClientID) {
	v.id, v.peer, v.observed = id, v.collector.World.NewPeer(), false
	v.collector.AdmitLocal(id, v.peer, v)
}

// closeView ends the view, and raises the despawn events of all its entities.
func (v *localView) closeView() {
	if v.peer == nil {
		return
	}
	v.collector.Dismiss(v.peer)
	v.peer.Close()
	v.peer = nil
	for s := range v.seen {
		v.removeFromView(repl.Slot(s))
	}
	v.raise()
}

// complete reports whether the entities present at the connection have been observed.
func (v *localView) complete() bool { return v.observed }

// lives reports whether an entity is alive.
func (v *localView) lives(e ecs.Entity) bool { return !e.IsZero() && v.collector.Arche.Alive(e) }

// knows reports whether an entity is in the view and not only retained.
func (v *localView) knows(e ecs.Entity) bool {
	s, ok := v.collector.Slot(e)
	return ok && int(s) < len(v.seen) && v.seen[s].entity == e && !v.seen[s].quiet
}

// Keeps implements LocalView.
func (v *localView) Keeps(s repl.Slot) bool {
	return int(s) < len(v.seen) && !v.seen[s].entity.IsZero()
}

// GroupShown implements LocalView.
func (v *localView) GroupShown(c *source.Client, members []repl.Slot, retained bool) {
	v.MarkStale(members)
	for _, s := range members {
		v.seen[s].retained = (retained || v.collector.Paused.Has(int(s))) && v.collector.Visibility.Sees(c, s)
	}
}

// MarkStale implements LocalView.
func (v *localView) MarkStale(slots []repl.Slot) {
	v.grow()
	for _, s := range slots {
		v.queueStale(s)
	}
}

// queueStale queues an entity for comparison in this tick.
func (v *localView) queueStale(s repl.Slot) {
	v.isNoted.Grow(int(s) + 1)
	if !v.isNoted.Has(int(s)) {
		v.isNoted.Set(int(s))
		v.noted = append(v.noted, s)
	}
}

// ReadsUpdates implements LocalView.
func (v *localView) ReadsUpdates(comp int) bool { return v.events[comp].ReadsUpdates() }

// Observe implements LocalView. It queues the events of the changes of the present tick.
func (v *localView) Observe() {
	v.grow()
	for _, s := range v.collector.Table.Despawned() {
		v.removeFromView(repl.Slot(s))
	}
	v.findUpdated()
	v.findStale()
	for _, s := range v.noted {
		v.compareEntity(s)
		v.isNoted.Clear(int(s))
	}
	v.noted = v.noted[:0]
	for _, u := range v.updated {
		if g := &v.seen[u.slot]; g.raises(u.comp) {
			v.queueEvent(updated, u.comp, g.entity)
		}
	}
	v.updated = v.updated[:0]
}

func (v *localView) grow() {
	for len(v.seen) < v.collector.Table.Slots() {
		v.seen = append(v.seen, seenEntity{})
	}
}

// findStale notes the entities to compare, in addition to those that visibility has marked stale.
func (v *localView) findStale() {
	t := v.collector.Table
	if !v.observed {
		v.observed = true
		for s := range t.Slots() {
			v.queueStale(repl.Slot(s))
		}
	}
	for _, s := range t.Spawned() {
		v.queueStale(repl.Slot(s))
	}
	for _, s := range t.Resumed() {
		v.queueStale(repl.Slot(s))
	}
	for _, s := range t.Paused() {
		v.queueStale(repl.Slot(s)) // it is no longer predicted
	}
	for _, change := range t.Structure() {
		v.queueStale(repl.Slot(change.Slot))
	}
}

// findUpdated notes the changed values of components in the view, of those types with a reader of
// update events.
func (v *localView) findUpdated() {
	p := v.collector
	for comp := range p.Sent.Plans {
		if !v.ReadsUpdates(comp) || p.Sent.Once.Has(comp) {
			continue
		}
		for _, s := range p.Table.Changed(comp) {
			v.markUpdated(repl.Slot(s), comp)
		}
	}
	for _, s := range p.Table.Retargeted() {
		if comp, ok := p.RelationOf(s); ok && v.ReadsUpdates(comp) && !p.Sent.Once.Has(comp) {
			v.markUpdated(repl.Slot(s), comp)
		}
	}
}

func (v *localView) markUpdated(s repl.Slot, comp int) {
	if v.seen[s].raises(comp) {
		v.updated = append(v.updated, componentOf{s, comp})
	}
}

// compareEntity queues the events for the differences of an entity to its last known state.
func (v *localView) compareEntity(s repl.Slot) {
	g := &v.seen[s]
	paused := v.collector.Paused.Has(int(s))
	switch known := !g.entity.IsZero(); {
	case !v.finds(s):
		v.handleHidden(s)
	case paused && !known || paused && !g.quiet:
		// a paused entity does not appear, and stays as it was
	case !known:
		g.entity = v.collector.Table.Entity(columns.Slot(s))
		v.queueEvent(spawned, 0, g.entity)
		v.reshape(g, s)
	case g.quiet:
		g.quiet = false
		v.queueEvents(updated, g.mask.And(v.maskOf(s)), g.entity) // changes in the meantime were not tracked
		v.reshape(g, s)
	default:
		v.reshape(g, s)
	}
	here := !g.entity.IsZero() && !g.quiet
	if here && !paused {
		g.place, _ = v.collector.World.PlaceOf(s)
	}
	v.queueTag(g, predictedMark, here && v.peer.Predicts(s))
	v.queueTag(g, interpolatedMark, here && !paused && v.collector.Visibility.Interpolates(v.id, s))
}

// finds reports whether an entity is visible to the player now.
func (v *localView) finds(s repl.Slot) bool {
	_, placed := v.collector.World.PlaceOf(s)
	return placed && v.peer.Finds(s)
}

// handleHidden handles an entity that is not visible to the player: it stays if it is retained, and
// leaves the view otherwise.
func (v *localView) handleHidden(s repl.Slot) {
	g := &v.seen[s]
	if place, placed := v.collector.World.PlaceOf(s); !placed || !g.retained || g.entity.IsZero() || place != g.place {
		v.removeFromView(s)
		return
	}
	g.quiet = true
	if !v.collector.Paused.Has(int(s)) {
		v.narrow(g, s)
	}
}

// narrow removes the components of a retained entity that the player may no longer see.
func (v *localView) narrow(g *seenEntity, s repl.Slot) {
	p := v.collector
	gone := g.mask.And(p.Visibility.Overrides.WithheldOf(s).Or(p.Visibility.Hides(s, v.id)))
	v.queueEvents(removed, gone, g.entity)
	g.mask = g.mask.Without(gone)
	if !p.Sent.OwnersUnsent && gone.Has(p.Sent.Owners) {
		v.queueTag(g, ownMark, false)
	}
}

// reshape queues the events of components that were added to an entity or removed from it.
func (v *localView) reshape(g *seenEntity, s repl.Slot) {
	mask := v.maskOf(s)
	v.queueEvents(removed, g.mask.Without(mask), g.entity)
	v.queueEvents(inserted, mask.Without(g.mask), g.entity)
	g.mask = mask
	v.queueTag(g, ownMark, v.owns(s, mask))
}

// maskOf returns the components of an entity that the player may see.
func (v *localView) maskOf(s repl.Slot) set.Mask {
	p := v.collector
	mask := p.Sent.Numbers(p.Table.Mask(columns.Slot(s)))
	return mask.Without(p.Visibility.Overrides.WithheldOf(s)).Without(p.Visibility.Hides(s, v.id))
}

// owns reports whether the player owns an entity and can see that it does.
func (v *localView) owns(s repl.Slot, mask set.Mask) bool {
	p := v.collector
	return !p.Sent.OwnersUnsent && mask.Has(p.Sent.Owners) && p.Visibility.Owner[s] == v.id
}

// removeFromView removes an entity from the view and queues its despawn event.
func (v *localView) removeFromView(s repl.Slot) {
	if g := &v.seen[s]; !g.entity.IsZero() {
		v.queueEvent(despawned, 0, g.entity)
		v.queueTag(g, ownMark, false)
		v.queueTag(g, predictedMark, false)
		v.queueTag(g, interpolatedMark, false)
		*g = seenEntity{retained: g.retained}
	}
}

// queueTag queues adding a tag to an entity or removing it, for the next frame.
func (v *localView) queueTag(g *seenEntity, m mark, on bool) {
	if g.marks[m] != on {
		g.marks[m] = on
		v.tags = append(v.tags, tagging{g.entity, m, on})
	}
}
