package endpoint

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/sender"
	"github.com/entangle-ecs/entangle/internal/world/event"
	"github.com/entangle-ecs/entangle/internal/world/source"
	"github.com/mlange-42/arche/ecs"
)

// vista is what the player who lives in the server's world is shown of it, and what it
// was told of that: the events that a client in its place would have.
//
// It is a spectator like the others, with a peer to which nothing is ever sent. What is
// retained it is told nothing of, but its end.
type vista struct {
	publisher *source.Publisher
	id        entangle.ClientID
	peer      *sender.Peer // nil without a connection
	told      bool         // of what was there when it connected
	tag       [marks][]ecs.ID

	events               []*event.ComponentEvents // by component number
	onSpawned, onDespawn func(ecs.Entity)

	seen    []glimpse // by slot
	noted   []repl.Slot
	isNoted repl.Bitset
	updated []componentOf // scratch: of the tick at hand

	raised []sighting // for the next frame
	tags   []tagging  // likewise
}

// glimpse is what the player was told of an entity.
type glimpse struct {
	entity ecs.Entity // zero: nothing
	mask   repl.Mask
	marks  [marks]bool

	retained bool // its group stays where it was shown
	quiet    bool // and is not shown
}

// has reports whether the player is told of a component.
func (g *glimpse) has(comp int) bool { return !g.entity.IsZero() && !g.quiet && g.mask.Has(comp) }

type componentOf struct {
	slot repl.Slot
	comp int
}

// sighting is one event.
type sighting struct {
	kind   sightingKind
	comp   int
	entity ecs.Entity
}

type sightingKind uint8

const (
	spawned sightingKind = iota
	despawned
	inserted
	updated
	removed
)

// mark is what the player's entities are tagged with.
type mark uint8

const (
	ownMark       mark = iota // components.Controlled
	predictedMark             // components.Predicted
	marks
)

// tagging is that an entity gets a tag, or loses it.
type tagging struct {
	entity ecs.Entity
	mark   mark
	on     bool
}

// Attach makes the player part of the publisher's world. Its events go to the hub;
// entities that appear and vanish are told to the two functions.
func (l *Local) Attach(p *source.Publisher, hub *event.Hub, onSpawned, onDespawned func(ecs.Entity)) {
	v := &l.vista
	v.publisher, v.onSpawned, v.onDespawn = p, onSpawned, onDespawned
	v.tag[ownMark] = []ecs.ID{ecs.ComponentID[components.Controlled](p.Arche)}
	v.tag[predictedMark] = []ecs.ID{ecs.ComponentID[components.Predicted](p.Arche)}
	for comp, t := range p.Types {
		var events *event.ComponentEvents
		if p.Plans[comp] != nil {
			events = hub.AddComponent(t)
		}
		v.events = append(v.events, events)
	}
}

// enter shows the player what is for it, from the next Observe on.
func (v *vista) enter(id entangle.ClientID) {
	v.id, v.peer, v.told = id, v.publisher.World().NewPeer(), false
	v.publisher.AdmitLocal(id, v.peer, v)
}

// leave ends that, and tells of all that goes with it.
func (v *vista) leave() {
	if v.peer == nil {
		return
	}
	v.publisher.Dismiss(v.peer)
	v.peer.Close()
	v.peer = nil
	for s := range v.seen {
		v.lose(repl.Slot(s))
	}
	v.raise()
}

// complete reports whether the player was told of what was there when it connected.
func (v *vista) complete() bool { return v.told }

// lives reports whether an entity is there.
func (v *vista) lives(e ecs.Entity) bool { return !e.IsZero() && v.publisher.Arche.Alive(e) }

// knows reports whether the player is shown an entity.
func (v *vista) knows(e ecs.Entity) bool {
	s, ok := v.publisher.Slot(e)
	return ok && int(s) < len(v.seen) && v.seen[s].entity == e && !v.seen[s].quiet
}

// Keeps implements LocalView.
func (v *vista) Keeps(s repl.Slot) bool { return int(s) < len(v.seen) && !v.seen[s].entity.IsZero() }

// GroupShown implements LocalView.
func (v *vista) GroupShown(c *source.Spectator, members []repl.Slot, retained bool) {
	v.MarkStale(members)
	for _, s := range members {
		v.seen[s].retained = retained && v.publisher.Sight.Sees(c, s)
	}
}

// MarkStale implements LocalView.
func (v *vista) MarkStale(slots []repl.Slot) {
	v.grow()
	for _, s := range slots {
		v.note(s)
	}
}

// note has an entity looked at in this tick.
func (v *vista) note(s repl.Slot) {
	v.isNoted.Grow(int(s) + 1)
	if !v.isNoted.Has(int(s)) {
		v.isNoted.Set(int(s))
		v.noted = append(v.noted, s)
	}
}

// ReadsUpdates implements LocalView.
func (v *vista) ReadsUpdates(comp int) bool { return v.events[comp].ReadsUpdates() }

// Observe implements LocalView: it takes in what the tick at hand changed.
func (v *vista) Observe() {
	v.grow()
	for _, s := range v.publisher.Table.Despawned() {
		v.lose(repl.Slot(s))
	}
	v.findUpdated()
	v.find()
	for _, s := range v.noted {
		v.look(s)
		v.isNoted.Clear(int(s))
	}
	v.noted = v.noted[:0]
	for _, u := range v.updated {
		if g := &v.seen[u.slot]; g.has(u.comp) {
			v.push(updated, u.comp, g.entity)
		}
	}
	v.updated = v.updated[:0]
}

