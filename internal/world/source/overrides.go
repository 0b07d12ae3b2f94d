package source

import (
	"slices"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/entangle-ecs/entangle/internal/world/refs"
	"github.com/mlange-42/arche/ecs"
)

// overrides holds the targets of single components of entities, at most one for each. An override
// may be set before its entity is replicated, and ends with the entity. It takes effect when it is
// next read; for a paused entity, when that resumes.
type overrides struct {
	list     []override
	free     []int32
	byEntity refs.Chains[ecs.Entity]
	byRoom   refs.Chains[components.Room] // of overrides with a room as target
	swept    int                          // index of the last override that sweepDead checked

	overridden set.Bitset             // slots that have overrides
	partial    set.Bitset             // slots with components that only some clients get
	withheld   map[repl.Slot]set.Mask // components that no client gets
}

type override struct {
	entity    ecs.Entity // zero: the place is free
	comp      int
	requested components.Target // as the game set it
	cleared   bool              // the game cleared it
	target    components.Target // in effect
}

func newOverrides() overrides {
	return overrides{byEntity: refs.NewChains[ecs.Entity](), byRoom: refs.NewChains[components.Room](), withheld: map[repl.Slot]set.Mask{}}
}

// findOverride returns the override of a component of an entity.
func (o *overrides) findOverride(e ecs.Entity, comp int) (i int32, ok bool) {
	for i, ok = o.byEntity.First(e); ok; i, ok = o.byEntity.Next(i) {
		if o.list[i].comp == comp {
			return i, true
		}
	}
	return 0, false
}

// setOverride records a target that the game set.
func (o *overrides) setOverride(e ecs.Entity, comp int, target components.Target) {
	i, ok := o.findOverride(e, comp)
	if !ok {
		i = o.addOverride(e, comp)
	}
	o.list[i].requested, o.list[i].cleared = target, false
}

// addOverride makes an override that has no effect yet.
func (o *overrides) addOverride(e ecs.Entity, comp int) (i int32) {
	if n := len(o.free); n > 0 {
		i, o.free = o.free[n-1], o.free[:n-1]
	} else {
		i = int32(len(o.list))
		o.list = append(o.list, override{})
	}
	o.list[i] = override{entity: e, comp: comp}
	o.byEntity.Add(e, i)
	return i
}

// clearOverride records that the game cleared an override.
func (o *overrides) clearOverride(e ecs.Entity, comp int) {
	if i, ok := o.findOverride(e, comp); ok {
		o.list[i].requested, o.list[i].cleared = components.Default, true
	}
}

// applyOverrides puts the overrides of an entity into effect.
func (o *overrides) applyOverrides(e ecs.Entity) {
	i, ok := o.byEntity.First(e)
	for ok {
		at := i
		i, ok = o.byEntity.Next(at)
		if o.list[at].cleared {
			o.dropOverride(at)
		} else {
			o.setEffective(at, o.list[at].requested)
		}
	}
}

// setEffective sets the target in effect of an override.
func (o *overrides) setEffective(i int32, target components.Target) {
	override := &o.list[i]
	if room, ok := override.target.Room(); ok {
		o.byRoom.Remove(room, i)
	}
	override.target = target
	if room, ok := target.Room(); ok {
		o.byRoom.Add(room, i)
	}
}

// dropOverride removes an override.
func (o *overrides) dropOverride(i int32) {
	o.setEffective(i, components.Default)
	o.byEntity.Remove(o.list[i].entity, i)
	o.list[i] = override{}
	o.free = append(o.free, i)
}

// removeEntity removes all overrides of an entity that had this slot.
func (o *overrides) removeEntity(e ecs.Entity, s repl.Slot) {
	for i, ok := o.byEntity.First(e); ok; i, ok = o.byEntity.First(e) {
		o.dropOverride(i)
	}
	o.overridden.Clear(int(s))
	o.partial.Clear(int(s))
	delete(o.withheld, s)
}

// sweepDead removes the overrides of dead entities that were never replicated, some in each tick.
func (o *overrides) sweepDead(w *ecs.World) {
	for range min(SweptPerTick, len(o.list)) {
		o.swept = (o.swept + 1) % len(o.list)
		if e := o.list[o.swept].entity; !e.IsZero() && !w.Alive(e) {
			o.dropOverride(int32(o.swept))
		}
	}
}

