package repl_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/sender"
)

// An entity that leaves a group of its own, public or not, for a group that the peer retains, stays
// there as it was, also if the move was to be sent and was not. Not a byte is sent of that. The peer
// loses components that are hidden from it. It gets the entity again, the same one, when the group
// is shown, and is sent its end otherwise.
//
// Proves: V4, V13
func TestWhoMovesToWhatIsRetainedStays(t *testing.T) {
	lone := sender.Place{Private: true}
	type act = func(n *network, e *end)
	hidden := func(h sender.Hidden) act {
		return func(n *network, e *end) { e.peer.RetainMoved(0, h) }
	}
	for name, c := range map[string]struct {
		from  sender.Place
		then  act
		there bool
		bytes bool
	}{
		"shown":              {lone, func(_ *network, e *end) { e.peer.Show(0); e.peer.SetView(0) }, true, true},
		"public, and shown":  {sender.Place{}, func(_ *network, e *end) { e.peer.Show(0); e.peer.SetView(0) }, true, true},
		"made public":        {lone, func(n *network, _ *end) { n.world.Move(0, sender.Place{}) }, true, true},
		"moved on":           {lone, func(n *network, e *end) { n.world.Move(0, den); e.peer.RetainMoved(0) }, true, false},
		"moved out of sight": {lone, func(n *network, _ *end) { n.world.Move(0, den) }, false, true},
		"hidden":             {lone, func(_ *network, e *end) { e.peer.Hide(0) }, false, true},
		"public, and hidden": {sender.Place{}, func(_ *network, e *end) { e.peer.Hide(0) }, false, true},
		"ended":              {lone, func(n *network, _ *end) { n.world.Despawn(0) }, false, true},
		"public, and ended":  {sender.Place{}, func(n *network, _ *end) { n.world.Despawn(0) }, false, true},
		"hidden in it":       {lone, hidden(sender.Hidden{Slot: 0, Whole: true}), false, true},
		"less a component":   {lone, hidden(sender.Hidden{Slot: 0, Comps: repl.MaskOf(1)}), true, true},
		"public, less one":   {sender.Place{}, hidden(sender.Hidden{Slot: 0, Comps: repl.MaskOf(1)}), true, true},
		"asked for":          {lone, func(n *network, e *end) { e.peer.HandleResync(repl.Private) }, false, true},
		"public, asked for":  {sender.Place{}, func(n *network, e *end) { e.peer.HandleResync(0); e.peer.HandleResync(0) }, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			n := newNetwork(t, 1, 3, 0)
			n.keep, n.trusts = true, true
			e := n.join()
			n.step(func() { n.arrive(e, 0, c.from) })
			n.rest()
			before := e.sink.byName()
			says := func(change func()) (frames int) {
				sent := len(n.sent)
				for range 5 {
					n.tick++
					tick(n.world, change)
					n.sendTo(e)
					n.deliver(e)
					change = func() {}
				}
				return len(n.sent) - sent
			}
			require.Len(t, before, 1)
			assert.Zero(t, says(func() {
				n.world.Change(1, []repl.Slot{0})
				n.world.Move(0, sender.Place{Name: 9, Private: true})
				e.peer.RetainMoved(0)
			}))
			for h := range e.oracle.lives {
				slot, ok := e.peer.Seat(h, 0)
				assert.True(t, ok && slot == 0, "what is sent of it is found")
			}
			assert.True(t, e.peer.Keeps(0) && !e.peer.Finds(0) && e.peer.Idle())
			assert.Zero(t, says(func() { n.world.Change(1, []repl.Slot{0}); n.world.SetRate(0, sender.Rate{Every: 2}) }))
			assert.Equal(t, before, e.sink.byName())
			assert.Equal(t, c.bytes, says(func() { c.then(n, e) }) > 0)
			assert.Equal(t, c.there, len(e.sink.entities) == 1)
			assert.Equal(t, 1, e.sink.spawned)
			assert.True(t, e.peer.Idle())
			says(func() { n.world.Despawn(0) })
			assert.Empty(t, e.sink.entities)
		})
	}
}
