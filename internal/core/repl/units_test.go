package repl_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/core/repl/receiver"
	"github.com/entangle-ecs/entangle/internal/core/repl/sender"
	"github.com/entangle-ecs/entangle/internal/core/repl/view"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// swapping returns a world of two groups of two members, and a peer that has acknowledged both
// groups.
func swapping(bits map[repl.Slot]int) (*sender.World, *sender.Peer) {
	w := sender.NewWorld(sized{bits}, 1)
	p := w.NewPeer()
	tick(w, func() {
		for s := range repl.Slot(4) {
			w.SpawnAt(s, set.MaskOf(0), group.Place{Name: 1 + uint32(s)/2})
		}
	})
	deliver(p, 0)
	return w, p
}

// swap moves one member of each group to the other.
func swap(w *sender.World) {
	w.Move(0, group.Place{Name: 2})
	w.Move(2, group.Place{Name: 1})
}

// Both halves of a move are sent in one tick, in two messages if they do not fit into one.
//
// Proves: R41
func TestTwoGroupsThatSwapGoInOneTick(t *testing.T) {
	w, p := swapping(map[repl.Slot]int{})
	tick(w, func() { swap(w) })
	require.False(t, p.ActionsOwed())
	require.NotEmpty(t, p.AppendActions(nil, 1))
	p.ActionsSent(10)
	assert.True(t, p.ActionsOwed(), "the other half")
	require.NotEmpty(t, p.AppendActions(nil, 1))
	p.ActionsSent(11)
	assert.False(t, p.ActionsOwed())
	assert.False(t, p.ActionsDue())
}

// Where a tick has room for one message only, other actions do not keep units from being sent.
//
// Proves: R41
func TestOtherActionsDoNotHoldUpUnits(t *testing.T) {
	w, p := swapping(map[repl.Slot]int{})
	tick(w, func() {
		for s := range repl.Slot(3) {
			w.SpawnAt(5+s, set.MaskOf(0), group.Place{Name: 3 + uint32(s)})
		}
	})
	deliver(p, 10)
	for i := range uint16(3) {
		tick(w, func() {
			w.Reshape(0, set.MaskOf(0), set.Mask{})
			w.Move(5, group.Place{Name: 2})
			w.Move(6, group.Place{Name: 5})
		})
		require.NotEmpty(t, p.AppendActions(nil, 1000))
		p.ActionsSent(20 + i)
		p.HandleDelivered(20 + i)
	}
	assert.EqualValues(t, 5+1+2+2+1, w.Stats().Actions, "the units, and before and behind it the other group")
}

// If one half of a move cannot be sent, the other half is not sent either, nor are values of its
// group. Once it can be sent, both are.
//
// Proves: R41
func TestHalfOfAMoveIsNotSent(t *testing.T) {
	for name, c := range map[string]struct {
		bits        map[repl.Slot]int
		block, free func(w *sender.World, p *sender.Peer)
	}{
		"its window is full": {
			block: func(w *sender.World, p *sender.Peer) {
				for i := range repl.MaxActionsInFlight {
					tick(w, func() { w.Reshape(1, set.MaskOf(0), set.Mask{}) })
					messages(p, 100+uint16(i))
				}
			},
			free: func(_ *sender.World, p *sender.Peer) { p.HandleDelivered(100) },
		},
		"it is a transfer that is under way": {
			bits: map[repl.Slot]int{1: 2000 * 8},
			block: func(w *sender.World, p *sender.Peer) {
				tick(w, func() { w.Change(0, []repl.Slot{1}) })
				p.AppendUpdates(nil, 1000, 1)
				messages(p, 100)
			},
			free: func(_ *sender.World, p *sender.Peer) { p.HandleDelivered(100) },
		},
		"it is too large": {
			bits: map[repl.Slot]int{4: repl.MaxGroupBytes * 8},
			block: func(w *sender.World, p *sender.Peer) {
				tick(w, func() { w.SpawnAt(4, set.MaskOf(0), group.Place{Name: 1}) })
				messages(p, 100)
			},
			free: func(w *sender.World, _ *sender.Peer) { tick(w, func() { w.Despawn(4) }) },
		},
		"it is to be stated in full, and not all is through": {
			block: func(w *sender.World, p *sender.Peer) {
				tick(w, func() { w.Reshape(1, set.MaskOf(0), set.Mask{}) })
				messages(p, 100)
				p.SetView(1, view.Hidden{Slot: 1, Comps: set.MaskOf(0)})
			},
			free: func(_ *sender.World, p *sender.Peer) { p.HandleDelivered(100) },
		},
	} {
		t.Run(name, func(t *testing.T) {
			if c.bits == nil {
				c.bits = map[repl.Slot]int{}
			}
			w, p := swapping(c.bits)
			c.block(w, p)
			for range 3 {
				tick(w, func() {
					if group, _ := p.Group(0); group == 0 {
						swap(w)
					}
					w.Change(0, []repl.Slot{3})
				})
				assert.Empty(t, messages(p, 200))
				assert.Empty(t, p.AppendUpdates(nil, 1000, 2))
				assert.False(t, p.ActionsOwed())
			}
			before := w.Stats().Actions
			c.free(w, p)
			tick(w, func() {})
			messages(p, 300)
			assert.EqualValues(t, 2, w.Stats().Actions-before)
			assert.False(t, p.ActionsOwed() || p.ActionsDue())
		})
	}
}

