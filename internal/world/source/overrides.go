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

// overrides says who gets single components of entities, at most once for each. It
// may be said of an entity before it is replicated, and ends with the entity. What is
// said counts from when it is taken in on: of what is paused, when that goes on.
type overrides struct {
	notes    []override
	free     []int32
	byEntity refs.Chains[ecs.Entity]
	byRoom   refs.Chains[components.Room] // those of which the target is a room
	looked   int                          // up to which note entities were looked after

	on      repl.Bitset             // slots that have some
	partial repl.Bitset             // slots of which some clients may get more than others
	off     map[repl.Slot]repl.Mask // components that nobody gets
}

type override struct {
	entity ecs.Entity // zero: the note is free
	comp   int
	said   components.Target // by the game
	ended  bool              // it took that back
	target components.Target // what counts
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

// set takes down what the game says.
func (o *overrides) set(e ecs.Entity, comp int, target components.Target) {
	i, ok := o.find(e, comp)
	if !ok {
		i = o.add(e, comp)
	}
	o.notes[i].said, o.notes[i].ended = target, false
}

// add makes a note that counts for nothing yet.
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

// clear takes down that the game takes back what it said.
func (o *overrides) clear(e ecs.Entity, comp int) {
	if i, ok := o.find(e, comp); ok {
		o.notes[i].said, o.notes[i].ended = components.Default, true
	}
}

// take has what was said of an entity count.
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

// aim has a note count for a target.
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

// drop forgets a note.
func (o *overrides) drop(i int32) {
	o.aim(i, components.Default)
	o.byEntity.Remove(o.notes[i].entity, i)
	o.notes[i] = override{}
	o.free = append(o.free, i)
}

// lose forgets all that was said of an entity, whose slot this was.
func (o *overrides) lose(e ecs.Entity, s repl.Slot) {
	for i, ok := o.byEntity.First(e); ok; i, ok = o.byEntity.First(e) {
		o.drop(i)
	}
	o.on.Clear(int(s))
	o.partial.Clear(int(s))
	delete(o.off, s)
}

// tidy forgets entities that died unseen, some in each tick.
func (o *overrides) tidy(w *ecs.World) {
	for range min(LookedAfter, len(o.notes)) {
		o.looked = (o.looked + 1) % len(o.notes)
		if e := o.notes[o.looked].entity; !e.IsZero() && !w.Alive(e) {
			o.drop(int32(o.looked))
		}
	}
}

// look takes in for whom something of an entity is by now, and reports whether
// anything is said of it.
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

// fit takes in what nobody gets of an entity, and returns what that was before, and is
// now.
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

// OffOf returns the components of a slot that nobody gets.
func (o *overrides) OffOf(s repl.Slot) repl.Mask {
	if len(o.off) == 0 {
		return repl.Mask{}
	}
	return o.off[s]
}

// without leaves out the slots of which nobody gets a component.
func (o *overrides) without(slots []repl.Slot, comp int) []repl.Slot {
	if len(o.off) == 0 {
		return slots
	}
	return slices.DeleteFunc(slots, func(s repl.Slot) bool {
		off := o.OffOf(s)
		return off.Has(comp)
	})
}

// refit tells the sender of components that somebody gets again, or nobody any more.
// Of what is paused it does so when that goes on. What came and went since the tick before
// leaves nothing to whom gets its slot.
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

// Hides returns the components of an entity that a client may not see, beside those
// that nobody gets.
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

// Override says who gets a component of an entity that lives: of those who get the
// entity.
func (p *Publisher) Override(e ecs.Entity, comp int, target components.Target) {
	p.Sight.Overrides.set(e, comp, target)
	p.overrode(e)
}

// ClearOverride takes back what Override said.
func (p *Publisher) ClearOverride(e ecs.Entity, comp int) {
	p.Sight.Overrides.clear(e, comp)
	p.overrode(e)
}

// overrode has what was said of an entity taken in: with the next tick, where it is
// replicated.
func (p *Publisher) overrode(e ecs.Entity) {
	s, ok := p.Table.SlotOf(e)
	if !ok {
		p.Sight.Overrides.take(e)
		return
	}
	p.Sight.grow(p.Table.Slots())
	p.Sight.stir(repl.Slot(s))
}

// Overridden returns what Override said.
func (p *Publisher) Overridden(e ecs.Entity, comp int) (target components.Target, ok bool) {
	i, ok := p.Sight.Overrides.find(e, comp)
	if !ok || p.Sight.Overrides.notes[i].ended {
		return components.Default, false
	}
	return p.Sight.Overrides.notes[i].said, true
}
