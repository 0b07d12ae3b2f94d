package repl_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/core/repl/sender"
	"github.com/entangle-ecs/entangle/internal/core/repl/view"
	"github.com/entangle-ecs/entangle/internal/set"
)

// An entity left a group long ago and was hidden meanwhile. The unit by which it joins another group
// needs the last action of the first group if the peer may still have the entity there: if the action by which
// it left is in flight, or waits at the peer for another action, of this group or another one. A second peer that
// acknowledges nothing makes the sender remember the leaving, which changes no need.
//
// Proves: V13, R41
func TestAnActionNeedsAGroupThatWasLeftLongAgo(t *testing.T) {
	type event struct {
		change  func(n *network)
		arrives bool
	}
	away := func(n *network) { n.moveTo(0, group.Place{Private: true}) }
	reshape := func(s repl.Slot) func(n *network) {
		return func(n *network) { n.reshape(s, n.model.entities[s]) }
	}
	for name, c := range map[string]struct {
		events []event
		needed bool
	}{
		"it arrived":                 {[]event{{away, true}}, false},
		"it is under way":            {[]event{{away, false}}, true},
		"a later one is under way":   {[]event{{away, true}, {reshape(1), false}}, false},
		"it waits for one before it": {[]event{{reshape(1), false}, {away, true}}, true},
		"it waits for another group": {[]event{{reshape(6), false}, {func(n *network) { away(n); n.moveTo(4, group.Place{Name: 1}) }, true}}, true},
		"and a later one, too":       {[]event{{away, false}, {reshape(1), false}}, true},
		"it waits, and a later one":  {[]event{{reshape(6), false}, {func(n *network) { away(n); n.moveTo(4, group.Place{Name: 1}) }, true}, {reshape(1), false}}, true},
		"it is not the first": {[]event{
			{reshape(6), false},
			{func(n *network) { n.moveTo(2, group.Place{Name: 3}) }, true},
			{func(n *network) { away(n); n.moveTo(4, group.Place{Name: 1}) }, true},
		}, true},
		"another group is under way": {[]event{{reshape(6), false}, {away, true}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			var told [2][][]byte
			for other := range told {
				n := newNetwork(t, 1, 3, 0)
				e := n.join()
				deaf := n.world.NewPeer()
				message, late := uint16(0), [][]byte(nil)
				step := func(change func(n *network), arrives bool) (all [][]byte) {
					n.tick++
					tick(n.world, func() { change(n) })
					for i := range messages(deaf, message) {
						if other == 1 || n.tick == 1 {
							deaf.HandleDelivered(message + uint16(i))
						}
					}
					all = messages(e.peer, message)
					for i, m := range all {
						if !arrives {
							late = append(late, m)
							continue
						}
						require.NoError(t, e.copy.HandleActions(m))
						e.peer.HandleDelivered(message + uint16(i))
					}
					message += 100
					return all
				}
				step(func(n *network) {
					for _, name := range []uint32{1, 1, 2, 2, 3, 3, 4, 4} {
						n.spawnAt(group.Place{Name: name})
					}
				}, true)
				var sent entangle.Tick
				for _, event := range c.events {
					for _, m := range step(event.change, event.arrives) {
						for _, s := range newParser(t, n.model).actions(m) {
							if s.Group == 0 {
								sent = n.tick
							}
						}
					}
				}
				for range 300 {
					step(func(*network) {}, true)
				}
				told[other] = step(func(n *network) { n.moveTo(0, group.Place{Name: 2}) }, true)
				var needs []repl.Need
				for _, m := range told[other] {
					for _, s := range newParser(t, n.model).actions(m) {
						needs = append(needs, s.needs...)
					}
				}
				if c.needed {
					assert.Equal(t, []repl.Need{{Group: 0, Tick: sent}}, needs)
				} else {
					assert.Empty(t, needs)
				}
				for _, m := range late {
					require.NoError(t, e.copy.HandleActions(m))
				}
				assert.Len(t, e.sink.byName(), 8)
			}
			assert.Equal(t, told[0], told[1])
		})
	}
}