// An entity moves to a group that was too large before like to any other group: it is not despawned on the way.
//
// Proves: R41
func TestAMoveToAGroupThatWasTooLarge(t *testing.T) {
	const large = repl.MaxGroupBytes * 8
	for name, c := range map[string]struct {
		size         map[repl.Slot]int
		grow, shrink func(w *sender.World, size map[repl.Slot]int)
	}{
		"the peer was not sent it before": {
			size: map[repl.Slot]int{2: large},
			grow: func(*sender.World, map[repl.Slot]int) {},
			shrink: func(w *sender.World, size map[repl.Slot]int) {
				size[2] = 32
				w.Reshape(2, set.MaskOf(0), set.Mask{})
			},
		},
		"the peer has all of it but what was too large": {
			size:   map[repl.Slot]int{3: large},
			grow:   func(w *sender.World, _ map[repl.Slot]int) { w.SpawnAt(3, set.MaskOf(0), group.Place{Name: 2}) },
			shrink: func(w *sender.World, _ map[repl.Slot]int) { w.Despawn(3) },
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := sender.NewWorld(sized{c.size}, 1)
			p := w.NewPeer()
			steps := []func(){
				func() {
					for s := range repl.Slot(3) {
						w.SpawnAt(s, set.MaskOf(0), group.Place{Name: 1 + uint32(s)/2})
					}
				},
				func() { c.grow(w, c.size) },
				func() { c.shrink(w, c.size) },
			}
			for i, step := range steps {
				tick(w, step)
				deliver(p, uint16(10*i))
			}
			require.EqualValues(t, 1, w.Stats().TooLarge)
			tick(w, func() { w.Move(0, group.Place{Name: 2}) })
			require.NotEmpty(t, p.AppendActions(nil, 1))
			p.ActionsSent(30)
			assert.True(t, p.ActionsOwed(), "the other half of the move")
		})
	}
}

// A chain of moves is one unit: it is sent as a whole, however far away in the chain the group is
// that cannot be sent.
//
// Proves: R41
func TestAChainOfMovesIsHeldUpByOneLink(t *testing.T) {
	w := sender.NewWorld(sized{}, 1)
	p := w.NewPeer()
	const groups = 5
	tick(w, func() {
		for s := range repl.Slot(2 * groups) {
			w.SpawnAt(s, set.MaskOf(0), group.Place{Name: 1 + uint32(s)%groups})
		}
		w.SpawnAt(100, set.MaskOf(0), group.Place{Name: 100})
	})
	deliver(p, 0)
	for i := range repl.MaxActionsInFlight {
		tick(w, func() { w.Reshape(groups-1, set.MaskOf(0), set.Mask{}) })
		require.Len(t, messages(p, 10+uint16(i)), 1)
	}
	tick(w, func() {
		for s := range repl.Slot(groups) {
			w.Move(s, group.Place{Name: 1 + (uint32(s)+1)%groups})
		}
		w.Reshape(100, set.MaskOf(0), set.Mask{})
	})
	before := w.Stats().Actions
	messages(p, 20)
	assert.EqualValues(t, 1, w.Stats().Actions-before, "what has no part in it goes")
	p.HandleDelivered(10)
	tick(w, func() {})
	messages(p, 30)
	assert.EqualValues(t, 1+groups, w.Stats().Actions-before)
}

