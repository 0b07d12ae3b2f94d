package repl_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/core/repl/sender"
	"github.com/entangle-ecs/entangle/internal/core/repl/view"
	"github.com/entangle-ecs/entangle/internal/set"
)

// den is the place of a private group.
var den = group.Place{Name: 4, Private: true}

// retaining returns a peer that is shown a private group of slots 0 and 1, and has it.
func retaining(t *testing.T) (*network, *end) {
	n := newNetwork(t, 1, 3, 0)
	n.keep = true
	e := n.join()
	n.step(func() { n.arrive(e, 0, den); n.arrive(e, 1, den) })
	n.rest()
	n.requireEqual(e)
	return n, e
}

// arrive spawns an entity with all components at a place, and shows it to a peer.
func (n *network) arrive(e *end, slot repl.Slot, at group.Place) {
	n.model.names++
	is := entity{mask: set.MaskOf(0, 1, 2)}
	is.values[0] = uint32(slot) | n.model.names<<16
	n.put(slot, is, at)
	if e != nil {
		n.show(e, slot)
	}
}

func (n *network) rest() {
	for range 4 {
		n.step(func() {})
	}
}

// unsent runs a tick in which nothing is sent.
func (n *network) unsent(change func()) {
	n.tick++
	tick(n.world, change)
}

// says returns the number of frames and messages that a change and its consequences cause.
func (n *network) says(change func()) int {
	before := len(n.sent)
	n.step(change)
	n.rest()
	return len(n.sent) - before
}

// A group that a peer retains stays as it was. Nothing is sent for changes of its values,
// components and places, or for members that join and leave. When it is shown again, the peer
// receives all changes that it missed, for the same entities.
//
// Proves: V4
func TestWhatIsRetainedStaysAsItWas(t *testing.T) {
	n, e := retaining(t)
	before := e.sink.byName()
	for _, c := range []struct {
		name   string
		change func()
	}{
		{"retained", func() { n.retain(e, 0) }},
		{"retained once more", func() { n.retain(e, 1) }},
		{"a value", func() { n.set(0, 1, 77) }},
		{"a component goes", func() { n.reshape(1, n.model.entities[1]) }},
		{"it is predicted", func() { e.peer.Predict(0, true) }},
		{"and no longer", func() { e.peer.Predict(0, false) }},
		{"another view", func() { assert.False(t, e.peer.SetView(0, view.Hidden{Slot: 1, Whole: true})) }},
		{"one comes", func() { n.arrive(nil, 2, den) }},
		{"its rate", func() { n.world.SetRate(0, group.Rate{Every: 3, MaxAge: 1}) }},
		{"one pauses", func() { n.model.frozen[1] = n.model.entities[1]; n.model.paused[1] = true; n.world.Pause(1) }},
		{"and goes on", func() { n.resume(1) }},
		{"one comes and moves", func() { n.arrive(nil, 3, den) }},
	} {
		assert.Zero(t, n.says(c.change), c.name)
		assert.Equal(t, before, e.sink.byName(), c.name)
	}
	assert.Zero(t, n.says(func() { n.moveTo(3, group.Place{Private: true}) }), "moved out of sight")
	assert.Zero(t, n.says(func() { n.despawn(2) }), "an entity that came when it was not shown")
	assert.True(t, e.peer.Idle() && !e.peer.Sees(0) && e.peer.Retains(0))
	assert.NotZero(t, n.says(func() { n.show(e, 0) }))
	n.requireEqual(e)
	assert.Equal(t, 2, e.sink.spawned)
	assert.NotEqual(t, before, e.sink.byName())
}

// A change that waits to be sent when its group is retained is not sent any more.
//
// Proves: V4
func TestWhatWaitsWhenItIsRetainedIsNotSent(t *testing.T) {
	n, e := retaining(t)
	before := e.sink.byName()
	n.unsent(func() { n.set(0, 1, 77) })
	assert.Zero(t, n.says(func() { n.retain(e, 0) }))
	assert.Equal(t, before, e.sink.byName())
	assert.True(t, e.peer.Idle())
}

