package source

import (
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/entangle-ecs/entangle/internal/world/refs"
	"github.com/mlange-42/arche/ecs"
)

// MaxPendingRefs is the maximum number of stored references to entities that are not replicated
// yet. A reference beyond it stays empty on the peers until its component changes.
const MaxPendingRefs = 4096

// pendingRefs stores which components refer to living entities that are not replicated. Such a
// component is sent with an empty reference, and again once the entity is replicated. A reference
// is removed when the component changes or either entity ends.
type pendingRefs struct {
	list     []pendingRef
	free     []int32
	byTarget refs.Chains[ecs.Entity]
	byHolder refs.Chains[refs.LateHolder]
	dropped  uint64 // for lack of room
	swept    int    // index of the last reference that sweepDead checked
}

type pendingRef struct {
	target ecs.Entity // zero: the place is free
	holder refs.LateHolder
}

func newPendingRefs() pendingRefs {
	return pendingRefs{byTarget: refs.NewChains[ecs.Entity](), byHolder: refs.NewChains[refs.LateHolder]()}
}

func (p *pendingRefs) len() int { return len(p.list) - len(p.free) }

// addPending stores a reference, if there is room.
func (p *pendingRefs) addPending(target ecs.Entity, holder refs.LateHolder) {
	var i int32
	switch n := len(p.free); {
	case n > 0:
		i, p.free = p.free[n-1], p.free[:n-1]
	case len(p.list) == MaxPendingRefs:
		p.dropped++
		return
	default:
		i = int32(len(p.list))
		p.list = append(p.list, pendingRef{})
	}
	p.list[i] = pendingRef{target, holder}
	p.byTarget.Add(target, i)
	p.byHolder.Add(holder, i)
}

func (p *pendingRefs) dropPending(i int32) {
	p.byTarget.Remove(p.list[i].target, i)
	p.byHolder.Remove(p.list[i].holder, i)
	p.list[i] = pendingRef{}
	p.free = append(p.free, i)
}

// takePending removes and returns a component that refers to an entity.
func (p *pendingRefs) takePending(target ecs.Entity) (holder refs.LateHolder, ok bool) {
	i, ok := p.byTarget.First(target)
	if !ok {
		return refs.LateHolder{}, false
	}
	holder = p.list[i].holder
	p.dropPending(i)
	return holder, true
}

// forgetHolder removes the references of a component.
func (p *pendingRefs) forgetHolder(h refs.LateHolder) {
	for i, ok := p.byHolder.First(h); ok; i, ok = p.byHolder.First(h) {
		p.dropPending(i)
	}
}

// SweptPerTick is the number of references or overrides that a tick checks.
const SweptPerTick = 64

// sweepDead removes references to entities that died before they were replicated, some in each tick.
func (p *pendingRefs) sweepDead(w *ecs.World) {
	for range min(SweptPerTick, len(p.list)) {
		p.swept = (p.swept + 1) % len(p.list)
		if e := p.list[p.swept].target; !e.IsZero() && !w.Alive(e) {
			p.dropPending(int32(p.swept))
		}
	}
}

// PendingReferences returns how many references wait for their living entity to be replicated, and
// how many were dropped for lack of room.
func (c *Collector) PendingReferences() (waiting int, dropped uint64) {
	return c.refs.pending.len(), c.refs.pending.dropped
}

// forgetRefs removes the references of components of an entity.
func (c *Collector) forgetRefs(s columns.Slot, comps *set.Mask) {
	for comp := c.Sent.withRefs.Next(0); comp >= 0 && c.refs.pending.len() > 0; comp = c.Sent.withRefs.Next(comp + 1) {
		if comps.Has(comp) {
			c.refs.pending.forgetHolder(refs.LateHolder{Slot: repl.Slot(s), Comp: comp})
		}
	}
}

// forgetOverwritten removes the references of a component in c.slots.
func (c *Collector) forgetOverwritten(comp int) {
	if c.refs.pending.len() == 0 || !c.Sent.withRefs.Has(comp) {
		return
	}
	for _, s := range c.slots {
		c.refs.pending.forgetHolder(refs.LateHolder{Slot: s, Comp: comp})
	}
}

// resendPending resends the components that refer to a newly replicated entity.
func (c *Collector) resendPending(e ecs.Entity) {
	for h, ok := c.refs.pending.takePending(e); ok; h, ok = c.refs.pending.takePending(e) {
		c.slots = append(c.slots[:0], h.Slot)
		c.World.Change(h.Comp, c.slots)
	}
}

// refWriter turns the entities in a component into indexes of a table. An entity that is not
// replicated is written as none, and its reference is stored if it is alive.
type refWriter struct {
	world   *ecs.World
	table   *columns.Table
	pending pendingRefs
	indexes *repl.RefTable
	holder  refs.LateHolder
}

// beginComponent starts a component and removes the references stored for its previous value.
func (r *refWriter) beginComponent(h refs.LateHolder) {
	r.holder = h
	if r.pending.len() > 0 {
		r.pending.forgetHolder(h)
	}
}

// Index implements wire.RefWriter.
func (r *refWriter) Index(e ecs.Entity) uint32 {
	s, ok := r.table.SlotOf(e)
	if ok {
		return r.indexes.Index(repl.Slot(s))
	}
	if !e.IsZero() && r.world.Alive(e) {
		r.pending.addPending(e, r.holder)
	}
	return 0
}