// A unit needs the groups from which members came earlier, as far as the peer has not acknowledged their last action. It
// needs no group that is in it.
func TestAnActionNeedsTheGroupsThatItsMembersCameFrom(t *testing.T) {
	n := newNetwork(t, 1, 3, 0)
	e := n.join()
	n.step(func() {
		for _, name := range []uint32{1, 1, 2, 2, 3, 3} {
			n.spawnAt(group.Place{Name: name})
		}
	})
	n.step(func() {})
	moved := n.tick + 1
	needs := func(change func()) (all []repl.Need) {
		n.tick++
		tick(n.world, change)
		parse := newParser(t, n.model)
		for _, m := range messages(e.peer, uint16(n.tick)*10) {
			for _, s := range parse.actions(m) {
				all = append(all, s.needs...)
			}
		}
		return all
	}
	assert.Empty(t, needs(func() { n.moveTo(0, group.Place{Name: 2}) }))
	assert.Equal(t, []repl.Need{{Group: 0, Tick: moved}},
		needs(func() { n.moveTo(0, group.Place{Name: 3}) }), "not all may have come that it passed")
	assert.Empty(t, needs(func() { n.reshape(0, n.model.entities[0]) }), "it is there")
}

// The number of a member that left is not given to another one before every peer has acknowledged
// the leaving, and a rest period is over.
func TestNumbersAreReusedOnceAllPeersHaveAcknowledged(t *testing.T) {
	w := sender.NewWorld(sized{}, 1)
	p := w.NewPeer()
	place := group.Place{Name: 1}
	tick(w, func() {
		for s := range repl.Slot(repl.MaxMembers) {
			w.SpawnAt(s, set.MaskOf(0), place)
		}
	})
	deliver(p, 0)
	id := func(s repl.Slot) repl.ID { id, _ := w.ID(s); return id }
	first := id(0).Group
	require.EqualValues(t, repl.MaxMembers-1, id(repl.MaxMembers-1).Member)

	tick(w, func() { w.Despawn(7) })
	wait := func(ticks int) {
		for range ticks {
			tick(w, func() {})
		}
	}
	spawn := func(s repl.Slot) repl.ID {
		tick(w, func() { w.SpawnAt(s, set.MaskOf(0), place) })
		return id(s)
	}
	wait(1000)
	assert.NotEqual(t, first, spawn(5000).Group, "the peer was not told")
	assert.EqualValues(t, 1, w.Stats().MembersRefused)
	sent := messages(p, 100)
	for i := range sent {
		p.HandleDelivered(100 + uint16(i))
	}
	deliver(p, 200)
	tick(w, func() { w.Reshape(8, set.MaskOf(0), set.Mask{}) })
	deliver(p, 300)
	wait(100)
	named := spawn(5002)
	assert.NotEqual(t, first, named.Group, "its number was another entity's id")
	at, _ := w.PlaceOf(5002)
	assert.Equal(t, group.Place{Name: 1}, at)
	assert.EqualValues(t, 1, w.Stats().MembersRefused)
}