// unchecked runs some ticks, the first with a change, without the model's part in it. It returns the
// number of frames and messages that the peer was sent.
func (n *network) unchecked(e *end, change func()) (frames int) {
	sent := len(n.sent)
	for range 5 {
		n.unsent(change)
		n.sendTo(e)
		n.deliver(e)
		change = func() {}
	}
	return len(n.sent) - sent
}

// An end that waits to be sent when its group is retained is sent.
//
// Proves: V4
func TestAnEndThatWaitsWhenItsGroupIsRetainedIsSent(t *testing.T) {
	n, e := retaining(t)
	n.trusts = true
	zero := n.model.entities[0]
	n.unsent(func() { n.world.Despawn(1) })
	assert.NotZero(t, n.unchecked(e, func() { e.peer.Retain(0) }))
	assert.Equal(t, map[uint32]entity{zero.name(): zero}, e.sink.byName())
	assert.True(t, e.peer.Idle())
}

// The peer is sent the despawn of a retained group, or of one of its members, and nothing else:
// neither members that joined meanwhile, nor new values of the others.
//
// Proves: V4
func TestTheEndOfARetainedGroupIsSent(t *testing.T) {
	n, e := retaining(t)
	one := n.model.entities[1]
	n.step(func() { n.retain(e, 0); n.set(1, 1, 5); n.arrive(nil, 2, den) })
	n.step(func() { n.set(1, 1, 6); n.arrive(nil, 4, den) })
	n.step(func() { n.despawn(0); n.despawn(4) })
	told := newParser(t, n.model).actions(n.sent[len(n.sent)-1])
	require.Len(t, told, 1)
	assert.Len(t, told[0].leavers, 1, "one that came when it was not shown is not named")
	n.rest()
	assert.Equal(t, map[uint32]entity{one.name(): one}, e.sink.byName())
	assert.Zero(t, n.says(func() { n.despawn(2) }))
	n.step(func() { n.arrive(nil, 3, den) })
	assert.NotZero(t, n.says(func() { n.despawn(1) }))
	assert.Empty(t, e.sink.entities)
	assert.NotZero(t, n.says(func() { n.despawn(3) }), "the end of the group")
	assert.True(t, e.peer.Idle())
	assert.Equal(t, 2, e.sink.spawned)
}

// An orphaned entity stays as it was, in a retained group as well.
func TestAnEntityIsOrphanedInARetainedGroup(t *testing.T) {
	n, e := retaining(t)
	n.step(func() { n.retain(e, 0) })
	n.step(func() { n.abandon(0) })
	n.rest()
	assert.Len(t, e.sink.entities, 1)
	assert.Len(t, e.sink.corpses, 1)
}

// A group of one that is sent again in full tells who was orphaned, also behind a like full.
func TestAnEntityIsOrphanedBehindALikeFull(t *testing.T) {
	n := newNetwork(t, 1, 3, 0)
	e, next := n.join(), group.Place{Name: 5, Private: true}
	n.step(func() { n.arrive(e, 0, den) })
	n.step(func() { n.arrive(e, 1, next); n.arrive(e, 2, next) })
	n.rest()
	n.step(func() {
		n.abandon(2)
		for s := range repl.Slot(2) {
			n.setView(e, s, map[repl.Slot]view.Hidden{s: without(s, 2)})
		}
	})
	n.rest()
	n.requireEqual(e)
	assert.Len(t, e.sink.corpses, 1)
}

// An entity that a peer no longer sees is despawned there, even if it is orphaned on the server
// before the peer was sent the end of its group, which waits for other data or for an
// acknowledgement.
//
// Proves: V5
func TestAnEntityThatIsLetGoOutOfSightIsDespawned(t *testing.T) {
	for name, begin := range map[string]func(n *network, e *end){
		"shown":    func(*network, *end) {},
		"retained": func(n *network, e *end) { n.step(func() { n.retain(e, 0) }) },
	} {
		t.Run(name, func(t *testing.T) {
			for _, leavers := range [][]repl.Slot{{0}, {0, 1}} {
				n, e := retaining(t)
				begin(n, e)
				n.unsent(func() { n.hide(e, 0) })
				n.unsent(func() {
					for _, s := range leavers {
						n.abandon(s)
					}
				})
				n.rest()
				assert.Empty(t, e.sink.entities)
				assert.Empty(t, e.sink.corpses)
				assert.True(t, e.peer.Idle())
			}

			for _, sameTick := range []bool{false, true} {
				n, e := retaining(t)
				begin(n, e)
				n.unsent(func() {
					n.abandon(0)
					if sameTick {
						n.hide(e, 1)
					}
				})
				n.unsent(func() { n.hide(e, 1) })
				n.unsent(func() { n.abandon(1) })
				n.unsent(func() { n.hide(e, 1) })
				n.rest()
				assert.Empty(t, e.sink.entities)
				assert.Len(t, e.sink.corpses, 1, "it was let go in sight")
			}
		})
	}
}

