package repl_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/core/repl/sender"
	"github.com/entangle-ecs/entangle/internal/set"
)

// handles is a world in which only the handles matter.
type handles struct {
	*sender.World
	model *model
	tick  entangle.Tick
}

func newHandles() *handles {
	h := &handles{model: newModel(3)}
	h.World = sender.NewWorld(h.model, 3)
	return h
}

// step runs some ticks, and changes the world in the last one.
func (h *handles) step(ticks entangle.Tick, change func()) {
	h.tick += ticks
	h.Begin(h.tick)
	change()
	h.Commit()
}

func (h *handles) spawn(s repl.Slot) {
	e := entity{mask: set.MaskOf(0)}
	h.model.entities[s] = e
	h.Spawn(s, e.mask)
}

func (h *handles) id(t *testing.T, s repl.Slot) repl.ID {
	id, ok := h.ID(s)
	require.True(t, ok)
	return id
}

// The handle of a group that has ended is reused when every peer has acknowledged the end, under the next
// generation.
//
// Proves: R27
func TestAHandleIsReusedWhenItsEndIsAcknowledged(t *testing.T) {
	h := newHandles()
	p := h.NewPeer()
	h.step(1, func() { h.spawn(1) })
	h.fulls(t, p, 1)
	old := h.id(t, 1)
	h.step(1, func() { h.Despawn(1) })
	require.NotEmpty(t, p.AppendActions(nil, 1000))
	p.ActionsSent(2)
	h.step(1000, func() { h.spawn(2) })
	assert.NotEqual(t, old.Group, h.id(t, 2).Group, "the end is in flight")
	p.HandleDelivered(2)
	h.step(1, func() { h.spawn(3) })
	assert.Equal(t, repl.ID{Group: old.Group, Generation: 1}, h.id(t, 3))
	_, ok := p.Slot(old)
	assert.False(t, ok)
	is, _ := p.Slot(h.id(t, 3))
	assert.Equal(t, repl.Slot(3), is)
}

// fulls sends a peer all structure, delivers it, and returns the fulls by handle.
func (h *handles) fulls(t *testing.T, p *sender.Peer, name uint16) map[repl.Handle]repl.Record {
	t.Helper()
	found := map[repl.Handle]repl.Record{}
	for b := p.AppendActions(nil, 1000); len(b) > 0; b = p.AppendActions(nil, 1000) {
		for _, s := range newParser(t, h.model).actions(b) {
			if s.Kind == repl.Full {
				found[s.Group] = s.Record
			}
		}
		p.ActionsSent(name)
	}
	h.step(1, func() {})
	p.HandleDelivered(name)
	return found
}

// An id means one entity for ever, whatever gets its handle or its number next.
//
// Proves: R27
func TestAnIDMeansOneEntityForEver(t *testing.T) {
	for what, at := range map[string]group.Place{
		"for all": {}, "private": {Private: true}, "of a group that goes on": {Name: 1}, "of one that is private": {Name: 1, Private: true},
	} {
		t.Run(what, func(t *testing.T) {
			h := newHandles()
			p := h.NewPeer()
			spawn := func(s repl.Slot) {
				h.model.entities[s] = entity{mask: set.MaskOf(0)}
				h.SpawnAt(s, set.MaskOf(0), at)
				p.Show(s)
			}
			first := repl.Slot(1)
			h.step(1, func() { spawn(first) })
			last := first
			if at.Name != 0 {
				h.step(1, func() {
					for last+1-first < repl.MaxMembers { // all numbers of the group
						last++
						spawn(last)
					}
				})
			}
			h.fulls(t, p, 1)
			seen := map[repl.ID]bool{}
			for name := uint16(100); name < 1000; name += 100 {
				was, ok := p.Named(first)
				require.True(t, ok)
				require.False(t, seen[was])
				seen[was] = true
				h.step(1, func() { h.Despawn(first) })
				h.fulls(t, p, name)
				h.step(1, func() {})
				_, ok = p.Slot(was)
				require.False(t, ok)
				h.step(200, func() { spawn(first) })
				h.fulls(t, p, name+50)
				is, _ := p.Named(first)
				_, ok = p.Slot(was)
				require.False(t, ok)
				slot, _ := p.Slot(is)
				require.Equal(t, first, slot)
			}
			assert.Less(t, uint32(h.fresh(t, p)%repl.Private), uint32(repl.MaxMembers+5), "handles are used again")
		})
	}
}

