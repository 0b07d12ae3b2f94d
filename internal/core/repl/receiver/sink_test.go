package receiver_test

import (
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/receiver"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// copySink is a simple model of a replicated world. It checks that its caller keeps the rules of
// receiver.Sink.
type copySink struct {
	t             testing.TB
	next          repl.Slot
	open          bool
	tick, since   entangle.Tick
	entities      map[repl.Slot]shown
	before        map[repl.Slot]*shown // entities that the current record has changed, as they were before; nil: spawned
	byID          map[repl.ID]repl.Slot
	at            repl.Slot
	whole         bool
	fresh         set.Mask
	stated        map[repl.Slot]bool // entities that the current record states
	predicted     map[repl.Slot]bool
	turned        []repl.Slot // entities with a prediction that the current record changes
	late          map[repl.ID][]repl.Slot
	onDespawn     func(repl.ID)
	orphaned      []repl.ID
	spawns        int
	orphansBefore int
	wantsNothing  bool // no entity may be spawned or despawned
}

// shown is one entity.
type shown struct {
	id    repl.ID
	mask  set.Mask
	value uint32
	ref   repl.Slot
	tick  entangle.Tick
	since entangle.Tick // the tick before it; see receiver.Sink.Begin
}

var errValue = errors.New("no such value")

func newCopySink(t testing.TB) *copySink {
	return &copySink{
		t: t, entities: map[repl.Slot]shown{}, byID: map[repl.ID]repl.Slot{},
		before: map[repl.Slot]*shown{}, stated: map[repl.Slot]bool{}, predicted: map[repl.Slot]bool{}, late: map[repl.ID][]repl.Slot{},
	}
}

func (c *copySink) set(slot repl.Slot, e shown) {
	c.keep(slot)
	c.entities[slot], c.byID[e.id] = e, slot
}

func (c *copySink) drop(slot repl.Slot) {
	c.keep(slot)
	delete(c.byID, c.entities[slot].id)
	delete(c.entities, slot)
}

// keep stores the state that a record is about to change.
func (c *copySink) keep(slot repl.Slot) {
	if _, ok := c.before[slot]; ok {
		return
	}
	if e, ok := c.entities[slot]; ok {
		c.before[slot] = &e
	}
}

func (c *copySink) has(slot repl.Slot) {
	_, ok := c.entities[slot]
	require.True(c.t, ok)
}

func (c *copySink) Begin(tick, before entangle.Tick) {
	require.False(c.t, c.open, "a record within a record")
	c.open, c.tick, c.since, c.at = true, tick, before, repl.NoSlot
	clear(c.before)
	clear(c.stated)
	c.turned = c.turned[:0]
	c.orphansBefore = len(c.orphaned)
}

func (c *copySink) Spawn(id repl.ID) repl.Slot {
	require.True(c.t, c.open)
	require.False(c.t, c.wantsNothing)
	require.Empty(c.t, c.stated, "all entities of a record come before its values")
	require.Less(c.t, id.Group, 2*repl.Private)
	require.Less(c.t, int(id.Member), repl.MaxMembers)
	_, twice := c.byID[id]
	require.False(c.t, twice, "an id is of one entity")
	c.next++
	c.spawns++
	c.before[c.next] = nil
	c.set(c.next, shown{id: id, ref: repl.NoSlot})
	for _, s := range c.late[id] {
		if e, ok := c.entities[s]; ok && e.ref == repl.NoSlot {
			e.ref = c.next
			c.set(s, e)
		}
	}
	delete(c.late, id)
	return c.next
}

// Predict implements receiver.Sink.
func (c *copySink) Predict(slot repl.Slot, on bool) {
	require.True(c.t, c.open)
	c.has(slot)
	require.Empty(c.t, c.stated, "the predicted set arrives before any value")
	if c.predicted[slot] != on {
		c.predicted[slot] = on
		c.turned = append(c.turned, slot)
	}
}

func (c *copySink) Member(slot repl.Slot, whole bool) {
	require.True(c.t, c.open)
	c.has(slot)
	require.False(c.t, c.stated[slot], "a member twice in a record")
	c.close()
	c.at, c.whole, c.fresh = slot, whole, set.Mask{}
	c.stated[slot] = true
}

// close removes the components that a record of a whole member did not list.
func (c *copySink) close() {
	if c.at == repl.NoSlot {
		return
	}
	e := c.entities[c.at]
	e.tick, e.since = c.tick, c.since
	if c.whole {
		e.mask = c.fresh
	}
	c.set(c.at, e)
}

func (c *copySink) Remove(comp int) {
	require.True(c.t, c.open)
	require.Less(c.t, comp, comps)
	e := c.entities[c.at]
	e.mask.Clear(comp)
	c.set(c.at, e)
}

func (c *copySink) Insert(r *bits.Reader, comp int, refs receiver.Refs) error {
	require.True(c.t, c.open)
	e := c.entities[c.at]
	e.mask.Set(comp)
	c.fresh.Set(comp)
	switch comp {
	case 0:
		e.value = uint32(r.Bits(32))
		if e.value == 0xffffffff {
			return errValue
		}
	case 1:
		to, ok := refs.At(uint32(r.Uvarint()))
		if !ok {
			return errValue
		}
		if to.Slot != repl.NoSlot {
			c.has(to.Slot)
		}
		if e.ref = to.Slot; to.Late {
			require.Equal(c.t, repl.NoSlot, to.Slot)
			c.late[to.ID] = append(c.late[to.ID], c.at)
		}
	}
	c.set(c.at, e)
	return r.Err()
}

func (c *copySink) Update(r *bits.Reader, comp int, refs receiver.Refs) error {
	if e := c.entities[c.at]; !e.mask.Has(comp) {
		return errValue
	}
	return c.Insert(r, comp, refs)
}

func (c *copySink) Despawn(slot repl.Slot) {
	require.True(c.t, c.open)
	require.False(c.t, c.wantsNothing)
	c.has(slot)
	require.False(c.t, c.stated[slot], "nothing is stated of what goes")
	if c.onDespawn != nil {
		c.onDespawn(c.entities[slot].id)
	}
	c.drop(slot)
	delete(c.predicted, slot)
}

func (c *copySink) Orphan(slot repl.Slot) {
	require.True(c.t, c.open)
	c.has(slot)
	c.orphaned = append(c.orphaned, c.entities[slot].id)
	c.drop(slot)
	delete(c.predicted, slot)
}

func (c *copySink) Commit() {
	require.True(c.t, c.open)
	c.close()
	c.open = false
}

func (c *copySink) Discard() {
	require.True(c.t, c.open)
	for slot, e := range c.before {
		c.drop(slot)
		if e != nil {
			c.set(slot, *e)
		}
	}
	for _, slot := range c.turned {
		c.predicted[slot] = !c.predicted[slot]
	}
	c.orphaned = c.orphaned[:c.orphansBefore]
	c.open = false
}

func (c *copySink) Outdate(repl.Handle, repl.Generation) {}

func (c *copySink) Most() int { return math.MaxInt }

func (c *copySink) AtLimit() bool { return false }

func (c *copySink) Skip(r *bits.Reader, comp int) error {
	switch comp {
	case 0:
		r.Bits(32)
	case 1:
		r.Uvarint()
	}
	return r.Err()
}
