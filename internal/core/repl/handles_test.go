package repl_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
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

func (h *handles) handle(t *testing.T, s repl.Slot) repl.Handle {
	id, ok := h.ID(s)
	require.True(t, ok)
	return id.Group
}

// The handle of a group that has ended is not reused for a while, so that late references to the
// group do not find another group under it.
func TestAHandleRestsAfterItsEnd(t *testing.T) {
	h := newHandles()
	h.step(1, func() { h.spawn(1) })
	old := h.handle(t, 1)
	h.step(1, func() { h.Despawn(1) })
	h.step(1, func() { h.spawn(2) })
	assert.NotEqual(t, old, h.handle(t, 2))
	h.step(100, func() { h.spawn(3) })
	assert.Equal(t, old, h.handle(t, 3))
}

// A peer that was never sent a group may be sent other groups that refer to it. While such a
// message is in flight, the group's handle is not reused.
func TestAHandleRestsWhileSomethingUnderWayMayReferToIt(t *testing.T) {
	h := newHandles()
	p := h.NewPeer()
	h.step(1, func() { h.spawn(1); h.spawn(2) })
	require.NotEmpty(t, p.AppendActions(nil, 1)) // one entity, which may refer to the other
	p.ActionsSent(7)
	unsent := h.handle(t, 2)
	h.step(1, func() { h.Despawn(2) })
	h.step(1000, func() { h.spawn(3) })
	assert.NotEqual(t, unsent, h.handle(t, 3))
	p.HandleDelivered(7)
	h.step(1, func() { h.spawn(4) })
	assert.Equal(t, unsent, h.handle(t, 4))
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

// The entity that a peer means by a network id follows from the newest tick that the peer had
// received: the present entity if that tick is not older than the one at which the entity got the
// id, and otherwise none. The same is true near the end of the range of ticks.
//
// Proves: R27
func TestAnIDMeansTheEntityThatThePeerKnewByIt(t *testing.T) {
	for what, at := range map[string]sender.Place{
		"for all": {}, "private": {Private: true}, "of a group that goes on": {Name: 1}, "of one that is private": {Name: 1, Private: true},
	} {
		t.Run(what, func(t *testing.T) {
			h := newHandles()
			h.tick = 1<<32 - 200
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
			was, _ := p.Named(first)
			assert.True(t, p.Meant(first, h.tick))
			h.step(1, func() { h.Despawn(first) })
			h.fulls(t, p, 100)
			ended := h.tick
			h.step(1, func() {})
			h.step(300, func() { spawn(last + 1) })
			is, _ := p.Named(last + 1)
			require.Equal(t, was, is)
			assert.True(t, p.Meant(last+1, h.tick))
			assert.False(t, p.Meant(last+1, ended))
			assert.False(t, p.Meant(first, h.tick), "it is gone")
			h.step(500, func() {})
			assert.True(t, p.Meant(last+1, h.tick))
			assert.False(t, p.Meant(last+1, ended))
		})
	}
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
					h.SpawnAt(1+s, set.MaskOf(0), sender.Place{Private: true})
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
				h.SpawnAt(4, set.MaskOf(0), sender.Place{Private: true})
				p.Show(4)
			})
			other := h.fulls(t, p, 20)
			h.step(1, func() { p.Show(1) })
			shown := h.fulls(t, p, 30)
			is, _ := p.Named(1)
			assert.Equal(t, refers, is == was)
			assert.False(t, shown[is.Group].Since.Some, "nobody else ever had the handle")
			assert.Equal(t, !refers, len(other) == 1 && other[was.Group].Kind == repl.Full)
			for h, rec := range other {
				assert.Equal(t, h == was.Group, rec.Since.Some, "it is another group")
			}
		})
	}
}