// An entity for which a private group has no number left is private, too. One that gets the number of a hidden
// member that ended is not hidden.
//
// Proves: V13
func TestOneBeyondAFullPrivateGroup(t *testing.T) {
	w := sender.NewWorld(sized{}, 1)
	p := w.NewPeer()
	place, name := group.Place{Name: 1, Private: true}, uint16(0)
	step := func(change func()) {
		tick(w, change)
		for range messages(p, name) {
			p.HandleDelivered(name)
			name++
		}
	}
	step(func() {
		for s := range repl.Slot(repl.MaxMembers) {
			w.SpawnAt(s, set.MaskOf(0), place)
		}
		p.Show(0)
		p.SetView(0, view.Hidden{Slot: 7, Whole: true})
	})
	tick(w, func() { w.SpawnAt(5000, set.MaskOf(0), place) })
	_, public := w.ID(5000)
	assert.False(t, public || p.Finds(5000) || p.ActionsDue())
	step(func() { w.Despawn(7) })
	for range 200 {
		step(func() {})
	}
	step(func() { w.SpawnAt(5001, set.MaskOf(0), place) })
	at, _ := w.PlaceOf(5001)
	require.Equal(t, place, at)
	_, public = w.ID(5001)
	assert.True(t, !public && p.Finds(5001))
}

// A network id stays the same through moves, in the world and on peers, and leads to its entity.
// Its number is not reused while the entity lives, even if its group ended long ago.
func TestANameStaysThroughMoves(t *testing.T) {
	w := sender.NewWorld(sized{}, 1)
	p := w.NewPeer()
	tick(w, func() { w.SpawnAt(0, set.MaskOf(0), group.Place{Name: 1}) })
	born, ok := w.ID(0)
	require.True(t, ok)
	for i, place := range []group.Place{{Name: 2}, {}, {Name: 3, Private: true}, {Private: true}, {Name: 1}} {
		tick(w, func() { w.Move(0, place) })
		deliver(p, uint16(10*i))
		for range 200 {
			tick(w, func() {})
		}
		tick(w, func() { w.Spawn(repl.Slot(10+i), set.MaskOf(0)) })
		id, ok := w.ID(0)
		assert.True(t, ok)
		assert.Equal(t, born, id)
		at, ok := p.Slot(born)
		assert.True(t, ok)
		assert.Zero(t, at)
		other, _ := w.ID(repl.Slot(10 + i))
		assert.NotEqual(t, born.Group, other.Group, "its handle is another's")
	}
	tick(w, func() { w.Despawn(0) })
	deliver(p, 1000)
	_, ok = w.ID(0)
	assert.False(t, ok)
	_, ok = p.Slot(born)
	assert.False(t, ok)
	_, ok = p.Slot(repl.ID{Group: 1000})
	assert.False(t, ok)
	_, ok = p.Slot(repl.ID{Group: repl.Private})
	assert.False(t, ok)
}

// Private handles belong to each peer: they are dense, in the order in which a peer is shown the
// groups, and stand for other groups at another peer.
func TestPrivateHandlesAreEachPeersOwn(t *testing.T) {
	w := sender.NewWorld(sized{}, 1)
	a, b := w.NewPeer(), w.NewPeer()
	tick(w, func() {
		for s := range repl.Slot(3) {
			w.SpawnAt(s, set.MaskOf(0), group.Place{Private: true})
		}
	})
	for s := range repl.Slot(3) {
		require.True(t, a.Show(s))
		require.True(t, b.Show(2-s))
		h, ok := a.Group(s)
		assert.True(t, ok)
		assert.Equal(t, repl.Private+repl.Handle(s), h)
		_, ok = w.ID(s)
		assert.False(t, ok, "it has no public name")
	}
	for s := range repl.Slot(3) {
		at, _ := a.Slot(repl.ID{Group: repl.Private + repl.Handle(s)})
		assert.Equal(t, s, at)
		at, _ = b.Slot(repl.ID{Group: repl.Private + repl.Handle(s)})
		assert.Equal(t, 2-s, at)
	}
}