// Peers are sent the end of a group in the same tick. The one from which it was hidden before despawns
// the entities that were let go since, and the others keep them, in whichever order they are served.
//
// Proves: V5
func TestAnEntityThatIsLetGoEndsOnlyWhereItIsOutOfSight(t *testing.T) {
	for name, out := range map[string]int{"the first is not shown it": 0, "the last is not shown it": 1} {
		t.Run(name, func(t *testing.T) {
			n := newNetwork(t, 1, 3, 0)
			n.trusts = true
			ends := []*end{n.join(), n.join()}
			n.step(func() {
				n.arrive(ends[0], 0, den)
				n.arrive(ends[0], 1, den)
				n.show(ends[1], 0)
			})
			n.rest()
			n.unsent(func() { n.hide(ends[out], 0) })
			n.unsent(func() { n.abandon(0); n.abandon(1) })
			n.rest()
			assert.Empty(t, ends[out].sink.entities)
			assert.Empty(t, ends[out].sink.corpses)
			assert.Empty(t, ends[1-out].sink.entities)
			assert.Len(t, ends[1-out].sink.corpses, 2)
		})
	}
}

// What becomes of an entity that is orphaned depends on whether the peer may see it at that time: in the group that it
// is in, even if the peer was not sent anything since the entity left a former one.
//
// Proves: R12, V5
func TestAnOrphanedEntityStaysWhereItWasVisible(t *testing.T) {
	open := group.Place{Name: 2}
	for name, c := range map[string]struct {
		ticks []func(n *network, e *end)
		stays bool
	}{
		"it moves, and its former group is hidden": {[]func(n *network, e *end){
			func(n *network, e *end) { n.moveTo(1, open); n.hide(e, 0) },
		}, true},
		"it moves after its former group is hidden": {[]func(n *network, e *end){
			func(n *network, e *end) { n.hide(e, 0) },
			func(n *network, _ *end) { n.moveTo(1, open) },
		}, true},
		"it moves out of view": {[]func(n *network, e *end){
			func(n *network, _ *end) { n.moveTo(1, group.Place{Name: 5, Private: true}) },
		}, false},
		"it moves out of view in two steps": {[]func(n *network, e *end){
			func(n *network, _ *end) { n.moveTo(1, open) },
			func(n *network, _ *end) { n.moveTo(1, group.Place{Name: 5, Private: true}) },
		}, false},
		"it moves to a group that is hidden": {[]func(n *network, e *end){
			func(n *network, e *end) { n.moveTo(1, group.Place{Name: 5, Private: true}); n.show(e, 1) },
			func(n *network, e *end) { n.hide(e, 1) },
		}, false},
		"its group is hidden": {[]func(n *network, e *end){
			func(n *network, e *end) { n.hide(e, 0) },
		}, false},
	} {
		for after, then := range map[string]func(n *network, e *end){
			"":                        func(*network, *end) {},
			", then shown":            func(n *network, e *end) { n.show(e, 0) },
			", then the group ends":   func(n *network, _ *end) { n.despawn(0) },
			", then another replaces": func(n *network, e *end) { n.arrive(e, 2, den) },
		} {
			t.Run(name+after, func(t *testing.T) {
				n, e := retaining(t)
				n.trusts = true
				for _, change := range c.ticks {
					n.unsent(func() { change(n, e) })
				}
				n.unsent(func() { n.pause(1) })
				n.unsent(func() { n.abandon(1) })
				n.unsent(func() { then(n, e) })
				n.rest()
				assert.Equal(t, c.stays, len(e.sink.corpses) > 0)
				assert.Equal(t, e.sink.spawned-e.sink.despawned, len(e.sink.kept()))
				assert.True(t, e.peer.Idle())
			})
		}
	}
}