// A message in flight may contain an entity's id, even if that entity despawns or is hidden
// meanwhile, so the id is not reused.
func TestAHandleRestsWhileAMessageMayNameIt(t *testing.T) {
	h := newHandles()
	p := h.NewPeer()
	h.step(1, func() { h.spawn(1) })
	h.fulls(t, p, 1)
	old := h.handle(t, 1)
	sent := h.tick
	h.step(1, func() { h.Despawn(1) })
	h.fulls(t, p, 2)
	p.Pin(sent, h.Ends(), true)
	h.step(1000, func() { h.spawn(2) })
	assert.NotEqual(t, old, h.handle(t, 2))
	p.Pin(0, 0, false)
	h.step(1, func() { h.spawn(3) })
	assert.Equal(t, old, h.handle(t, 3))
}

// A peer that acknowledges everything, but always late, delays the reuse of ids like a peer that
// acknowledges nothing: those of entities that were despawned since the oldest message that it has
// not acknowledged.
//
// Proves: R39
func TestAPeerThatIsAlwaysLateHoldsUpIDs(t *testing.T) {
	const late = 40
	h := newHandles()
	p := h.NewPeer()
	var ends []uint32
	for range 3 * late {
		h.step(1, func() { h.spawn(1) })
		h.fulls(t, p, 1)
		h.step(1, func() { h.Despawn(1) })
		h.fulls(t, p, 1)
		ends = append(ends, h.Ends())
		if n := len(ends); n > late {
			p.Pin(h.tick-2*late, ends[n-1-late], true)
			require.Equal(t, late, p.HeldUp())
		}
	}
}

// numbers is a world with a group in which all numbers are taken.
type numbers struct {
	*handles
	last repl.Slot
}

func newNumbers() *numbers {
	c := &numbers{handles: newHandles(), last: repl.MaxMembers - 1}
	c.step(1, c.fill)
	return c
}

func (c *numbers) fill() {
	for s := range c.last + 1 {
		c.bring(s)
	}
}

// bring spawns an entity in the group.
func (c *numbers) bring(s repl.Slot) {
	c.model.entities[s] = entity{mask: set.MaskOf(0)}
	c.SpawnAt(s, set.MaskOf(0), sender.Place{Name: 1})
}

// next spawns one more entity there and returns its number. It returns 0, and the entity is in a
// group of its own, while no number is free.
func (c *numbers) next(t *testing.T, after entangle.Tick) repl.Member {
	c.last++
	c.step(after, func() { c.bring(c.last) })
	id, ok := c.ID(c.last)
	require.True(t, ok)
	return id.Member
}

// The number of an entity that was born in a group and is despawned after a move, in another group
// or in the same after a return, stays reserved until every peer has acknowledged the despawn, and
// for the rest period of ids after that.
//
// Proves: R27
func TestANumberRestsAfterAnEndElsewhere(t *testing.T) {
	for name, way := range map[string][]sender.Place{
		"in another group": {{Name: 2}}, "at home again": {{Name: 2}, {Name: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			c := newNumbers()
			p := c.NewPeer()
			c.step(1, func() { c.Despawn(4) }) // makes the number free for a return
			c.fulls(t, p, 1)
			c.step(100, func() {})
			c.step(100, func() {})
			for _, to := range way {
				c.step(1, func() { c.Move(3, to) })
				c.fulls(t, p, 100)
				c.step(300, func() {})
			}
			sent := c.tick
			c.step(1, func() { c.Despawn(3) })
			for range 5 {
				require.NotEqualValues(t, 3, c.next(t, 200), "nobody was told of its end")
			}
			c.fulls(t, p, 200)
			for range 32 {
				require.NotEqualValues(t, 3, c.next(t, 1), "the name rests")
			}
			p.Pin(sent, c.Ends(), true)
			for range 3 {
				require.NotEqualValues(t, 3, c.next(t, 100), "a message may name it")
			}
			p.Pin(0, 0, false)
			assert.EqualValues(t, 3, c.next(t, 1))
		})
	}
}