// fresh returns the greatest handle that a peer has.
func (h *handles) fresh(t *testing.T, p *sender.Peer) (greatest repl.Handle) {
	for s := range h.model.entities {
		id, ok := p.Named(s)
		require.True(t, ok)
		greatest = max(greatest, id.Group)
	}
	return greatest
}

// Two entities spawn in one tick, and a peer sees them under one handle, one after the other. A late
// message of the peer that names the first means nobody.
//
// Proves: R27
func TestALateReferenceToAHiddenEntityMeansNobody(t *testing.T) {
	h := newHandles()
	p := h.NewPeer()
	h.step(1, func() {
		for s := repl.Slot(1); s <= 2; s++ {
			h.model.entities[s] = entity{mask: set.MaskOf(0)}
			h.SpawnAt(s, set.MaskOf(0), group.Place{Private: true})
		}
		p.Show(1)
	})
	h.fulls(t, p, 1)
	named, _ := p.Named(1)
	h.step(1, func() { p.Hide(1) })
	h.fulls(t, p, 2)
	h.step(1, func() {})
	h.step(1, func() { p.Show(2) })
	h.fulls(t, p, 3)
	next, _ := p.Named(2)
	require.Equal(t, named.Group, next.Group)
	_, ok := p.Slot(named)
	assert.False(t, ok)
}

// An entity that is hidden and shown again is still the target of the peer's references.
//
// Proves: R27
func TestWhatIsReferredToReturnsUnderItsName(t *testing.T) {
	for name, refers := range map[string]bool{"with a reference": true, "without one": false} {
		t.Run(name, func(t *testing.T) {
			h := newHandles()
			h.model.links = true
			p := h.NewPeer()
			h.step(1, func() {
				for s := range repl.Slot(2) {
					h.model.entities[1+s] = entity{mask: set.MaskOf(0)}
					h.SpawnAt(1+s, set.MaskOf(0), group.Place{Private: true})
					p.Show(1 + s)
				}
				if refers {
					link := entity{mask: set.MaskOf(linkComp)}
					link.values[linkComp] = 2 // slot 1
					h.model.entities[3] = link
					h.Spawn(3, link.mask)
				}
			})
			h.fulls(t, p, 1)
			was, _ := p.Named(1)
			h.step(1, func() { p.Hide(1) })
			h.fulls(t, p, 10)
			h.step(1, func() {})
			h.step(100, func() { // another entity, which gets any free handle
				h.model.entities[4] = entity{mask: set.MaskOf(0)}
				h.SpawnAt(4, set.MaskOf(0), group.Place{Private: true})
				p.Show(4)
			})
			other := h.fulls(t, p, 20)
			h.step(1, func() { p.Show(1) })
			shown := h.fulls(t, p, 30)
			is, _ := p.Named(1)
			assert.Equal(t, refers, is == was)
			assert.Zero(t, shown[is.Group].Generation, "nobody else ever had the handle")
			assert.Equal(t, !refers, len(other) == 1 && other[was.Group].Kind == repl.Full)
			for h, rec := range other {
				assert.Equal(t, h == was.Group, rec.Generation == 1, "it is another group")
			}
		})
	}
}