// A retained group can be hidden, and be shown again after that.
func TestWhatIsRetainedCanBeHidden(t *testing.T) {
	for name, c := range map[string]struct {
		change  func(n *network, e *end)
		there   int
		spawned int
	}{
		"hidden":           {func(n *network, e *end) { n.hide(e, 0) }, 0, 2},
		"and hidden again": {func(n *network, e *end) { n.hide(e, 0); n.hide(e, 1) }, 0, 2},
		"and shown":        {func(n *network, e *end) { n.hide(e, 0); n.show(e, 0) }, 3, 3},
		"and retained":     {func(n *network, e *end) { n.hide(e, 0); e.peer.Retain(0) }, 2, 2},
		"retained, shown":  {func(n *network, e *end) { n.show(e, 0); n.retain(e, 0); n.show(e, 0) }, 3, 3},
	} {
		t.Run(name, func(t *testing.T) {
			n, e := retaining(t)
			n.step(func() { n.retain(e, 0) })
			n.step(func() { n.arrive(nil, 2, den); n.set(0, 1, 9) })
			n.trusts = true
			n.step(func() { c.change(n, e) })
			n.rest()
			assert.Len(t, e.sink.entities, c.there)
			assert.Equal(t, c.spawned, e.sink.spawned)
			assert.True(t, e.peer.Idle())
			if c.there == 3 {
				n.requireEqual(e)
			}
		})
	}
}

// Retaining a group that a peer was never sent hides it. Packets in flight arrive, and then it
// stays.
func TestWhatWasNeverSentIsNotRetained(t *testing.T) {
	n := newNetwork(t, 1, 3, 0)
	e := n.join()
	n.step(func() { n.arrive(e, 0, den); n.arrive(nil, 1, group.Place{}) })
	n.step(func() { n.arrive(e, 2, group.Place{Private: true}); n.retain(e, 2); n.retain(e, 1) })
	n.rest()
	assert.True(t, !e.peer.Retains(2) && !e.peer.Retains(1), "never sent, and public")
	assert.Len(t, e.sink.entities, 2)

	tick(n.world, func() { n.arrive(e, 3, group.Place{Private: true}) })
	all := n.messagesTo(e)
	tick(n.world, func() { e.peer.Retain(3); n.set(3, 1, 7) })
	require.Empty(t, n.messagesTo(e))
	for _, deliver := range all {
		deliver()
	}
	assert.Len(t, e.sink.entities, 3)
	assert.True(t, e.peer.Retains(3) && e.peer.Idle())
	tick(n.world, func() { n.world.Despawn(3) })
	for _, deliver := range n.messagesTo(e) {
		deliver()
	}
	assert.Len(t, e.sink.entities, 2)
}

// Values that are in flight when a group is retained may arrive or not: lost ones are not sent
// again, and acknowledged ones change nothing. When the group is shown again, the peer gets it in
// full.
func TestWhatIsLostBeforeItIsRetainedIsNotSentAgain(t *testing.T) {
	for name, fate := range map[string]func(p *sender.Peer){
		"lost":         func(p *sender.Peer) { p.HandleLost(1) },
		"acknowledged": func(p *sender.Peer) { p.HandleAcked(1) },
		"unheard of":   func(*sender.Peer) {},
	} {
		t.Run(name, func(t *testing.T) {
			n, e := retaining(t)
			p := e.peer
			tick(n.world, func() { n.set(0, 1, 7) })
			require.NotEmpty(t, p.AppendUpdates(nil, 1000, 1))
			tick(n.world, func() { p.Retain(0); n.set(0, 1, 8) })
			fate(p)
			assert.Zero(t, n.world.Stats().Resent)
			assert.Empty(t, p.AppendUpdates(nil, 1000, 2))
			tick(n.world, func() {})
			assert.Empty(t, p.AppendUpdates(nil, 1000, 2))
			assert.Empty(t, n.messagesTo(e))
			assert.False(t, p.ActionsDue())
			tick(n.world, func() { p.Show(0) })
			for _, deliver := range n.messagesTo(e) {
				deliver()
			}
			n.requireEqual(e)
			assert.Empty(t, p.AppendUpdates(nil, 1000, 3))
		})
	}
}

