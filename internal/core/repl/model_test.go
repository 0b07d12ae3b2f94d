package repl_test

import (
	"maps"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/core/repl/receiver"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// linkComp is the component that refers to another entity, in models that have it.
const linkComp = 1

// entity is one entity in full. Component 0 always exists and identifies the entity. Components 2,
// 5, 8 and so on have no value.
type entity struct {
	mask   set.Mask
	values [20]uint32
}

// name returns the value of component 0, which no other entity has.
func (e *entity) name() uint32 { return e.values[0] }

func width(comp int) uint {
	if comp%3 == 2 {
		return 0
	}
	return 32
}

// model is a simple model of the sender's world.
type model struct {
	comps    int
	links    bool // linkComp holds a slot + 1
	entities map[repl.Slot]entity
	places   map[repl.Slot]group.Place
	paused   map[repl.Slot]bool
	frozen   map[repl.Slot]entity             // the entities as they were when they were paused
	changed  map[repl.Slot]*[20]entangle.Tick // by component: when its value or its presence changed last
	came     map[repl.Slot]entangle.Tick      // when the entity joined its group
	names    uint32
	private  map[uint32]bool // names of entities that were spawned in a private group

	deltas set.Mask // components that are sent as differences
	still  bool     // previous baselines are not used
	past   deltaPast
}

func newModel(comps int) *model {
	return &model{
		comps: comps, entities: map[repl.Slot]entity{}, places: map[repl.Slot]group.Place{},
		paused: map[repl.Slot]bool{}, frozen: map[repl.Slot]entity{}, changed: map[repl.Slot]*[20]entangle.Tick{},
		came: map[repl.Slot]entangle.Tick{}, private: map[uint32]bool{},
	}
}

func (m *model) snapshot() map[repl.Slot]entity { return maps.Clone(m.entities) }

// told returns an entity as the sender has to send it: a paused one as it was before the pause.
func (m *model) told(slot repl.Slot) entity {
	if m.paused[slot] {
		return m.frozen[slot]
	}
	return m.entities[slot]
}

// Encode implements encode.Source.
func (m *model) Encode(w *bits.Writer, slot repl.Slot, comp int, refs *repl.RefTable) {
	value := m.told(slot).values[comp]
	if m.links && comp == linkComp {
		index := uint32(0)
		if _, lives := m.entities[repl.Slot(value)-1]; lives {
			index = refs.Index(repl.Slot(value) - 1)
		}
		w.Uvarint(uint64(index))
		return
	}
	w.Bits(uint64(value), width(comp))
}

// copySink is a simple model of a receiver's world, in which Begin copies everything.
type copySink struct {
	comps    int
	links    bool
	tick     entangle.Tick
	next     repl.Slot
	entities map[repl.Slot]shown
	before   map[repl.Slot]shown
	at       repl.Slot
	fresh    set.Mask
	whole    bool

	predicts map[repl.Slot]bool
	turned   map[repl.Slot]bool // entities that the current record predicts or no longer predicts, with whether they were predicted before

	corpses   map[repl.Slot]shown // orphaned entities
	born      map[uint32]int      // how often each name was spawned
	ids       map[repl.Slot]repl.ID
	spawned   int // how many were spawned in all
	despawned int
}

type shown struct {
	entity
	tick entangle.Tick
	link receiver.Target
}

func newCopySink(comps int) *copySink {
	return &copySink{
		comps: comps, entities: map[repl.Slot]shown{}, born: map[uint32]int{},
		predicts: map[repl.Slot]bool{}, turned: map[repl.Slot]bool{}, ids: map[repl.Slot]repl.ID{},
	}
}

func (c *copySink) Begin(tick, _ entangle.Tick) {
	c.before, c.tick = maps.Clone(c.entities), tick
	clear(c.turned)
	c.at = repl.NoSlot
}

func (c *copySink) Spawn(id repl.ID) repl.Slot {
	c.next++
	c.ids[c.next] = id
	c.spawned++
	c.entities[c.next] = shown{}
	return c.next
}

// Predict implements receiver.Sink.
func (c *copySink) Predict(slot repl.Slot, on bool) {
	if _, lives := c.entities[slot]; !lives || c.at != repl.NoSlot {
		panic("nobody is predicted, or after values were read")
	}
	if c.predicts[slot] != on {
		c.turned[slot] = !on
		c.predicts[slot] = on
	}
}

func (c *copySink) Member(slot repl.Slot, whole bool) {
	c.close()
	c.at, c.whole, c.fresh = slot, whole, set.Mask{}
}

// close removes the components that a record of a whole member did not list.
func (c *copySink) close() {
	if c.at == repl.NoSlot {
		return
	}
	e := c.entities[c.at]
	e.tick = c.tick
	if c.whole {
		for comp := range c.comps {
			if !c.fresh.Has(comp) {
				e.mask.Clear(comp)
				e.values[comp] = 0
			}
		}
	}
	c.entities[c.at] = e
}

func (c *copySink) Remove(comp int) {
	e := c.entities[c.at]
	e.mask.Clear(comp)
	e.values[comp] = 0
	c.entities[c.at] = e
}

func (c *copySink) Insert(r *bits.Reader, comp int, refs receiver.Refs) error {
	e := c.entities[c.at]
	first := !e.mask.Has(comp)
	e.mask.Set(comp)
	c.fresh.Set(comp)
	if c.links && comp == linkComp {
		to, ok := refs.At(uint32(r.Uvarint()))
		if !ok {
			return receiver.ErrMalformed
		}
		e.link = to
	} else {
		e.values[comp] = uint32(r.Bits(width(comp)))
	}
	if first && comp == 0 {
		c.born[e.name()]++
	}
	c.entities[c.at] = e
	return r.Err()
}

func (c *copySink) Update(r *bits.Reader, comp int, refs receiver.Refs) error {
	e := c.entities[c.at]
	if !e.mask.Has(comp) {
		return receiver.ErrMalformed
	}
	return c.Insert(r, comp, refs)
}

func (c *copySink) Despawn(slot repl.Slot) {
	if _, there := c.entities[slot]; !there {
		panic("an entity is despawned twice")
	}
	c.despawned++
	delete(c.entities, slot)
	delete(c.predicts, slot)
}

func (c *copySink) Orphan(slot repl.Slot) {
	if c.corpses == nil {
		c.corpses = map[repl.Slot]shown{}
	}
	c.corpses[slot] = c.entities[slot]
	delete(c.entities, slot)
	delete(c.predicts, slot)
}

// kept returns all entities, including orphaned ones.
func (c *copySink) kept() map[repl.Slot]shown {
	all := maps.Clone(c.entities)
	maps.Copy(all, c.corpses)
	return all
}

// byName returns all entities by their names.
func (c *copySink) byName() map[uint32]entity {
	all := map[uint32]entity{}
	for _, is := range c.entities {
		all[is.name()] = is.entity
	}
	return all
}

func (c *copySink) Commit() { c.close() }

func (c *copySink) Discard() {
	c.entities = c.before
	maps.Copy(c.predicts, c.turned)
}

func (c *copySink) Outdate(repl.Handle, repl.Generation) {}

func (c *copySink) Most() int { return repl.MaxGroups }

func (c *copySink) AtLimit() bool { return false }

func (c *copySink) Skip(r *bits.Reader, comp int) error {
	if c.links && comp == linkComp {
		r.Uvarint()
	} else {
		r.Bits(width(comp))
	}
	return r.Err()
}
