package sink

import (
	"bytes"
	"errors"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/receiver"
	"github.com/entangle-ecs/entangle/internal/world/refs"
	"github.com/entangle-ecs/entangle/protocol/bits"
	"github.com/mlange-42/arche/ecs"
)

// stage holds the decoded data of one group that is not in the world yet.
type stage struct {
	tick    entangle.Tick
	members []stagedMember
	values  []stagedValue
	spawned []repl.Slot
	gone    []repl.Slot
	letGo   []repl.Slot
	buf     []byte

	// The arguments of the fill function and the ids of one change of structure. They are kept here
	// so that nothing is allocated per entity.
	filling     []stagedValue
	signs       bool // the entity has just got components.Remote
	add, remove []ecs.ID
	fill        func(ecs.Entity)
}

type stagedMember struct {
	slot    repl.Slot
	fresh   bool // it appears with this group
	whole   bool // the record states all of its components
	first   int  // index of its first value
	mask    repl.Mask
	removed repl.Mask
}

type stagedValue struct {
	comp  int
	at    int  // in buf
	there bool // the component is in the world
	same  bool // with equal bytes

	target ecs.Entity // of a relation
}

// errNotThere means that a peer updates a component that it did not insert.
var errNotThere = errors.New("sink: update of a component that the entity does not have")

// Begin implements receiver.Sink.
func (c *Copy) Begin(tick entangle.Tick) {
	s := &c.stage
	s.tick = tick
	s.members, s.values, s.buf = s.members[:0], s.values[:0], s.buf[:0]
	s.spawned, s.gone, s.letGo = s.spawned[:0], s.gone[:0], s.letGo[:0]
	c.late.Found, c.late.Tick = c.late.Found[:0], tick
	c.ahead.said = c.ahead.said[:0]
}

// Spawn implements receiver.Sink. The entity exists at once, without any component, so that
// references to it can be resolved.
func (c *Copy) Spawn(id repl.ID) repl.Slot {
	s := c.place(id)
	c.stage.spawned = append(c.stage.spawned, s)
	return s
}

// Member implements receiver.Sink. A member that is stated whole keeps its entity. A component that
// already has equal bytes in the world raises no event.
func (c *Copy) Member(slot repl.Slot, whole bool) {
	m := stagedMember{slot: slot, fresh: c.entities[slot].fresh, whole: whole, first: len(c.stage.values), mask: c.Known[slot].mask}
	if whole {
		m.removed, m.mask = m.mask, repl.Mask{}
	}
	c.stage.members = append(c.stage.members, m)
}

func (s *stage) member() *stagedMember { return &s.members[len(s.members)-1] }

// Remove implements receiver.Sink.
func (c *Copy) Remove(comp int) {
	m := c.stage.member()
	m.mask.Clear(comp)
	m.removed.Set(comp)
}

// Insert implements receiver.Sink.
func (c *Copy) Insert(r *bits.Reader, comp int, refs receiver.Refs) error {
	m := c.stage.member()
	m.mask.Set(comp)
	m.removed.Clear(comp)
	if err := c.relates(m, comp); err != nil {
		return err
	}
	return c.decode(r, comp, refs)
}

// errNoValue means that a peer updates an input, of which no value is sent.
var errNoValue = errors.New("sink: update of an input, which has no replicated value")

// Update implements receiver.Sink.
func (c *Copy) Update(r *bits.Reader, comp int, refs receiver.Refs) error {
	if !c.stage.member().mask.Has(comp) {
		return errNotThere
	}
	if c.comps[comp].input {
		return errNoValue
	}
	return c.decode(r, comp, refs)
}

func (c *Copy) decode(r *bits.Reader, comp int, table receiver.Refs) error {
	plan := c.comps[comp].plan
	at := c.stage.reserve(plan.Size())
	c.stage.values = append(c.stage.values, stagedValue{comp: comp, at: at})
	h := refs.LateHolder{Slot: c.stage.member().slot, Comp: comp}
	if err := c.decodeInto(c.stage.buf[at:at+plan.Size()], r, h, table); err != nil || !c.comps[comp].relation {
		return err
	}
	c.stage.values[len(c.stage.values)-1].target = c.decodeTarget(r, h)
	return r.Err()
}

// decodeInto reads a value and records the references in it that have to wait.
func (c *Copy) decodeInto(value []byte, r *bits.Reader, h refs.LateHolder, refs receiver.Refs) error {
	if c.differs(h.Comp) {
		return c.decodeFrom(value, r, h.Slot, h.Comp)
	}
	c.refs.refs = refs
	err := c.comps[h.Comp].plan.Decode(r, value, &c.refs)
	if len(c.refs.late) > 0 {
		c.findLate(h, value)
	}
	return err
}

// reserve appends size zero bytes to buf, aligned for any number, and returns their offset.
func (s *stage) reserve(size int) int {
	at := (len(s.buf) + 7) &^ 7
	s.buf = append(s.buf, make([]byte, at+size-len(s.buf))...)
	return at
}

// Despawn implements receiver.Sink.
func (c *Copy) Despawn(slot repl.Slot) { c.stage.gone = append(c.stage.gone, slot) }

// LetGo implements receiver.Sink.
func (c *Copy) LetGo(slot repl.Slot) { c.stage.letGo = append(c.stage.letGo, slot) }

// Discard implements receiver.Sink.
func (c *Copy) Discard() {
	c.late.Found = c.late.Found[:0]
	for _, s := range c.stage.spawned {
		c.unmake(s)
	}
}

// unmake removes an entity that was never committed.
func (c *Copy) unmake(s repl.Slot) {
	if e := c.forget(s); c.world.Alive(e) {
		c.writer.Remove(e)
	}
}