// Structure in flight arrives first. The removals of a retained group are delayed only by their
// turn, and so is the full group when it is shown again.
func TestWhatIsRetainedWithStructureUnderWay(t *testing.T) {
	n, e := retaining(t)
	tick(n.world, func() { n.reshape(0, n.model.entities[0]); n.arrive(nil, 2, den) })
	first := n.messagesTo(e)
	require.Len(t, first, 1)
	tick(n.world, func() { e.peer.Retain(0); n.despawn(1) })
	second := n.messagesTo(e)
	require.Len(t, second, 1)
	tick(n.world, func() { e.peer.Show(0) })
	require.Empty(t, n.messagesTo(e), "in full it goes past what is under way")
	second[0]()
	assert.Len(t, e.sink.entities, 2, "it waits for the one before")
	first[0]()
	assert.Len(t, e.sink.entities, 2)
	assert.Equal(t, 3, e.sink.spawned)
	tick(n.world, func() {})
	for _, deliver := range n.messagesTo(e) {
		deliver()
	}
	n.requireEqual(e)
}

// A peer that was sent a record of a group in a tick is not sent a second one of that tick, even if
// the group is retained and shown again meanwhile, because the peer would drop it as already
// applied.
//
// Proves: V4
func TestWhatIsRetainedAndShownInOneTickIsSentInTheNext(t *testing.T) {
	for name, change := range map[string]func(n *network){
		"an update":  func(n *network) { n.set(0, 1, 7) },
		"an action":  func(n *network) { n.reshape(0, n.model.entities[0]) },
		"of another": func(n *network) { n.arrive(nil, 2, den) },
		"an end":     func(n *network) { n.peers[0].peer.Retain(0); n.despawn(1) },
	} {
		t.Run(name, func(t *testing.T) {
			n, e := retaining(t)
			n.tick++
			tick(n.world, func() { change(n) })
			for _, deliver := range n.messagesTo(e) {
				deliver()
			}
			if b := e.peer.AppendUpdates(nil, 1000, 1); len(b) > 0 {
				require.NoError(t, e.copy.HandleUpdates(n.tick, b))
				e.peer.HandleAcked(1)
			}
			e.peer.Retain(0)
			e.peer.Show(0)
			require.Empty(t, n.messagesTo(e))
			tick(n.world, func() {})
			all := n.messagesTo(e)
			require.Len(t, all, 1)
			all[0]()
			n.requireEqual(e)
		})
	}
}

// An entity that moves from a retained group to a visible one is the same entity there. One that
// moves elsewhere becomes invisible, as does one that joins a retained group. A group that becomes
// public is shown.
//
// Proves: V4
func TestMovesToAndFromWhatIsRetained(t *testing.T) {
	seen, unseen := group.Place{Name: 5, Private: true}, group.Place{Name: 6, Private: true}
	for name, c := range map[string]struct {
		move    func(n *network)
		there   int
		spawned int
	}{
		"to a group that is seen":   {func(n *network) { n.moveTo(0, seen) }, 3, 3},
		"to a public one":           {func(n *network) { n.moveTo(0, group.Place{Name: 7}) }, 3, 3},
		"to one of its own, public": {func(n *network) { n.moveTo(0, group.Place{}) }, 3, 3},
		"all of it, to public":      {func(n *network) { n.moveTo(0, group.Place{Name: 4}); n.moveTo(1, group.Place{Name: 4}) }, 3, 3},
		"out of sight":              {func(n *network) { n.moveTo(0, unseen) }, 2, 3},
		"there, and into sight":     {func(n *network) { n.moveTo(0, unseen); n.moveTo(0, seen) }, 3, 3},
		"away and back":             {func(n *network) { n.moveTo(0, seen); n.moveTo(0, den) }, 2, 3},
		"from what is seen":         {func(n *network) { n.moveTo(2, den) }, 2, 3},
		"from out of sight":         {func(n *network) { n.moveTo(3, den) }, 3, 3},
		"through it":                {func(n *network) { n.moveTo(2, den); n.moveTo(2, seen) }, 3, 3},
		"through it, by and by":     {func(n *network) { n.moveTo(3, seen) }, 4, 4},
	} {
		t.Run(name, func(t *testing.T) {
			n, e := retaining(t)
			n.step(func() {
				n.arrive(e, 2, seen)
				n.arrive(nil, 3, unseen)
				n.arrive(e, 4, seen)
				n.world.Despawn(4)
				n.drop(4)
			})
			n.rest()
			require.Len(t, e.sink.entities, 3)
			n.step(func() { n.retain(e, 0) })
			if name == "through it, by and by" {
				n.step(func() { n.moveTo(3, den) })
				n.rest()
			}
			n.step(func() {
				c.move(n)
				if at := n.key(2).place; at == seen {
					n.show(e, 2)
				} else if at := n.key(0).place; at == seen {
					n.show(e, 0)
				}
			})
			n.rest()
			assert.Len(t, e.sink.entities, c.there)
			assert.Equal(t, c.spawned, e.sink.spawned)
			assert.True(t, e.peer.Idle())
			n.step(n.showRetained)
			n.rest()
			n.requireEqual(e)
		})
	}
}