// A private handle is reused after its end was acknowledged.
func TestAPrivateHandleIsReused(t *testing.T) {
	w := sender.NewWorld(sized{}, 1)
	p := w.NewPeer()
	private := group.Place{Private: true}
	show := func(s repl.Slot) repl.Handle {
		w.SpawnAt(s, set.MaskOf(0), private)
		p.Show(s)
		h, _ := p.Group(s)
		return h - repl.Private
	}
	wait := func(ticks int) {
		for range ticks {
			tick(w, func() {})
		}
	}
	tick(w, func() { assert.Zero(t, show(0)) })
	deliver(p, 0)
	tick(w, func() { p.Hide(0) })
	require.Len(t, messages(p, 1), 1)
	wait(1000)
	tick(w, func() { assert.EqualValues(t, 1, show(1), "its end is under way") })
	p.HandleDelivered(1)
	deliver(p, 2)
	tick(w, func() { assert.Zero(t, show(3)) })
}

// A group that is shown again while its end is in flight begins again when the end is acknowledged,
// under its old handle, and can be predicted meanwhile.
func TestShownAgainWhileItsEndIsUnderWay(t *testing.T) {
	w := sender.NewWorld(sized{}, 1)
	p := w.NewPeer()
	tick(w, func() { w.SpawnAt(0, set.MaskOf(0), group.Place{Private: true}) })
	p.Show(0)
	deliver(p, 0)
	p.Predict(0, true)
	tick(w, func() { p.Hide(0) })
	require.Len(t, messages(p, 1), 1)
	tick(w, func() { p.Show(0) })
	assert.Empty(t, messages(p, 2))
	assert.Empty(t, p.AppendMark(nil, 100), "it is not sent")
	p.HandleDelivered(1)
	tick(w, func() {})
	require.Len(t, messages(p, 2), 1)
	p.HandleDelivered(2)
	h, _ := p.Group(0)
	assert.Equal(t, repl.Private, h)
	assert.NotEmpty(t, p.AppendMark(nil, 100), "it is predicted")
	tick(w, func() { p.Hide(0) })
	tick(w, func() { p.Show(0) })
	deliver(p, 3)
	tick(w, func() {})
	assert.NotEmpty(t, p.AppendMark(nil, 100), "it is predicted still")
	tick(w, func() { p.Predict(0, false) })
	require.Len(t, messages(p, 9), 1, "it is told so")
	assert.NotEmpty(t, p.AppendMark(nil, 100), "and may not have heard of it")
	p.HandleDelivered(9)
	tick(w, func() {})
	assert.Empty(t, p.AppendMark(nil, 100), "it is predicted no longer")
}

// A view of a group, and its prediction, end with the group: the next group under its handle is
// seen in full, and not predicted.
func TestAViewEndsWithItsGroup(t *testing.T) {
	for _, place := range []group.Place{{}, {Private: true}} {
		w := sender.NewWorld(sized{map[repl.Slot]int{0: 32}}, 1)
		p := w.NewPeer()
		spawn := func() repl.Handle {
			w.SpawnAt(0, set.MaskOf(0), place)
			p.Show(0)
			h, _ := p.Group(0)
			return h
		}
		var h repl.Handle
		tick(w, func() { h = spawn() })
		p.SetView(0, view.Hidden{Slot: 0, Whole: true})
		p.Predict(0, true)
		tick(w, func() { w.Despawn(0) })
		for s := range repl.Slot(2) { // creating a group frees handles after their rest period
			for range 100 {
				tick(w, func() {})
			}
			tick(w, func() { w.SpawnAt(10+s, set.MaskOf(0), group.Place{Private: !place.Private}) })
		}
		messages(p, 0)
		tick(w, func() { require.Equal(t, h, spawn()) })
		got := messages(p, 10)
		require.Len(t, got, 1)
		assert.Len(t, newParser(t, newModel(1)).actions(got[0])[0].joins, 1)
		p.HandleDelivered(10)
		assert.Empty(t, p.AppendMark(nil, 100))
	}
}