// A unit by which an entity joins a group needs the last action that the peer was sent of a group
// in which it may have the entity: also if the entity was hidden when it left. It needs no group in
// which the entity was so briefly that the peer was not sent it.
//
// Proves: R41
func TestAnActionNeedsWhatThePeerWasSent(t *testing.T) {
	there, name := group.Place{Name: 5, Private: true}, uint16(100)
	n, e := retaining(t)
	needs := func(change func()) (all []repl.Need) {
		n.unsent(change)
		name += 100
		for _, m := range messages(e.peer, name) { // nothing is acknowledged
			for _, s := range newParser(t, n.model).actions(m) {
				all = append(all, s.needs...)
			}
		}
		return all
	}
	n.step(func() { n.arrive(e, 2, there) })
	n.rest()
	h, _ := e.peer.Group(0)
	assert.Empty(t, needs(func() { e.peer.SetView(0, view.Hidden{Slot: 0, Whole: true}) }))
	hidden := n.tick
	assert.Empty(t, needs(func() { n.moveTo(0, group.Place{Name: 9, Private: true}) }))
	assert.Equal(t, []repl.Need{{Group: h, Tick: hidden}}, needs(func() { n.moveTo(0, there) }))

	n, e = retaining(t)
	n.step(func() { n.arrive(e, 2, there); n.arrive(nil, 3, group.Place{}) })
	n.rest()
	assert.Empty(t, needs(func() { n.reshape(2, n.model.entities[2]) }))
	n.unsent(func() { n.moveTo(3, there) })
	assert.Empty(t, needs(func() { n.moveTo(3, den) }))
}

// said returns the records of some messages.
func said(t *testing.T, messages ...[]byte) (all []saying) {
	for _, m := range messages {
		all = append(all, newParser(t, newModel(1)).actions(m)...)
	}
	return all
}

// When a group is shown again, the unit needs the former groups of all entities in it, including those of entities that
// joined before the end of the group was sent. The needs of a unit leave room for its actions only in the next message. An entity that returns to its group needs
// nothing.
//
// Proves: R41
func TestNeedsOfAGroupThatIsShownAgain(t *testing.T) {
	w := sender.NewWorld(sized{map[repl.Slot]int{0: 32, 1: 32, 2: 32}}, 1)
	p, there := w.NewPeer(), group.Place{Name: 2, Private: true}
	tick(w, func() {
		w.SpawnAt(0, set.MaskOf(0), group.Place{Name: 1})
		w.SpawnAt(1, set.MaskOf(0), group.Place{Name: 1})
		w.SpawnAt(2, set.MaskOf(0), there)
	})
	p.Show(2)
	deliver(p, 0)
	tick(w, func() { w.Move(0, there); p.Hide(2) })
	require.Equal(t, repl.Change, said(t, p.AppendActions(nil, 1))[0].Kind)
	p.ActionsSent(10)
	require.Equal(t, repl.Gone, said(t, p.AppendActions(nil, 1))[0].Kind)
	p.ActionsSent(11)
	p.HandleDelivered(11)
	tick(w, func() { p.Show(2) })
	require.NotEmpty(t, p.AppendActions(nil, 1))
	require.Zero(t, p.ActionsSent(20), "the needs alone have no room")
	full := said(t, p.AppendActions(nil, 1))
	require.Equal(t, 1, p.ActionsSent(21))
	require.Len(t, full, 1)

	for _, message := range []uint16{10, 20, 21} {
		p.HandleDelivered(message)
	}
	tick(w, func() { w.Move(0, group.Place{Name: 3, Private: true}) })
	messages(p, 30)
	tick(w, func() { w.Move(0, there) })
	for _, s := range said(t, messages(p, 40)...) {
		assert.Zero(t, s.unit, "it returns")
	}
}

// Two groups are sent in full together. An entity leaves one of them and is hidden. The full is in flight, and what was
// sent after it has arrived: it waits at the peer.
//
// Proves: R41
func TestAnActionNeedsAGroupTheFullOfWhichIsInFlight(t *testing.T) {
	w := sender.NewWorld(sized{map[repl.Slot]int{0: 32, 1: 32, 2: 32}}, 1)
	p := w.NewPeer()
	tick(w, func() { w.Spawn(0, set.MaskOf(0)); w.Spawn(1, set.MaskOf(0)) })
	require.Len(t, messages(p, 0), 1)
	h, _ := p.Group(0)
	tick(w, func() { w.Move(0, group.Place{Private: true}) })
	deliver(p, 10)
	tick(w, func() { w.Move(0, group.Place{}) })
	records := said(t, messages(p, 20)...)
	require.Len(t, records, 1)
	assert.Equal(t, []repl.Need{{Group: h, Tick: 2}}, records[0].needs)
}