// An entity in a group of its own that moves to a private group despawns at a peer that is not shown that group, whether
// the peer saw its former group or retained it. It is another entity there when the group is shown.
//
// Proves: V4
func TestAnEntityOfItsOwnThatMovesOutOfSightDespawns(t *testing.T) {
	for name, c := range map[string]struct {
		from     group.Place
		retained bool
	}{
		"public":   {},
		"private":  {from: group.Place{Private: true}},
		"retained": {from: group.Place{Private: true}, retained: true},
	} {
		n := newNetwork(t, 1, 3, 0)
		e := n.join()
		n.step(func() { n.arrive(e, 0, c.from) })
		if n.rest(); c.retained {
			n.step(func() { n.retain(e, 0) })
		}
		n.step(func() { n.set(0, 1, 5); n.moveTo(0, den); n.retain(e, 0) })
		n.rest()
		assert.Empty(t, e.sink.entities, name)
		assert.False(t, e.peer.Keeps(0), name)
		n.step(func() { n.arrive(e, 1, group.Place{}); n.show(e, 0) })
		n.rest()
		n.requireEqual(e)
		assert.Equal(t, 3, e.sink.spawned, name)
	}
}

// A peer loses the parts of a group that are hidden from it when the group is retained, or later,
// even if their removal was not sent before they are no longer hidden: what a peer retains does not
// depend on its network.
//
// Proves: V4, V11
func TestWhatWasHiddenIsNotRetained(t *testing.T) {
	for name, hide := range map[string]func(e *end, hidden ...view.Hidden){
		"while it was shown":    func(e *end, hidden ...view.Hidden) { e.peer.SetView(0, hidden...) },
		"while it was retained": func(e *end, hidden ...view.Hidden) { e.peer.Retain(0, hidden...) },
	} {
		n, e := retaining(t)
		n.trusts = true
		zero := n.model.entities[0]
		n.unsent(func() { hide(e, view.Hidden{Slot: 0, Comps: set.MaskOf(2)}, view.Hidden{Slot: 1, Whole: true}) })
		n.unchecked(e, func() { e.peer.Retain(0) })
		assert.Equal(t, map[uint32]entity{zero.name(): zero.without(set.MaskOf(2))}, e.sink.byName(), name)
		assert.True(t, e.peer.Idle() && e.peer.Keeps(0) && !e.peer.Keeps(1), name)
	}
}

