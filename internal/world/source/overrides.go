package source

import (
	"slices"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/world/refs"
	"github.com/mlange-42/arche/ecs"
)

// overrides holds the targets of single components of entities, at most one for each. An override
// may be set before its entity is replicated, and ends with the entity. It takes effect when it is
// next read; for a paused entity, when that resumes.
type overrides struct {
	notes    []override
	free     []int32
	byEntity refs.Chains[ecs.Entity]
	byRoom   refs.Chains[components.Room] // of notes whose target is a room
	looked   int                          // index of the last note that tidy checked

	on      repl.Bitset             // slots that have overrides
	partial repl.Bitset             // slots with components that only some clients get
	off     map[repl.Slot]repl.Mask // components that no client gets
}

type override struct {
	entity ecs.Entity // zero: the note is free
	comp   int
	said   components.Target // as the game set it
	ended  bool              // the game cleared it
	target components.Target // in effect
}

func newOverrides() overrides {
	return overrides{byEntity: refs.NewChains[ecs.Entity](), byRoom: refs.NewChains[components.Room](), off: map[repl.Slot]repl.Mask{}}
}

// find returns the note of a component of an entity.
func (o *overrides) find(e ecs.Entity, comp int) (i int32, ok bool) {
	for i, ok = o.byEntity.First(e); ok; i, ok = o.byEntity.Next(i) {
		if o.notes[i].comp == comp {
			return i, true
		}
	}
	return 0, false
}

// set records a target that the game set.
func (o *overrides) set(e ecs.Entity, comp int, target components.Target) {
	i, ok := o.find(e, comp)
	if !ok {
		i = o.add(e, comp)
	}
	o.notes[i].said, o.notes[i].ended = target, false
}

// add makes a note that has no effect yet.
func (o *overrides) add(e ecs.Entity, comp int) (i int32) {
	if n := len(o.free); n > 0 {
		i, o.free = o.free[n-1], o.free[:n-1]
	} else {
		i = int32(len(o.notes))
		o.notes = append(o.notes, override{})
	}
	o.notes[i] = override{entity: e, comp: comp}
	o.byEntity.Add(e, i)
	return i
}

// clear records that the game cleared an override.
func (o *overrides) clear(e ecs.Entity, comp int) {
	if i, ok := o.find(e, comp); ok {
		o.notes[i].said, o.notes[i].ended = components.Default, true
	}
}

// take puts the overrides of an entity into effect.
func (o *overrides) take(e ecs.Entity) {
	i, ok := o.byEntity.First(e)
	for ok {
		at := i
		i, ok = o.byEntity.Next(at)
		if o.notes[at].ended {
			o.drop(at)
		} else {
			o.aim(at, o.notes[at].said)
		}
	}
}

// aim sets the target in effect of a note.
func (o *overrides) aim(i int32, target components.Target) {
	note := &o.notes[i]
	if room, ok := note.target.Room(); ok {
		o.byRoom.Remove(room, i)
	}
	note.target = target
	if room, ok := target.Room(); ok {
		o.byRoom.Add(room, i)
	}
}

// drop frees a note.
func (o *overrides) drop(i int32) {
	o.aim(i, components.Default)
	o.byEntity.Remove(o.notes[i].entity, i)
	o.notes[i] = override{}
	o.free = append(o.free, i)
}

// lose removes all overrides of an entity that had this slot.
func (o *overrides) lose(e ecs.Entity, s repl.Slot) {
	for i, ok := o.byEntity.First(e); ok; i, ok = o.byEntity.First(e) {
		o.drop(i)
	}
	o.on.Clear(int(s))
	o.partial.Clear(int(s))
	delete(o.off, s)
}

// tidy frees the notes of dead entities that were never replicated, some in each tick.
func (o *overrides) tidy(w *ecs.World) {
	for range min(LookedAfter, len(o.notes)) {
		o.looked = (o.looked + 1) % len(o.notes)
		if e := o.notes[o.looked].entity; !e.IsZero() && !w.Alive(e) {
			o.drop(int32(o.looked))
		}
	}
}

