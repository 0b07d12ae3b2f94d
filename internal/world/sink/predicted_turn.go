package sink

import (
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/rollback"
	"github.com/mlange-42/arche/ecs"
)

// Predict sets whether an entity is predicted from the current record on. A receiver calls it
// between Begin and Commit.
func (c *Copy) Predict(slot repl.Slot, on bool) {
	if c.ahead.by != nil {
		c.ahead.said = append(c.ahead.said, foretold{slot, on})
	}
}

// turn starts or ends the prediction of existing entities, as the current record says. It skips
// entities that the game has removed.
func (c *Copy) turn() {
	for _, f := range c.ahead.said {
		e := &c.entities[f.slot]
		if !e.used || e.fresh || !c.world.Alive(e.entity) {
			continue
		}
		switch was := c.Known[f.slot].slot != 0; {
		case f.on && !was:
			c.promote(f.slot)
		case !f.on && was:
			c.demote(f.slot)
		}
	}
}

// promote makes an existing entity predicted. The entity stays in the world as it is, which is its
// confirmed state as of the current record.
func (c *Copy) promote(s repl.Slot) {
	e, st := c.entities[s].entity, &c.stage
	st.add, st.remove = st.add[:0], st.remove[:0]
	for _, id := range c.ahead.marks {
		if !c.world.Has(e, id) {
			st.add = append(st.add, id)
		}
	}
	if c.world.Has(e, c.remote) {
		st.remove = append(st.remove, c.remote)
	}
	c.writer.Exchange(e, st.add, st.remove, nil)
	c.track(s)
	at := c.Known[s].slot
	word := c.ahead.store.Confirmed(at)
	for comp := c.Known[s].mask.Next(0); comp >= 0; comp = c.Known[s].mask.Next(comp + 1) {
		if id := c.comps[comp].id; c.world.Has(e, id) {
			word.Mask.Set(comp)
			copy(c.ahead.store.ConfirmedValue(at, comp), c.writer.Bytes(e, id))
			if c.comps[comp].relation {
				word.Target = columns.PackEntity(c.world.Relations().Get(e, id))
			}
		}
	}
	word.Tick = st.tick
	c.writeTwin(c.Known[s].twin, &stagedMember{}, c.stageWord(s, word))
	c.ahead.by.Confirmed(at)
}

// demote ends the prediction of an entity and writes its confirmed state to the world.
func (c *Copy) demote(s repl.Slot) {
	k, e, st := &c.Known[s], c.entities[s].entity, &c.stage
	at := k.slot
	word := c.ahead.store.Confirmed(at)
	m := stagedMember{slot: s}
	for comp := range c.comps {
		if !word.Mask.Has(comp) {
			m.removed.Set(comp)
		}
	}
	st.add, st.remove = st.add[:0], st.remove[:0]
	for _, id := range c.ahead.marks {
		if c.world.Has(e, id) {
			st.remove = append(st.remove, id)
		}
	}
	if !c.world.Has(e, c.remote) {
		st.add = append(st.add, c.remote)
	}
	st.signs = true
	c.change(e, &m, c.stageWord(s, word))
	st.signs = false
	c.letAhead(s)
	c.ahead.by.Untrack(e, at)
}

// stageWord stages the confirmed state of an entity. Of an input, only its presence is staged.
func (c *Copy) stageWord(s repl.Slot, word *rollback.Confirmed) []stagedValue {
	a, st := &c.ahead, &c.stage
	a.shown = a.shown[:0]
	for comp := word.Mask.Next(0); comp >= 0; comp = word.Mask.Next(comp + 1) {
		size := c.comps[comp].plan.Size()
		v := stagedValue{comp: comp, at: st.reserve(size)}
		copy(st.buf[v.at:v.at+size], a.store.ConfirmedValue(c.Known[s].slot, comp))
		if c.comps[comp].relation {
			v.target = columns.UnpackEntity(word.Target)
		}
		a.shown = append(a.shown, v)
	}
	return a.shown
}

// letAhead releases the state that the copy keeps for a predicted entity.
func (c *Copy) letAhead(s repl.Slot) {
	k := &c.Known[s]
	if k.slot == 0 {
		return
	}
	k.slot = 0
	c.ahead.count--
	c.removeTwin(s)
}

// depart hands an entity that the server despawned to the prediction, the present tick of which may
// be before or after that of the despawn.
func (c *Copy) depart(s repl.Slot) {
	a, at := &c.ahead, c.Known[s].slot
	word := a.store.Confirmed(at)
	word.Gone, word.Tick = true, c.stage.tick
	e := c.forget(s)
	a.gone[e] = at
	a.by.Confirmed(at)
	a.by.Gone(e, at, c.stage.tick)
}

// Bury removes an entity that the server despawned while it was predicted from the world, unless
// the game did that already.
func (c *Copy) Bury(e ecs.Entity) {
	if at, ok := c.ahead.gone[e]; ok {
		if c.world.Alive(e) { // otherwise its slot may belong to another entity
			c.mourn(e, at)
		}
		delete(c.ahead.gone, e)
	}
	c.vanish(e)
}

// clearAhead ends all prediction when the connection ends.
func (c *Copy) clearAhead() {
	if c.ahead.by == nil {
		return
	}
	c.ahead.by.Clear()
	clear(c.ahead.gone)
}