// A group is shown again, and is retained once more before it was sent in full. The parts that are
// hidden then are removed from the peer, including a component that was removed while the group was
// retained, because the peer still has it.
//
// Proves: V4, V11
func TestWhatIsRetainedOnceMoreLosesWhatItHasStill(t *testing.T) {
	n, e := retaining(t)
	one := n.model.entities[1]
	n.step(func() { n.retain(e, 0) })
	n.step(func() {
		n.world.Reshape(1, set.Mask{}, set.MaskOf(2))
		n.model.entities[1] = one.without(set.MaskOf(2))
	})
	n.step(func() { n.despawn(0) })
	n.rest()
	require.Equal(t, map[uint32]entity{one.name(): one}, e.sink.byName())
	n.step(func() {
		n.show(e, 1)
		n.retainWithout(e, 1, map[repl.Slot]view.Hidden{1: {Slot: 1, Comps: set.MaskOf(2)}})
	})
	n.rest()
	assert.Equal(t, map[uint32]entity{one.name(): one.without(set.MaskOf(2))}, e.sink.byName())
	assert.True(t, e.peer.Idle())
}

// A retained group does not delay the confirmed tick of the other groups that the peer predicts.
func TestWhatIsRetainedHoldsNoTickUp(t *testing.T) {
	n, e := retaining(t)
	n.step(func() {
		n.arrive(nil, 2, group.Place{})
		n.foresee(e, 0, true)
		n.foresee(e, 2, true)
	})
	n.rest()
	n.step(func() { n.set(0, 1, 3); n.retain(e, 0) })
	for range 40 {
		n.step(func() { n.set(0, 1, n.rng.Uint32()); n.set(2, 1, n.rng.Uint32()) })
	}
	settled, ok := e.copy.ConfirmedTick()
	assert.True(t, ok)
	assert.Equal(t, n.tick, settled)
}

// Under a tight budget a retained group takes no bytes, and its bound is not broken.
func TestWhatIsRetainedTakesNoShare(t *testing.T) {
	n, e := retaining(t)
	n.step(func() {
		n.arrive(nil, 2, group.Place{})
		n.world.SetRate(0, group.Rate{MaxAge: 2, Priority: 100})
	})
	n.rest()
	n.step(func() { n.set(0, 1, 1); n.retain(e, 0) })
	n.limit = func(*end) int { return 12 }
	for range 20 {
		n.step(func() { n.set(0, 1, n.rng.Uint32()); n.set(2, 1, n.rng.Uint32()) })
		is := n.model.entities[2]
		assert.Equal(t, is.values[1], e.sink.byName()[is.name()].values[1])
		_, broken := e.peer.PollBreach()
		assert.False(t, broken)
	}
}

// References to retained entities lead to those entities.
func TestWhatRefersToTheRetainedFindsIt(t *testing.T) {
	n, e := retaining(t)
	n.model.links, e.sink.links = true, true
	n.step(func() { n.retain(e, 0) })
	n.step(func() {
		n.arrive(nil, 2, group.Place{})
		n.set(2, linkComp, 1)
	})
	n.rest()
	id, ok := e.peer.Named(0)
	require.True(t, ok)
	at, there := e.copy.Slot(id)
	require.True(t, there)
	for _, is := range e.sink.entities {
		if is.name() == uint32(2|n.model.names<<16) {
			assert.Equal(t, at, is.link.Slot)
		}
	}
}

// When a peer joins, retained groups count as received, even while they are in flight.
func TestWhatIsRetainedCountsAsJoined(t *testing.T) {
	n := newNetwork(t, 1, 3, 0)
	e := n.join()
	tick(n.world, func() { n.arrive(e, 0, den); n.arrive(e, 1, group.Place{Private: true}) })
	e.peer.Join()
	first := e.peer.AppendActions(nil, 1)
	e.peer.ActionsSent(1)
	tick(n.world, func() { e.peer.Retain(0); e.peer.Retain(1) })
	assert.NotEmpty(t, first)
	assert.Equal(t, sender.Progress{Have: 1, Of: 2, Begun: true}, e.peer.Joining())
	e.peer.HandleDelivered(1)
	assert.True(t, e.peer.Joining().Done())
}

// Nothing is sent of an entity that joins a group and ends before the peer is sent that.
func TestWhatEndsUnsentIsNotNamed(t *testing.T) {
	n, _ := retaining(t)
	n.trusts = true
	n.unsent(func() { n.world.SpawnAt(2, set.MaskOf(0), den) })
	assert.Zero(t, n.says(func() { n.world.Despawn(2) }))
}