// look puts the overrides of an entity into effect and reports whether it has any.
func (o *overrides) look(e ecs.Entity, s repl.Slot) (some bool) {
	o.take(e)
	o.on.Clear(int(s))
	o.partial.Clear(int(s))
	for i, ok := o.byEntity.First(e); ok; i, ok = o.byEntity.Next(i) {
		some = true
		o.on.Set(int(s))
		if t := o.notes[i].target; !isAll(t) && !isNone(t) {
			o.partial.Set(int(s))
		}
	}
	return some
}

func isAll(t components.Target) bool { return t == components.Default || t == components.Everyone }

func isNone(t components.Target) bool { return t == components.Nobody || t == components.Server }

// fit updates the components of an entity that no client gets, and returns the sets before and
// after.
func (o *overrides) fit(e ecs.Entity, s repl.Slot) (before, now repl.Mask) {
	before = o.off[s]
	for i, ok := o.byEntity.First(e); ok; i, ok = o.byEntity.Next(i) {
		if isNone(o.notes[i].target) {
			now.Set(o.notes[i].comp)
		}
	}
	switch {
	case now == before:
	case now.IsZero():
		delete(o.off, s)
	default:
		o.off[s] = now
	}
	return before, now
}

// OffOf returns the components of a slot that no client gets.
func (o *overrides) OffOf(s repl.Slot) repl.Mask {
	if len(o.off) == 0 {
		return repl.Mask{}
	}
	return o.off[s]
}

// without removes the slots in which an override withholds a component from all clients.
func (o *overrides) without(slots []repl.Slot, comp int) []repl.Slot {
	if len(o.off) == 0 {
		return slots
	}
	return slices.DeleteFunc(slots, func(s repl.Slot) bool {
		off := o.OffOf(s)
		return off.Has(comp)
	})
}

// refit tells the sender which components overrides withhold from all clients, or no longer do.
// For a paused entity it does so when that resumes. An entity that appeared and ended since the
// previous tick leaves nothing behind for the next one in its slot.
func (v *sight) refit() {
	p := v.publisher
	for _, s := range v.stirred {
		e := p.Table.Entity(columns.Slot(s))
		if at, ok := p.Table.SlotOf(e); !ok || at != columns.Slot(s) || p.Paused.Has(int(s)) {
			continue
		}
		before, now := v.Overrides.fit(e, s)
		if before == now {
			continue
		}
		have := p.Numbers(p.Table.Mask(columns.Slot(s)))
		p.Sender.Reshape(s, have.And(before.Without(now)), have.And(now.Without(before)))
	}
}

// Hides returns the components of an entity that a client may not see, except those that no client
// gets.
func (v *sight) Hides(s repl.Slot, client entangle.ClientID) (m repl.Mask) {
	o := &v.Overrides
	if !o.on.Has(int(s)) {
		return m
	}
	e := v.publisher.Table.Entity(columns.Slot(s))
	for i, ok := o.byEntity.First(e); ok; i, ok = o.byEntity.Next(i) {
		if !v.includes(o.notes[i].target, s, client) {
			m.Set(o.notes[i].comp)
		}
	}
	return m.Without(o.off[s])
}

// Override sets the target of a component of a living entity. Only clients that get the entity can
// get the component.
func (p *Publisher) Override(e ecs.Entity, comp int, target components.Target) {
	p.Sight.Overrides.set(e, comp, target)
	p.overrode(e)
}

// ClearOverride removes an override.
func (p *Publisher) ClearOverride(e ecs.Entity, comp int) {
	p.Sight.Overrides.clear(e, comp)
	p.overrode(e)
}

// overrode puts the overrides of an entity into effect: in the next tick if it is replicated,
// otherwise at once.
func (p *Publisher) overrode(e ecs.Entity) {
	s, ok := p.Table.SlotOf(e)
	if !ok {
		p.Sight.Overrides.take(e)
		return
	}
	p.Sight.grow(p.Table.Slots())
	p.Sight.stir(repl.Slot(s))
}

// Overridden returns the target that Override set.
func (p *Publisher) Overridden(e ecs.Entity, comp int) (target components.Target, ok bool) {
	i, ok := p.Sight.Overrides.find(e, comp)
	if !ok || p.Sight.Overrides.notes[i].ended {
		return components.Default, false
	}
	return p.Sight.Overrides.notes[i].said, true
}