// refresh puts the overrides of an entity into effect and reports whether it has any.
func (o *overrides) refresh(e ecs.Entity, s repl.Slot) (some bool) {
	o.applyOverrides(e)
	o.overridden.Clear(int(s))
	o.partial.Clear(int(s))
	for i, ok := o.byEntity.First(e); ok; i, ok = o.byEntity.Next(i) {
		some = true
		o.overridden.Set(int(s))
		if t := o.list[i].target; !isAll(t) && !isNone(t) {
			o.partial.Set(int(s))
		}
	}
	return some
}

func isAll(t components.Target) bool { return t == components.Default || t == components.Everyone }

func isNone(t components.Target) bool { return t == components.Nobody || t == components.Server }

// updateWithheld updates the components of an entity that no client gets, and returns the sets
// before and after.
func (o *overrides) updateWithheld(e ecs.Entity, s repl.Slot) (before, now set.Mask) {
	before = o.withheld[s]
	for i, ok := o.byEntity.First(e); ok; i, ok = o.byEntity.Next(i) {
		if isNone(o.list[i].target) {
			now.Set(o.list[i].comp)
		}
	}
	switch {
	case now == before:
	case now.IsZero():
		delete(o.withheld, s)
	default:
		o.withheld[s] = now
	}
	return before, now
}

// WithheldOf returns the components of a slot that no client gets.
func (o *overrides) WithheldOf(s repl.Slot) set.Mask {
	if len(o.withheld) == 0 {
		return set.Mask{}
	}
	return o.withheld[s]
}

// without removes the slots in which an override withholds a component from all clients.
func (o *overrides) without(slots []repl.Slot, comp int) []repl.Slot {
	if len(o.withheld) == 0 {
		return slots
	}
	return slices.DeleteFunc(slots, func(s repl.Slot) bool {
		off := o.WithheldOf(s)
		return off.Has(comp)
	})
}

// reshapeOverridden tells the sender which components overrides withhold from all clients, or no
// longer do. For a paused entity it does so when that resumes. An entity that appeared and ended
// since the previous tick leaves nothing behind for the next one in its slot.
func (v *visibility) reshapeOverridden() {
	p := v.collector
	for _, s := range v.stale.slots {
		e := p.Table.Entity(columns.Slot(s))
		if at, ok := p.Table.SlotOf(e); !ok || at != columns.Slot(s) || p.Paused.Has(int(s)) {
			continue
		}
		before, now := v.Overrides.updateWithheld(e, s)
		if before == now {
			continue
		}
		have := p.Sent.Numbers(p.Table.Mask(columns.Slot(s)))
		p.World.Reshape(s, have.And(before.Without(now)), have.And(now.Without(before)))
	}
}

// Hides returns the components of an entity that a client may not see, except those that no client
// gets.
func (v *visibility) Hides(s repl.Slot, client entangle.ClientID) (m set.Mask) {
	if v.hidesInterpolation(s, client) {
		m.Set(v.Interpolations.comp)
	}
	if v.hidesPrespawned(s, client) {
		m.Set(v.Prespawns.comp)
	}
	o := &v.Overrides
	if !o.overridden.Has(int(s)) {
		return m
	}
	e := v.collector.Table.Entity(columns.Slot(s))
	for i, ok := o.byEntity.First(e); ok; i, ok = o.byEntity.Next(i) {
		if !v.includes(o.list[i].target, s, client) {
			m.Set(o.list[i].comp)
		}
	}
	return m.Without(o.withheld[s])
}

// Override sets the target of a component of a living entity. Only clients that get the entity can
// get the component.
func (c *Collector) Override(e ecs.Entity, comp int, target components.Target) {
	c.Visibility.Overrides.setOverride(e, comp, target)
	c.refreshOverrides(e)
}

// ClearOverride removes an override.
func (c *Collector) ClearOverride(e ecs.Entity, comp int) {
	c.Visibility.Overrides.clearOverride(e, comp)
	c.refreshOverrides(e)
}

// refreshOverrides puts the overrides of an entity into effect: in the next tick if it is
// replicated, otherwise at once.
func (c *Collector) refreshOverrides(e ecs.Entity) {
	s, ok := c.Table.SlotOf(e)
	if !ok {
		c.Visibility.Overrides.applyOverrides(e)
		return
	}
	c.Visibility.growSlots(c.Table.Slots())
	c.Visibility.markStale(repl.Slot(s))
}

// Overridden returns the target that Override set.
func (c *Collector) Overridden(e ecs.Entity, comp int) (target components.Target, ok bool) {
	i, ok := c.Visibility.Overrides.findOverride(e, comp)
	if !ok || c.Visibility.Overrides.list[i].cleared {
		return components.Default, false
	}
	return c.Visibility.Overrides.list[i].requested, true
}