// The rest period of a number starts when the last peer was sent the despawn, which may be long
// after the despawn.
//
// Proves: R27
func TestANumberRestsFromWhenItsEndIsSent(t *testing.T) {
	c := newNumbers()
	p := c.NewPeer()
	c.fulls(t, p, 1)
	c.step(1, func() { c.Despawn(3) })
	require.NotEqualValues(t, 3, c.next(t, 1000))
	c.fulls(t, p, 2)
	for range 60 {
		require.NotEqualValues(t, 3, c.next(t, 1))
	}
	assert.EqualValues(t, 3, c.next(t, 10))
}

// A number is not reused while a message is in flight that may contain the id of its entity. That
// may be an action, for a peer that was not sent the group yet, or a message of the game.
//
// Proves: R27
func TestANumberRestsWhileSomethingUnderWayMayNameIt(t *testing.T) {
	t.Run("of entities", func(t *testing.T) {
		c := &numbers{handles: newHandles(), last: repl.MaxMembers - 1}
		c.model.links = true
		p := c.NewPeer()
		c.step(1, func() {
			link := entity{mask: set.MaskOf(linkComp)}
			link.values[linkComp] = 4 // slot 3
			c.model.entities[c.last+1] = link
			c.Spawn(c.last+1, link.mask)
			c.fill()
			c.last++
		})
		require.NotEmpty(t, p.AppendActions(nil, 1)) // one entity, which refers to the other
		p.ActionsSent(7)
		c.step(1, func() { c.Despawn(3) })
		for range 5 {
			require.NotEqualValues(t, 3, c.next(t, 200))
		}
		p.HandleDelivered(7)
		assert.EqualValues(t, 3, c.next(t, 1))
	})
	t.Run("of the game", func(t *testing.T) {
		c := newNumbers()
		p := c.NewPeer()
		c.fulls(t, p, 1)
		sent := c.tick
		c.step(1, func() { c.Despawn(3) })
		c.fulls(t, p, 2)
		p.Pin(sent, c.Ends(), true)
		for range 5 {
			require.NotEqualValues(t, 3, c.next(t, 200))
		}
		p.Pin(0, 0, false)
		assert.EqualValues(t, 3, c.next(t, 1))
	})
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
					h.Move(at(born), sender.Place{Name: 2})
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
		require.Less(t, int(h.handle(t, at(i*each+each-1))), 400*each)
	}
}

// A peer that awaits a resync may have more than it acknowledged. No handle of a group that was
// hidden from it is reused before it is answered.
func TestAHandleRestsWhileAResyncIsDue(t *testing.T) {
	for name, at := range map[string]sender.Place{"public": {}, "private": {Private: true}} {
		h := newHandles()
		p := h.NewPeer()
		arrive := func(s repl.Slot, at sender.Place) {
			h.model.entities[s] = entity{mask: set.MaskOf(0)}
			h.SpawnAt(s, set.MaskOf(0), at)
			p.Show(s)
		}
		h.step(1, func() { arrive(1, sender.Place{Private: true}); arrive(2, at) })
		h.fulls(t, p, 1)
		hidden, _ := p.Group(1)
		h.step(1, func() { p.Hide(1) })
		require.NotEmpty(t, p.AppendActions(nil, 1000), name)
		p.ActionsSent(10)
		behind, _ := p.Group(2)
		p.HandleResync(behind)
		p.HandleDelivered(10)
		h.step(1, func() {})
		h.step(300, func() { arrive(3, sender.Place{Private: true}) })
		is, _ := p.Group(3)
		assert.NotEqual(t, hidden, is, name)
		h.fulls(t, p, 20)
		h.step(1, func() {})
		h.step(300, func() { arrive(4, sender.Place{Private: true}) })
		is, _ = p.Group(4)
		assert.Equal(t, hidden, is, name)
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
	n.unchecked(e, each(func(s repl.Slot) { n.arrive(nil, s, sender.Place{Private: true}); show(s) }))
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
