package systems

import (
	"cmp"
	"slices"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/protocol"
)

// maxLate bounds the references of a connection that wait for their entity. What
// is beyond it stays without one until its component is sent again.
const maxLate = 4096

// late remembers which references wait for which entity. A reference waits in the
// component that holds it: a newer value, the component's removal and the
// holder's end make an end of that.
type late struct {
	refs     []lateRef
	free     []int32
	byTarget chains[repl.ID]
	byGroup  chains[repl.Handle] // of the target
	byHolder chains[lateHolder]
	dropped  uint64 // for lack of room

	holder lateHolder    // that the references at hand are found in
	tick   entangle.Tick // of their record
	swap   func(n int, e ecs.Entity) ecs.Entity
	found  []lateRef // in values of the record at hand
	set    []lateHolder
}

// lateHolder is a component of an entity.
type lateHolder struct {
	slot repl.Slot
	comp int
}

func (h lateHolder) compare(o lateHolder) int {
	return cmp.Or(cmp.Compare(h.slot, o.slot), cmp.Compare(h.comp, o.comp))
}

type lateRef struct {
	target repl.ID
	holder lateHolder
	tick   entangle.Tick // that it was so at
	n      int           // which of the component's references it is, or targetRef
}

func newLate() late {
	return late{byTarget: newChains[repl.ID](), byGroup: newChains[repl.Handle](), byHolder: newChains[lateHolder]()}
}

// add remembers a reference, if there is room.
func (l *late) add(ref lateRef) bool {
	var i int32
	switch n := len(l.free); {
	case n > 0:
		i, l.free = l.free[n-1], l.free[:n-1]
	case len(l.refs) == maxLate:
		l.dropped++
		return false
	default:
		i = int32(len(l.refs))
		l.refs = append(l.refs, lateRef{})
	}
	l.refs[i] = ref
	l.byTarget.add(ref.target, i)
	l.byGroup.add(ref.target.Group, i)
	l.byHolder.add(ref.holder, i)
	return true
}

func (l *late) drop(i int32) {
	l.byTarget.remove(l.refs[i].target, i)
	l.byGroup.remove(l.refs[i].target.Group, i)
	l.byHolder.remove(l.refs[i].holder, i)
	l.free = append(l.free, i)
}

// Len returns how many wait.
func (l *late) len() int { return len(l.refs) - len(l.free) }

// forget ends the wait of what a component holds and returns how many that were.
func (l *late) forget(h lateHolder) (n int) {
	for i, ok := l.byHolder.first(h); ok; i, ok = l.byHolder.first(h) {
		l.drop(i)
		n++
	}
	return n
}

func (l *late) forgetAll(s repl.Slot, comps *repl.Mask) {
	for comp := comps.Next(0); comp >= 0; comp = comps.Next(comp + 1) {
		l.forget(lateHolder{s, comp})
	}
}

// LateReferences returns how many references wait for an entity that has not
// come, and how many were given up for lack of room: they are no entity until
// their component is sent again.
func (c *Copy) LateReferences() (waiting int, dropped uint64) {
	return c.late.len(), c.late.dropped
}

// findLate takes the placeholders out of a value that was just decoded and notes
// where they were.
func (c *Copy) findLate(h lateHolder, value []byte) {
	l := &c.late
	if l.swap == nil {
		l.swap = c.swapLate
	}
	l.holder = h
	c.comps[h.comp].plan.MapRefs(value, l.swap)
	c.refs.late = c.refs.late[:0]
}

func (c *Copy) swapLate(n int, e ecs.Entity) ecs.Entity {
	at, ok := protocol.IsPlaceholder(e)
	if !ok || int(at) >= len(c.refs.late) {
		return e
	}
	c.late.found = append(c.late.found, lateRef{target: c.refs.late[at], holder: c.late.holder, tick: c.late.tick, n: n})
	return ecs.Entity{}
}

// forgetLate ends the wait of what a component held.
func (c *Copy) forgetLate(s repl.Slot, comp int) {
	if e := &c.entities[s]; e.waits > 0 {
		e.waits -= uint16(c.late.forget(lateHolder{s, comp}))
	}
}

// awaitLate makes what was found wait.
func (c *Copy) awaitLate() {
	for _, ref := range c.late.found {
		if e := &c.entities[ref.holder.slot]; e.used && c.late.add(ref) {
			e.waits++
		}
	}
	c.late.found = c.late.found[:0]
}

// arrive sets the references that waited for an entity.
func (c *Copy) arrive(s repl.Slot) {
	l, id := &c.late, c.known[s].id
	for i, ok := l.byTarget.first(id); ok; i, ok = l.byTarget.first(id) {
		ref := l.refs[i]
		l.drop(i)
		holder := &c.entities[ref.holder.slot]
		holder.waits--
		c.refer(s)
		if c.setRef(&ref, c.entities[s].entity) {
			l.set = append(l.set, ref.holder)
		}
	}
}

// Renew implements receiver.Renewer: a reference to who is gone does not wait for who has
// its name next.
func (c *Copy) Renew(id repl.ID, since entangle.Tick) {
	i, ok := c.late.byTarget.first(id)
	for ok {
		next, more := c.late.byTarget.next(i)
		c.giveUp(i, since)
		i, ok = next, more
	}
	if c.resources != nil {
		c.resources.reuse(id, since)
	}
}

// RenewAll implements receiver.Renewer.
func (c *Copy) RenewAll(h repl.Handle, since entangle.Tick) {
	if c.resources != nil {
		c.resources.reuseGroup(h, since)
	}
	i, ok := c.late.byGroup.first(h)
	for ok {
		next, more := c.late.byGroup.next(i)
		c.giveUp(i, since)
		i, ok = next, more
	}
}

// giveUp ends a wait that began before a tick.
func (c *Copy) giveUp(i int32, since entangle.Tick) {
	if ref := c.late.refs[i]; ref.tick.Before(since) {
		c.late.drop(i)
		c.entities[ref.holder.slot].waits--
	}
}

// setRef writes a reference, unless the game has removed what held it.
func (c *Copy) setRef(ref *lateRef, to ecs.Entity) bool {
	if c.foresees(ref.holder.slot) {
		return c.setRefAhead(ref, to)
	}
	comp, holder := &c.comps[ref.holder.comp], c.entities[ref.holder.slot].entity
	if !c.world.Alive(holder) || !c.world.Has(holder, comp.id) {
		return false
	}
	if ref.n == targetRef {
		return c.aim(holder, comp.id, to)
	}
	return comp.plan.SetRef(c.writer.Bytes(holder, comp.id), ref.n, to)
}

// raiseLate raises one event for each component in which references were set.
func (c *Copy) raiseLate() {
	l := &c.late
	slices.SortFunc(l.set, lateHolder.compare)
	for _, h := range slices.Compact(l.set) {
		if _, ok := c.said(h.slot, h.comp); ok {
			c.comps[h.comp].events.Updated(c.entities[h.slot].entity)
		}
	}
	l.set = l.set[:0]
}