// A peer that acknowledges everything, but always late, holds up the reuse of ids like a peer that
// acknowledges nothing: those of entities that were despawned since the oldest action that it has not
// acknowledged.
//
// Proves: R39
func TestAPeerThatIsAlwaysLateLeavesTombstones(t *testing.T) {
	const late = 40
	h := newHandles()
	p := h.NewPeer()
	for i := range 3 * late {
		h.step(1, func() {
			if i > 0 {
				h.Despawn(1)
			}
			h.spawn(1)
		})
		require.NotEmpty(t, p.AppendActions(nil, 10000))
		p.ActionsSent(uint16(i))
		require.Empty(t, p.AppendActions(nil, 10000))
		if i >= late {
			p.HandleDelivered(uint16(i - late))
			require.Equal(t, late-1, p.Tombstones())
		}
	}
}

// The id of an entity that is despawned outside its home group is released like any other. However
// many entities are despawned in each tick, their ids are reused after a while, even if there are
// always messages in flight.
func TestNamesAreGivenAgainHoweverManyEndElsewhere(t *testing.T) {
	const each, late, lives = 10, 5, 20
	h := newHandles()
	p := h.NewPeer()
	at := func(s int) repl.Slot { return repl.Slot(s % (2 * lives * each)) }
	for i := range 1000 {
		h.step(1, func() {
			for k := i * each; k < (i+1)*each; k++ {
				if born := k - each; born >= 0 {
					h.Move(at(born), group.Place{Name: 2})
				}
				if old := k - lives*each; old >= 0 {
					h.Despawn(at(old))
				}
				h.spawn(at(k))
			}
		})
		for b := p.AppendActions(nil, 1000); len(b) > 0; b = p.AppendActions(nil, 1000) {
			p.ActionsSent(uint16(i))
		}
		p.HandleDelivered(uint16(i - late))
		require.Less(t, int(h.id(t, at(i*each+each-1)).Group), 400*each)
	}
}

// More groups are hidden, shown again and despawned than can have their handles freed in a tick. The
// peer is sent the ends of all.
//
// Proves: R4
func TestManyHandlesAreNotFreedBeforeTheirEndIsSent(t *testing.T) {
	const all = 300
	n := newNetwork(t, 1, 3, 0)
	n.keep, n.trusts = true, true
	e := n.join()
	each := func(do func(s repl.Slot)) func() {
		return func() {
			for s := range repl.Slot(all) {
				do(s)
			}
		}
	}
	show := func(s repl.Slot) { e.peer.Show(s) }
	n.unchecked(e, each(func(s repl.Slot) { n.arrive(nil, s, group.Place{Private: true}); show(s) }))
	require.Len(t, e.sink.entities, all)
	for _, do := range []func(s repl.Slot){e.peer.Hide, show} {
		n.unsent(each(do))
		n.sendTo(e)
		n.deliver(e)
	}
	n.unsent(each(n.world.Despawn))
	n.unsent(func() {})
	n.unchecked(e, func() {})
	assert.Empty(t, e.sink.entities)
	assert.True(t, e.peer.Idle())
}

// A handle that a peer knew references under is, for the next group, like any other: it is free again once the
// group is hidden.
//
// Proves: V13
func TestAHandleForgetsTheReferencesToItsLastGroup(t *testing.T) {
	h := newHandles()
	p := h.NewPeer()
	name := uint16(0)
	step := func(change func()) {
		h.step(1, change)
		name++
		h.fulls(t, p, name)
		h.step(1, func() {})
	}
	spawn := func(s repl.Slot) {
		h.model.entities[s] = entity{mask: set.MaskOf(0)}
		h.SpawnAt(s, set.MaskOf(0), group.Place{Private: true})
	}
	step(func() { spawn(1) })
	first, ok := p.ID(1)
	require.True(t, ok)
	step(func() { h.Despawn(1) })
	for s := repl.Slot(2); s < 5; s++ {
		step(func() { spawn(s); p.Show(s) })
		is, _ := p.Named(s)
		assert.Equal(t, first.Group, is.Group, "entity %d", s)
		step(func() { p.Hide(s) })
	}
}