// Nothing remains of peers that disconnected and of entities that were despawned: the same handles
// are reused again and again.
func TestNothingIsLeftOfWhatEnded(t *testing.T) {
	n := newNetwork(t, 1, 13, 0)
	n.loss, n.delay = 0.2, 3
	most := map[bool]repl.Handle{}
	for round := range 24 {
		for range 2 {
			n.join()
		}
		for range 30 {
			n.step(n.randomChange)
		}
		for slot := range n.model.entities {
			for _, e := range n.peers {
				h, ok := e.peer.Group(slot)
				if ok && round < 4 {
					most[h.Private()] = max(most[h.Private()], h)
				}
				require.True(t, round < 4 || !ok || h < most[h.Private()]+32, "handle %d in round %d", h, round)
			}
		}
		for len(n.peers) > 0 {
			n.leave(0)
		}
		n.step(func() {
			for slot := range repl.Slot(64) {
				if _, lives := n.model.entities[slot]; lives {
					n.despawn(slot)
				}
			}
		})
		require.Zero(t, n.world.Len())
		for range 100 {
			n.step(func() {})
		}
	}
}

// A handle that a peer has only from a reference is given to another group, although the peer is not sent
// the end of the first group: under the next generation.
func TestAMentionedHandleIsUsedAgain(t *testing.T) {
	links := map[repl.Slot]repl.Slot{0: repl.NoSlot}
	w := sender.NewWorld(two{links}, 2)
	p := w.NewPeer()
	private := group.Place{Private: true}
	tick(w, func() { w.Spawn(0, set.MaskOf(1)); w.SpawnAt(1, set.MaskOf(0), private) })
	require.Len(t, messages(p, 0), 1)
	p.HandleDelivered(0)
	links[0] = 1
	tick(w, func() { w.Change(1, []repl.Slot{0}) })
	require.NotEmpty(t, p.AppendUpdates(nil, 100, 1))
	p.HandleAcked(1)
	h, ok := p.Group(1)
	require.True(t, ok)
	tick(w, func() { w.Despawn(1) })
	for range 200 {
		tick(w, func() {})
	}
	tick(w, func() { w.SpawnAt(5, set.MaskOf(0), private) })
	p.Show(5)
	other, _ := p.Group(5)
	require.Equal(t, h, other)
	sent := messages(p, 2)
	require.Len(t, sent, 1)
	var r bits.Reader
	var full repl.Record
	r.Reset(sent[0][4:]) // after the tick
	require.False(t, r.Bool(), "no units")
	heads := repl.Heads{Tick: w.Tick()}
	more, ok := heads.Read(&r, &full)
	require.True(t, more && ok)
	assert.Equal(t, h, full.Group)
	assert.EqualValues(t, 1, full.Generation)
}

// While a group is in flight as one transfer, no newer record of it is sent, however small.
//
// Proves: P9
func TestNothingOfAGroupGoesPastItsTransfer(t *testing.T) {
	w, p := swapping(map[repl.Slot]int{1: 2000 * 8})
	tick(w, func() { w.Change(0, []repl.Slot{1}) })
	require.Empty(t, p.AppendUpdates(nil, 1000, 1))
	require.Len(t, messages(p, 10), 1)
	tick(w, func() { w.Change(0, []repl.Slot{0}) })
	assert.Empty(t, p.AppendUpdates(nil, 1000, 2))
	assert.Empty(t, messages(p, 20))
	p.HandleDelivered(10)
	tick(w, func() {})
	assert.NotEmpty(t, p.AppendUpdates(nil, 1000, 3))
}

// What a unit counts for while it waits is given back when it is applied.
func TestAnAppliedUnitNoLongerCountsAsWaiting(t *testing.T) {
	r := receiver.New(nil, 1)
	part := func(number, part uint32, last bool) []byte {
		var w bits.Writer
		w.Bits(10, 32)
		w.Bool(true)
		w.Bool(true)
		head := repl.UnitHead{Number: number, Part: part}
		head.Append(&w, 10)
		heads := repl.Heads{Tick: 10}
		heads.End(&w)
		w.Bool(last)
		w.Bool(false)
		return w.Finish()
	}
	for number := range uint32(3) {
		require.NoError(t, r.HandleActions(part(number, 2, true)))
		one := r.WaitingBytes()
		require.Positive(t, one)
		require.NoError(t, r.HandleActions(part(number, 1, false)))
		require.Greater(t, r.WaitingBytes(), one)
		require.NoError(t, r.HandleActions(part(number, 0, false)))
		require.Zero(t, r.WaitingBytes())
	}
}
