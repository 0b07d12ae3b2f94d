package sink

import (
	"slices"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/wire"
	"github.com/entangle-ecs/entangle/internal/world/refs"
	"github.com/entangle-ecs/entangle/internal/world/source"
	"github.com/mlange-42/arche/ecs"
)

// LateReferences returns how many references wait for an entity that has not arrived, and how many
// were dropped for lack of space. A dropped reference stays the zero entity until its component is
// sent again.
func (c *Copy) LateReferences() (waiting int, dropped uint64) {
	return c.late.Len(), c.late.Dropped
}

// findLate replaces the placeholders in a newly decoded value with the zero entity and records
// their places.
func (c *Copy) findLate(h refs.LateHolder, value []byte) {
	l := &c.late
	if l.Swap == nil {
		l.Swap = c.swapLate
	}
	l.Holder = h
	c.comps[h.Comp].plan.MapRefs(value, l.Swap)
	c.refs.late = c.refs.late[:0]
}

func (c *Copy) swapLate(n int, e ecs.Entity) ecs.Entity {
	at, ok := wire.IsPlaceholder(e)
	if !ok || int(at) >= len(c.refs.late) {
		return e
	}
	c.late.Found = append(c.late.Found, refs.LateRef{Target: c.refs.late[at], Holder: c.late.Holder, Tick: c.late.Tick, N: n})
	return ecs.Entity{}
}

// forgetLate removes the waiting references of a component.
func (c *Copy) forgetLate(s repl.Slot, comp int) {
	if e := &c.entities[s]; e.waits > 0 {
		e.waits -= uint16(c.late.Forget(refs.LateHolder{Slot: s, Comp: comp}))
	}
}

// awaitLate adds the found references to the waiting ones.
func (c *Copy) awaitLate() {
	for _, ref := range c.late.Found {
		if e := &c.entities[ref.Holder.Slot]; e.used && c.late.Add(ref) {
			e.waits++
		}
	}
	c.late.Found = c.late.Found[:0]
}

// arrive sets the references that waited for an entity.
func (c *Copy) arrive(s repl.Slot) {
	l, id := &c.late, c.Known[s].ID
	for i, ok := l.ByTarget.First(id); ok; i, ok = l.ByTarget.First(id) {
		ref := l.Refs[i]
		l.Drop(i)
		holder := &c.entities[ref.Holder.Slot]
		holder.waits--
		c.refer(s)
		if c.setRef(&ref, c.entities[s].entity) {
			l.Set = append(l.Set, ref.Holder)
		}
	}
}

// Renew implements receiver.Renewer. A reference to a despawned entity does not wait for the next
// entity with the same network id.
func (c *Copy) Renew(id repl.ID, since entangle.Tick) {
	i, ok := c.late.ByTarget.First(id)
	for ok {
		next, more := c.late.ByTarget.Next(i)
		c.giveUp(i, since)
		i, ok = next, more
	}
	if c.Resources != nil {
		c.Resources.Reuse(id, since)
	}
}

// RenewAll implements receiver.Renewer.
func (c *Copy) RenewAll(h repl.Handle, since entangle.Tick) {
	if c.Resources != nil {
		c.Resources.ReuseGroup(h, since)
	}
	i, ok := c.late.ByGroup.First(h)
	for ok {
		next, more := c.late.ByGroup.Next(i)
		c.giveUp(i, since)
		i, ok = next, more
	}
}

// giveUp removes a waiting reference if it is from before a tick.
func (c *Copy) giveUp(i int32, since entangle.Tick) {
	if ref := c.late.Refs[i]; ref.Tick.Before(since) {
		c.late.Drop(i)
		c.entities[ref.Holder.Slot].waits--
	}
}

// setRef writes a reference, unless the game has removed its holder or the component.
func (c *Copy) setRef(ref *refs.LateRef, to ecs.Entity) bool {
	if c.foresees(ref.Holder.Slot) {
		return c.setRefAhead(ref, to)
	}
	comp, holder := &c.comps[ref.Holder.Comp], c.entities[ref.Holder.Slot].entity
	if !c.world.Alive(holder) || !c.world.Has(holder, comp.id) {
		return false
	}
	if ref.N == source.TargetRef {
		return c.aim(holder, comp.id, to)
	}
	return comp.plan.SetRef(c.writer.Bytes(holder, comp.id), ref.N, to)
}

// raiseLate raises one event for each component in which references were set.
func (c *Copy) raiseLate() {
	l := &c.late
	slices.SortFunc(l.Set, refs.LateHolder.Compare)
	for _, h := range slices.Compact(l.Set) {
		if _, ok := c.said(h.Slot, h.Comp); ok {
			c.comps[h.Comp].events.Updated(c.entities[h.Slot].entity)
		}
	}
	l.Set = l.Set[:0]
}