// Commit implements receiver.Sink. It applies the structure of all members first, then references
// between them and to them, then raises events. If the shape limit refuses an entity, nothing more
// is written and no more events are raised; see Overgrown.
func (c *Copy) Commit() {
	if c.shapes.over {
		return
	}
	for _, s := range c.stage.gone {
		c.lose(s)
		if c.foresees(s) {
			c.depart(s)
		} else {
			c.Forget(s)
		}
	}
	c.releaseTargets()
	for _, s := range c.stage.letGo {
		c.release(s)
	}
	c.promise()
	for i := range c.stage.members {
		c.commit(&c.stage.members[i], c.valuesOf(i))
	}
	if c.shapes.over {
		return
	}
	c.awaitLate()
	for _, s := range c.stage.spawned {
		c.arrive(s)
	}
	for i := range c.stage.members {
		c.raise(&c.stage.members[i], c.valuesOf(i))
	}
	c.turn()
	c.awaitReturns()
	c.raiseLate()
}

func (c *Copy) valuesOf(i int) []stagedValue {
	end := len(c.stage.values)
	if i+1 < len(c.stage.members) {
		end = c.stage.members[i+1].first
	}
	return c.stage.values[c.stage.members[i].first:end]
}

// commit writes one member. Where the game has changed the structure of the entity, the state of
// the server wins. If the game has removed the entity, nothing is written.
func (c *Copy) commit(m *stagedMember, values []stagedValue) {
	e := &c.entities[m.slot]
	e.tick = c.stage.tick
	if e.waits > 0 {
		c.overwrite(m, values)
	}
	for _, v := range values {
		fresh := m.whole || !c.Known[m.slot].mask.Has(v.comp)
		c.learn(m.slot, v.comp, c.stage.buf[v.at:v.at+c.comps[v.comp].plan.Size()], fresh)
	}
	switch k := &c.Known[m.slot]; {
	case !c.world.Alive(e.entity):
	case k.slot != 0 || k.promised:
		c.commitAhead(m, values)
	default:
		c.write(e.entity, m, values)
	}
}

// overwrite removes the waiting references of components that are written or removed now.
func (c *Copy) overwrite(m *stagedMember, values []stagedValue) {
	for _, v := range values {
		c.forgetLate(m.slot, v.comp)
	}
	for comp := m.removed.Next(0); comp >= 0; comp = m.removed.Next(comp + 1) {
		c.forgetLate(m.slot, comp)
	}
}

func (c *Copy) write(e ecs.Entity, m *stagedMember, values []stagedValue) {
	s := &c.stage
	s.add, s.remove = s.add[:0], s.remove[:0]
	if s.signs = m.fresh; m.fresh {
		s.add = append(s.add, c.remote)
	}
	c.tags(e, m, values)
	c.change(e, m, values)
	s.signs = false
}

// change applies the components and values of a member to an entity, together with the ids that are
// in add and remove already.
func (c *Copy) change(e ecs.Entity, m *stagedMember, values []stagedValue) {
	s := &c.stage
	s.filling = values
	for i := range values {
		v := &values[i]
		if v.there = c.world.Has(e, c.comps[v.comp].id); !v.there {
			s.add = append(s.add, c.comps[v.comp].id)
		}
	}
	for comp := m.removed.Next(0); comp >= 0; comp = m.removed.Next(comp + 1) {
		if id := c.comps[comp].id; c.world.Has(e, id) {
			s.remove = append(s.remove, id)
		}
	}
	for i := range values {
		if v := &values[i]; !v.there && c.comps[v.comp].relation {
			c.giveWay(e, v.comp)
		}
	}
	if len(s.add)+len(s.remove) == 0 {
		c.fill(e)
	} else if c.fits(c.becomes(e)) {
		c.writer.Exchange(e, s.add, s.remove, s.fill)
	}
}

// fill writes the values of the current member into the world, and at the end the target of its
// relation, because setting a target moves the entity in memory. The value of an input is not sent:
// it keeps its value, which is zero if the input was just added.
func (c *Copy) fill(e ecs.Entity) {
	if c.stage.signs {
		c.writer.Sign(e, c.remote)
	}
	for i := range c.stage.filling {
		v := &c.stage.filling[i]
		value := c.writer.Bytes(e, c.comps[v.comp].id)[:c.comps[v.comp].plan.Size()]
		staged := c.stage.buf[v.at : v.at+len(value)]
		v.same = v.there && bytes.Equal(value, staged)
		copy(value, staged)
	}
	for i := range c.stage.filling {
		if v := &c.stage.filling[i]; c.comps[v.comp].relation && c.aim(e, c.comps[v.comp].id, v.target) {
			v.same = false
		}
	}
}

func (c *Copy) raise(m *stagedMember, values []stagedValue) {
	e, had := &c.entities[m.slot], c.Known[m.slot].mask
	c.Known[m.slot].mask = m.mask
	e.fresh, e.holds = false, 0
	if !c.world.Alive(e.entity) {
		return // the game has removed it
	}
	if m.fresh {
		c.onSpawned(e.entity)
	}
	for comp := m.removed.Next(0); comp >= 0; comp = m.removed.Next(comp + 1) {
		if had.Has(comp) {
			c.comps[comp].events.Removed(e.entity)
		}
	}
	for _, v := range values {
		switch {
		case !had.Has(v.comp):
			c.comps[v.comp].events.Inserted(e.entity)
		case c.comps[v.comp].input: // no value was written
		case !m.whole || !v.same:
			c.comps[v.comp].events.Updated(e.entity)
		}
	}
}