func (v *vista) grow() {
	for len(v.seen) < v.publisher.Table.Slots() {
		v.seen = append(v.seen, glimpse{})
	}
}

// find notes what is to be looked at, beside what sight has stirred.
func (v *vista) find() {
	t := v.publisher.Table
	if !v.told {
		v.told = true
		for s := range t.Slots() {
			v.note(repl.Slot(s))
		}
	}
	for _, s := range t.Spawned() {
		v.note(repl.Slot(s))
	}
	for _, s := range t.Resumed() {
		v.note(repl.Slot(s))
	}
	for _, s := range t.Paused() {
		v.note(repl.Slot(s)) // it is predicted no more
	}
	for _, change := range t.Structure() {
		v.note(repl.Slot(change.Slot))
	}
}

// findUpdated notes the values that changed of what the player knows, as far as anybody
// wants to know.
func (v *vista) findUpdated() {
	p := v.publisher
	for col, comp := range p.Comps {
		if !v.ReadsUpdates(comp) || p.Once.Has(comp) {
			continue
		}
		for _, s := range p.Table.Changed(col) {
			v.changed(repl.Slot(s), comp)
		}
	}
	for _, s := range p.Table.Retargeted() {
		if comp, ok := p.RelationOf(s); ok && v.ReadsUpdates(comp) && !p.Once.Has(comp) {
			v.changed(repl.Slot(s), comp)
		}
	}
}

func (v *vista) changed(s repl.Slot, comp int) {
	if v.seen[s].has(comp) {
		v.updated = append(v.updated, componentOf{s, comp})
	}
}

// look tells what became of an entity.
func (v *vista) look(s repl.Slot) {
	g := &v.seen[s]
	paused := v.publisher.Paused.Has(int(s))
	switch known := !g.entity.IsZero(); {
	case !v.finds(s):
		v.miss(s)
	case paused && !known || paused && !g.quiet:
		// it does not come, and stays as it was
	case !known:
		g.entity = v.publisher.Table.Entity(columns.Slot(s))
		v.push(spawned, 0, g.entity)
		v.reshape(g, s)
	case g.quiet:
		g.quiet = false
		v.pushAll(updated, g.mask.And(v.maskOf(s)), g.entity) // nobody knows what has changed meanwhile
		v.reshape(g, s)
	default:
		v.reshape(g, s)
	}
	v.claim(g, predictedMark, !g.entity.IsZero() && !g.quiet && v.peer.Predicts(s))
}

// finds reports whether the player is shown an entity now.
func (v *vista) finds(s repl.Slot) bool {
	_, placed := v.publisher.World().PlaceOf(s)
	return placed && v.peer.Finds(s)
}

// miss takes in that the player is not shown an entity.
func (v *vista) miss(s repl.Slot) {
	g := &v.seen[s]
	if _, placed := v.publisher.World().PlaceOf(s); !placed || !g.retained || g.entity.IsZero() {
		v.lose(s)
		return
	}
	g.quiet = true
	if !v.publisher.Paused.Has(int(s)) {
		v.narrow(g, s)
	}
}

// narrow tells which components of a retained entity the player may not see any more.
func (v *vista) narrow(g *glimpse, s repl.Slot) {
	p := v.publisher
	gone := g.mask.And(p.Sight.Overrides.OffOf(s).Union(p.Sight.Hides(s, v.id)))
	v.pushAll(removed, gone, g.entity)
	g.mask = g.mask.Without(gone)
	if !p.Unsent && gone.Has(p.Comps[p.Owners]) {
		v.claim(g, ownMark, false)
	}
}

// reshape tells which components have come to an entity, and which have gone.
func (v *vista) reshape(g *glimpse, s repl.Slot) {
	mask := v.maskOf(s)
	v.pushAll(removed, g.mask.Without(mask), g.entity)
	v.pushAll(inserted, mask.Without(g.mask), g.entity)
	g.mask = mask
	v.claim(g, ownMark, v.owns(s, mask))
}

// maskOf returns the components of an entity that the player may see.
func (v *vista) maskOf(s repl.Slot) repl.Mask {
	p := v.publisher
	mask := p.Numbers(p.Table.Mask(columns.Slot(s)))
	return mask.Without(p.Sight.Overrides.OffOf(s)).Without(p.Sight.Hides(s, v.id))
}

// owns reports whether an entity is the player's, as it can tell.
func (v *vista) owns(s repl.Slot, mask repl.Mask) bool {
	p := v.publisher
	return !p.Unsent && mask.Has(p.Comps[p.Owners]) && p.Sight.Owner[s] == v.id
}

// lose tells that an entity is gone for the player.
func (v *vista) lose(s repl.Slot) {
	if g := &v.seen[s]; !g.entity.IsZero() {
		v.push(despawned, 0, g.entity)
		v.claim(g, ownMark, false)
		v.claim(g, predictedMark, false)
		*g = glimpse{retained: g.retained}
	}
}

// claim has an entity tagged in the next frame, or its tag taken off.
func (v *vista) claim(g *glimpse, m mark, on bool) {
	if g.marks[m] != on {
		g.marks[m] = on
		v.tags = append(v.tags, tagging{g.entity, m, on})
	}
}
