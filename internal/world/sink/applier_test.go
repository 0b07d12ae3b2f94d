package sink

import (
	"fmt"
	"testing"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/receiver"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/entangle-ecs/entangle/internal/world/event"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/entangle-ecs/entangle/protocol/bits"
	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type (
	heldLinks struct {
		To    [3]ecs.Entity
		Count int16
	}
	heldOne struct{ To ecs.Entity }
	heldTag struct{}
)

// The numbers of the component types above, which are sorted by name.
const (
	heldLinksNumber = iota
	heldOneNumber
	heldTagNumber
)

// hand is an Applier that the test drives like a receiver. Entities are named by the group of their
// network id; group 0 is the zero entity.
type hand struct {
	t       testing.TB
	world   *ecs.World
	applier *Applier
	infos   []*registry.Component
	tick    entangle.Tick
	slots   map[repl.ID]repl.Slot
	table   []repl.ID
	names   map[ecs.Entity]repl.Handle // in the world of the sender
	far     []ecs.Entity               // the sender's entities, by group
	events  []string
}

func newHand(t testing.TB) *hand {
	p := protocol.New(protocol.Config{Name: "copy test"})
	protocol.Component[heldLinks](p)
	protocol.Component[heldOne](p)
	protocol.Component[heldTag](p)
	require.NoError(t, registry.Seal(p))
	w, hub := ecs.NewWorld(), event.NewHub()
	h := &hand{t: t, world: &w, infos: registry.Of(p).Components, slots: map[repl.ID]repl.Slot{}, names: map[ecs.Entity]repl.Handle{}}
	h.applier = NewApplier(&w, hub, h.infos, h.note("spawned"), h.note("despawned"))
	for i, name := range []string{"links", "one", "tag"} {
		events := hub.Component(h.infos[i].Type)
		events.OnInserted = h.note(name + " inserted")
		events.OnUpdated = h.note(name + " updated")
		events.OnRemoved = h.note(name + " removed")
	}
	far := ecs.NewWorld()
	h.far = append(h.far, ecs.Entity{})
	for g := repl.Handle(1); g < 5000; g++ {
		h.far = append(h.far, far.NewEntity())
		h.names[h.far[g]] = g
	}
	return h
}

func (h *hand) note(what string) func(ecs.Entity) {
	return func(e ecs.Entity) {
		g := repl.Handle(0)
		if id, ok := h.applier.Replicas.ID(e); ok {
			g = id.Group
		}
		h.events = append(h.events, fmt.Sprint(what, " ", g))
	}
}

// took returns the events raised since the last call.
func (h *hand) took() []string {
	events := h.events
	h.events = nil
	return events
}

// Index implements wire.RefWriter.
func (h *hand) Index(e ecs.Entity) uint32 {
	h.table = append(h.table, repl.ID{Group: h.names[e]})
	return uint32(len(h.table))
}

// At implements receiver.Refs.
func (h *hand) At(index uint32) (receiver.Target, bool) {
	if index == 0 || int(index) > len(h.table) {
		return receiver.Target{Slot: repl.NoSlot}, index == 0
	}
	id := h.table[index-1]
	if slot, ok := h.slots[id]; ok {
		return receiver.Target{Slot: slot}, true
	}
	return receiver.Target{Slot: repl.NoSlot, Late: true, ID: id}, true
}

func (h *hand) links(count int16, to ...repl.Handle) (v heldLinks) {
	v.Count = count
	for i, g := range to {
		v.To[i] = h.far[g]
	}
	return v
}

func (h *hand) one(to repl.Handle) heldOne { return heldOne{h.far[to]} }

// wire encodes values like a record, and builds its reference table.
func (h *hand) wire(values ...any) *bits.Reader {
	var w bits.Writer
	h.table = nil
	for _, v := range values {
		h.append(&w, v)
	}
	r := &bits.Reader{}
	r.Reset(w.Finish())
	return r
}

func (h *hand) append(w *bits.Writer, value any) {
	switch v := value.(type) {
	case heldLinks:
		for _, e := range v.To {
			h.appendRef(w, e)
		}
		w.Bits(uint64(uint16(v.Count)), 16)
	case heldOne:
		h.appendRef(w, v.To)
	}
}

func (h *hand) appendRef(w *bits.Writer, e ecs.Entity) {
	if e.IsZero() {
		w.Uvarint(0)
		return
	}
	w.Uvarint(uint64(h.Index(e)))
}

func numberOf(value any) int {
	switch value.(type) {
	case heldLinks:
		return heldLinksNumber
	case heldOne:
		return heldOneNumber
	default:
		return heldTagNumber
	}
}

// record applies one record.
// record applies a record, as the last one of a frame.
func (h *hand) record(do func()) {
	h.recordWithin(do)
	h.applier.ResolveReturns()
}

// recordWithin applies a record that others of the same frame follow.
func (h *hand) recordWithin(do func()) {
	h.tick++
	h.applier.Begin(h.tick, h.tick)
	do()
	h.applier.Commit()
}

func (h *hand) spawn(g repl.Handle) repl.Slot {
	id := repl.ID{Group: g}
	h.slots[id] = h.applier.Spawn(id)
	return h.slots[id]
}

// state states all components of a member.
func (h *hand) state(g repl.Handle, values ...any) {
	h.applier.Member(h.slots[repl.ID{Group: g}], true)
	r := h.wire(values...)
	for _, v := range values {
		require.NoError(h.t, h.applier.Insert(r, numberOf(v), h))
	}
}

// come spawns an entity with a record of its own.
func (h *hand) come(g repl.Handle, values ...any) {
	h.record(func() {
		h.spawn(g)
		h.state(g, values...)
	})
}

func (h *hand) despawn(g repl.Handle) {
	id := repl.ID{Group: g}
	h.applier.Despawn(h.slots[id])
	delete(h.slots, id)
}

func (h *hand) release(g repl.Handle) {
	id := repl.ID{Group: g}
	h.applier.Orphan(h.slots[id])
	delete(h.slots, id)
}

// update sends new values, in one call.
func (h *hand) update(g repl.Handle, values ...any) error {
	h.tick++
	var comps set.Mask
	for _, v := range values {
		comps.Set(numberOf(v))
	}
	return updateEntity(h.applier, h.slots[repl.ID{Group: g}], h.tick, &comps, h.wire(values...), h)
}

func (h *hand) entity(g repl.Handle) ecs.Entity {
	slot, ok := h.slots[repl.ID{Group: g}]
	if !ok {
		return ecs.Entity{}
	}
	return h.applier.Replicas.Entity(slot)
}

// at returns the component of an entity in the world.
func at[T any](h *hand, g repl.Handle) *T {
	return (*T)(h.world.Get(h.entity(g), ecs.ComponentID[T](h.world)))
}

func (h *hand) waiting() int {
	n, _ := h.applier.LateReferences()
	return n
}

func TestAnEntityThatIsLetGoStaysUntilTheEnd(t *testing.T) {
	h := newHand(t)
	h.come(1, h.links(7))
	h.come(2, h.one(1))
	e := h.entity(1)
	h.took()
	h.record(func() { h.release(1) })
	assert.Empty(t, h.took())
	require.True(t, h.world.Alive(e))
	assert.True(t, h.world.Has(e, ecs.ComponentID[components.Remote](h.world)))
	assert.Equal(t, int16(7), (*heldLinks)(h.world.Get(e, ecs.ComponentID[heldLinks](h.world))).Count)
	assert.Equal(t, e, at[heldOne](h, 2).To, "a reference to it stays")
	_, known := h.applier.Replicas.ID(e)
	assert.False(t, known)
	_, known = h.applier.Replicas.Tick(e)
	assert.False(t, known)
	assert.Equal(t, 1, h.applier.Replicas.Len())
	assert.Len(t, h.applier.Mirror(h.infos).Entities, 1)

	h.come(1, h.links(8))
	assert.NotEqual(t, e, h.entity(1), "what comes under its id is another one")
	h.took()
	h.applier.Clear()
	assert.False(t, h.world.Alive(e))
	assert.Equal(t, 0, h.applier.Replicas.Len())
	assert.Len(t, h.took(), 3, "all have despawned")
	h.applier.Clear()
	assert.Empty(t, h.took())
}

func TestThoseLetGoThatTheGameRemovesAreForgotten(t *testing.T) {
	h := newHand(t)
	for g := repl.Handle(1); g < 2000; g++ {
		h.come(g)
		e := h.entity(g)
		h.record(func() { h.release(g) })
		h.world.RemoveEntity(e)
	}
	assert.Less(t, len(h.applier.Replicas.orphans.list), 200)
}

func TestLettingGoIsUndoneByDiscard(t *testing.T) {
	h := newHand(t)
	h.come(1, h.links(7))
	h.applier.Begin(9, 9)
	h.applier.Orphan(h.slots[repl.ID{Group: 1}])
	h.applier.Discard()
	assert.Equal(t, 1, h.applier.Replicas.Len())
	h.applier.Clear()
	assert.Equal(t, 0, h.applier.Replicas.Len())
}

// All entities of a record exist before its first value, also those without values.
func TestDiscardTakesAllThatSpawned(t *testing.T) {
	h := newHand(t)
	h.come(1, h.links(7))
	before := h.world.Stats().Entities.Used
	h.took()
	h.applier.Begin(9, 9)
	for g := repl.Handle(2); g < 6; g++ {
		h.spawn(g)
	}
	h.state(2, h.links(1, 3, 4))
	h.applier.Member(h.slots[repl.ID{Group: 3}], true)
	require.Error(t, h.applier.Insert(h.wire(), heldLinksNumber, h))
	h.applier.Discard()
	assert.Equal(t, before, h.world.Stats().Entities.Used)
	assert.Equal(t, 1, h.applier.Replicas.Len())
	assert.Empty(t, h.took())
	assert.Zero(t, h.waiting())
}

func TestAMemberStatedWholeKeepsItsEntity(t *testing.T) {
	h := newHand(t)
	h.come(1, h.links(7), heldTag{})
	e := h.entity(1)
	h.took()
	h.record(func() { h.state(1, h.links(7), heldTag{}) })
	assert.Empty(t, h.took(), "all is as it was")
	h.record(func() { h.state(1, h.links(8), heldTag{}) })
	assert.Equal(t, []string{"links updated 1"}, h.took())
	h.record(func() { h.state(1, h.one(1), heldTag{}) })
	assert.Equal(t, []string{"links removed 1", "one inserted 1"}, h.took())
	assert.Equal(t, e, h.entity(1))
	assert.Equal(t, e, at[heldOne](h, 1).To)
}

// A record that states an entity whole undoes the game's changes to it, and raises events.
func TestAMemberStatedWholeIsAsItsSenderSays(t *testing.T) {
	h := newHand(t)
	h.come(1, h.links(0), heldTag{})
	h.took()
	h.world.Remove(h.entity(1), ecs.ComponentID[heldLinks](h.world), ecs.ComponentID[heldTag](h.world))
	h.record(func() { h.state(1, h.links(0), heldTag{}) })
	assert.Equal(t, []string{"links updated 1", "tag updated 1"}, h.took())
	at[heldLinks](h, 1).Count = 9
	h.record(func() { h.state(1, h.links(0), heldTag{}) })
	assert.Equal(t, []string{"links updated 1"}, h.took())
	assert.Equal(t, heldLinks{}, *at[heldLinks](h, 1))
}

// updateEntity applies an update of one entity.
func updateEntity(a *Applier, slot repl.Slot, tick entangle.Tick, comps *set.Mask, r *bits.Reader, refs receiver.Refs) error {
	_, err := a.UpdateBlock([]repl.Slot{slot}, []entangle.Tick{tick}, tick, comps, r, refs)
	return err
}