// An entity has moved to another group before a peer is sent its former group: before the peer joined, or while that group
// was hidden from it. The peer never had the entity there, and the entity's group needs nothing.
func TestAGroupNeedsNoGroupThatThePeerWasSentLater(t *testing.T) {
	former, there := group.Place{Name: 1, Private: true}, group.Place{Name: 2, Private: true}
	for name, before := range map[string]func(*sender.World, *sender.Peer){
		"joined": func(*sender.World, *sender.Peer) {},
		"shown again": func(w *sender.World, p *sender.Peer) {
			p.Show(0)
			deliver(p, 0)
			tick(w, func() { p.Hide(0) })
			deliver(p, 10)
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := sender.NewWorld(sized{map[repl.Slot]int{0: 32, 1: 32}}, 1)
			p := w.NewPeer()
			tick(w, func() { w.SpawnAt(0, set.MaskOf(0), former); w.SpawnAt(1, set.MaskOf(0), former) })
			before(w, p)
			tick(w, func() { w.Move(0, there) })
			tick(w, func() { p.Show(1); p.Show(0) })
			sent := said(t, messages(p, 20)...)
			require.Len(t, sent, 2)
			for _, s := range sent {
				assert.Equal(t, repl.Full, s.Kind)
				assert.Zero(t, s.unit)
			}
		})
	}
}

// wandered returns a world in which some entities, each alone in its group, moved on a number of times, and then to a group
// that is hidden from a peer. It has acknowledged none of that: the messages of the first moves have numbers from 1000 on.
// Entities 5000 to 5003 are in groups of two.
func wandered(entities, moves int) (w *sender.World, p *sender.Peer, first int) {
	w = sender.NewWorld(sized{}, 1)
	p = w.NewPeer()
	all := func(do func(s repl.Slot)) {
		tick(w, func() {
			for s := range repl.Slot(entities) {
				do(s)
			}
		})
	}
	tick(w, func() {
		for s := range repl.Slot(4) {
			w.SpawnAt(5000+s, set.Mask{}, group.Place{Name: 2 + uint32(s)/2})
		}
	})
	all(func(s repl.Slot) { w.Spawn(s, set.Mask{}) })
	deliver(p, 0)
	for i := range uint32(moves) {
		all(func(s repl.Slot) { w.Move(s, group.Place{Name: 5000*(i+1) + uint32(s)}) })
		if sent := len(messages(p, 1000*uint16(i+1))); i == 0 {
			first = sent
		}
	}
	all(func(s repl.Slot) { w.Move(s, group.Place{Name: 1, Private: true}) })
	messages(p, 30000)
	return w, p, first
}

// A unit that would need more groups than a unit may waits until the peer has acknowledged some.
func TestAUnitOfTooManyNeedsWaits(t *testing.T) {
	w, p, first := wandered(repl.MaxNeeds/2+1, 1)
	tick(w, func() { p.Show(0) })
	require.Zero(t, len(messages(p, 40000)))
	for i := range first {
		p.HandleDelivered(1000 + uint16(i))
	}
	tick(w, func() {})
	assert.Len(t, said(t, messages(p, 40000)...), 1, "it needs the second groups")
}

// A unit does not begin in a message that has no room for its needs.
func TestNeedsTakeRoom(t *testing.T) {
	for room := 60; room < 200; room++ {
		w, p, _ := wandered(30, 8)
		tick(w, func() {
			w.Move(5000, group.Place{Name: 3})
			w.Move(5002, group.Place{Name: 2})
			p.Show(0)
		})
		swap := p.AppendActions(nil, room)
		require.Equal(t, 2, p.ActionsSent(40000))
		require.LessOrEqual(t, len(swap), room)
		require.Len(t, said(t, messages(p, 40001)...), 1)
	}
}
