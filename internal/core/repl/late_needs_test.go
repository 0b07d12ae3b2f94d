package repl_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/core/repl/view"
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
