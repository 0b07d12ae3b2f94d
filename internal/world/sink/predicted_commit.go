package sink

import (
	"bytes"

	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/rollback"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/world/refs"
	"github.com/entangle-ecs/entangle/internal/world/source"
	"github.com/mlange-42/arche/ecs"
)

// promise marks the entities that the current record spawns and that are predicted from the start.
func (c *Copy) promise() {
	for _, f := range c.ahead.said {
		if e := &c.entities[f.slot]; f.on && e.used && e.fresh && c.ahead.by != nil {
			c.Known[f.slot].promised = true
		}
	}
}

// commitAhead writes one predicted member: its confirmed state goes to the store, and the
// components that the prediction does not restore go into the world. When the entity appears, all
// components go into the world.
func (c *Copy) commitAhead(m *stagedMember, values []stagedValue) {
	k, e, s := &c.Known[m.slot], c.entities[m.slot].entity, &c.stage
	s.add, s.remove = s.add[:0], s.remove[:0]
	if m.fresh {
		s.add = append(s.add, c.ahead.marks...)
	}
	c.tags(e, m, values)
	shown := c.show(m, values)
	c.change(e, &shown, c.ahead.shown)
	if c.shapes.over {
		return
	}
	if m.fresh {
		c.track(m.slot)
	}
	c.writeTwin(k.twin, m, values)
	c.confirm(m, values)
}

// track begins to keep the confirmed state of an entity that has the marks.
func (c *Copy) track(s repl.Slot) {
	k, e := &c.Known[s], &c.entities[s]
	k.slot, k.promised, e.holds = c.ahead.by.Track(e.entity), false, 0
	*c.ahead.store.Confirmed(k.slot) = rollback.Confirmed{Known: true}
	c.ahead.count++
	c.spawnTwin(s)
}

// show gathers the changes of a member that go into the world at once. There are none if the game
// has despawned the entity ahead of the server. It also reports components of mode Once to the
// prediction, which belong to the game from then on.
func (c *Copy) show(m *stagedMember, values []stagedValue) (shown stagedMember) {
	a, at := &c.ahead, c.Known[m.slot].slot
	a.shown = a.shown[:0]
	stripped := at != 0 && a.by.IsDisabled(at)
	for comp := m.removed.Next(0); comp >= 0; comp = m.removed.Next(comp + 1) {
		if at != 0 && c.remembersOnce(comp) {
			a.by.RemoveOnce(at, comp)
		}
		if c.follows(comp) && !stripped {
			shown.removed.Set(comp)
		}
	}
	for _, v := range values {
		if !c.shows(at, v.comp) {
			continue
		}
		if at != 0 && c.remembersOnce(v.comp) {
			a.by.InsertOnce(at, v.comp, c.stage.buf[v.at:v.at+c.comps[v.comp].plan.Size()], v.target)
		}
		if !stripped {
			a.shown = append(a.shown, v)
		}
	}
	return shown
}

// remembersOnce reports whether a component of predicted entities has a history but is not compared
// with the confirmed state.
func (c *Copy) remembersOnce(comp int) bool {
	return c.comps[comp].mode == registry.Once && !c.comps[comp].input
}

// shows reports whether a value goes into the world at once. The slot is 0 for an entity that
// appears.
func (c *Copy) shows(at rollback.Slot, comp int) bool {
	switch c.comps[comp].mode {
	case registry.Simple:
		return true
	case registry.Once:
		return at == 0 || !c.ahead.store.Confirmed(at).Mask.Has(comp)
	case registry.Full:
		return at == 0
	}
	return false
}

// confirm writes the confirmed state of a member to the store.
func (c *Copy) confirm(m *stagedMember, values []stagedValue) {
	k := &c.Known[m.slot]
	word := c.ahead.store.Confirmed(k.slot)
	for comp := m.removed.Next(0); comp >= 0; comp = m.removed.Next(comp + 1) {
		if c.comps[comp].relation && word.Mask.Has(comp) {
			word.Target = 0
		}
		word.Mask.Clear(comp)
	}
	for i := range values {
		c.confirmOne(c.entities[m.slot].entity, k.slot, word, &values[i])
	}
	word.Tick = c.stage.tick
	if c.fitsAhead(m.slot) {
		c.ahead.by.Confirmed(k.slot)
	}
}

func (c *Copy) confirmOne(e ecs.Entity, at rollback.Slot, word *rollback.Confirmed, v *stagedValue) {
	value := c.ahead.store.ConfirmedValue(at, v.comp)
	staged := c.stage.buf[v.at : v.at+c.comps[v.comp].plan.Size()]
	v.there = word.Mask.Has(v.comp)
	v.same = v.there && bytes.Equal(value[:len(staged)], staged)
	copy(value, staged)
	word.Mask.Set(v.comp)
	if c.comps[v.comp].relation {
		target := columns.PackEntity(c.aimed(e, v.target))
		v.same = v.same && word.Target == target
		word.Target = target
	}
}

// setRefAhead sets a reference that waited in the confirmed state of a predicted entity.
func (c *Copy) setRefAhead(ref *refs.LateRef, to ecs.Entity) bool {
	at := c.Known[ref.Holder.Slot].slot
	if !c.ahead.store.Confirmed(at).Mask.Has(ref.Holder.Comp) {
		return false
	}
	set := false
	if ref.N == source.TargetRef {
		set = c.setTargetRef(ref, to)
	} else {
		set = c.setValueRef(ref, to)
	}
	if set {
		c.ahead.by.Confirmed(at)
	}
	return set
}

// setTargetRef sets the target of a relation. It also sets it in the world if the component follows
// the server and the game has not changed the target.
func (c *Copy) setTargetRef(ref *refs.LateRef, to ecs.Entity) bool {
	k, comp, e := &c.Known[ref.Holder.Slot], &c.comps[ref.Holder.Comp], c.entities[ref.Holder.Slot].entity
	word := c.ahead.store.Confirmed(k.slot)
	was, to := columns.UnpackEntity(word.Target), c.aimed(e, to)
	if c.follows(comp.number) && c.world.Has(e, comp.id) && c.world.Relations().Get(e, comp.id) == was {
		c.aim(e, comp.id, to)
	}
	word.Target = columns.PackEntity(to)
	c.aimTwin(ref.Holder.Slot, comp, to)
	return was != to && c.fitsAhead(ref.Holder.Slot)
}

// setValueRef is setTargetRef for a reference in a value.
func (c *Copy) setValueRef(ref *refs.LateRef, to ecs.Entity) bool {
	k, comp, e := &c.Known[ref.Holder.Slot], &c.comps[ref.Holder.Comp], c.entities[ref.Holder.Slot].entity
	value := c.ahead.store.ConfirmedValue(k.slot, comp.number)
	follows := c.follows(comp.number) && c.world.Has(e, comp.id) && bytes.Equal(value, c.writer.Bytes(e, comp.id))
	if !comp.plan.SetRef(value, ref.N, to) {
		return false
	}
	if follows {
		copy(c.writer.Bytes(e, comp.id), value)
		if c.remembersOnce(comp.number) {
			c.ahead.by.InsertOnce(k.slot, comp.number, value, c.saidTarget(ref.Holder.Slot, comp.number))
		}
	}
	c.renewTwin(ref.Holder.Slot, comp)
	return true
}

// follows reports whether a component of predicted entities is added to and removed from the world
// as the server does.
func (c *Copy) follows(comp int) bool {
	mode := c.comps[comp].mode
	return mode == registry.Simple || mode == registry.Once
}
