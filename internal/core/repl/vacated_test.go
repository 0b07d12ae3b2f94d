package repl_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/core/repl/view"
	"github.com/entangle-ecs/entangle/internal/set"
)

// An entity that leaves a group of its own, public or not, for a group that the peer retains, stays
// there as it was, even if the move was to be sent and was not. Nothing is sent for that. The peer
// loses components that are hidden from it. When the group is shown it gets the same entity again;
// otherwise it is sent its despawn.
//
// Proves: V4, V13
func TestWhoMovesToWhatIsRetainedStays(t *testing.T) {
	lone := group.Place{Private: true}
	type act = func(n *network, e *end)
	hidden := func(h ...view.Hidden) act {
		return func(n *network, e *end) { e.peer.RetainMoved(0, h...) }
	}
	for name, c := range map[string]struct {
		from  group.Place
		then  act
		there bool
		bytes bool
	}{
		"shown":              {lone, func(_ *network, e *end) { e.peer.Show(0); e.peer.SetView(0) }, true, true},
		"public, and shown":  {group.Place{}, func(_ *network, e *end) { e.peer.Show(0); e.peer.SetView(0) }, true, true},
		"made public":        {lone, func(n *network, _ *end) { n.world.Move(0, group.Place{}) }, true, true},
		"moved on":           {lone, func(n *network, e *end) { n.world.Move(0, den); e.peer.RetainMoved(0) }, true, false},
		"moved out of sight": {lone, func(n *network, _ *end) { n.world.Move(0, den) }, false, true},
		"hidden":             {lone, func(_ *network, e *end) { e.peer.Hide(0) }, false, true},
		"public, and hidden": {group.Place{}, func(_ *network, e *end) { e.peer.Hide(0) }, false, true},
		"ended":              {lone, func(n *network, _ *end) { n.world.Despawn(0) }, false, true},
		"public, and ended":  {group.Place{}, func(n *network, _ *end) { n.world.Despawn(0) }, false, true},
		"hidden in it":       {lone, hidden(view.Hidden{Slot: 0, Whole: true}), false, true},
		"hidden, and less":   {lone, hidden(view.Hidden{Slot: 0, Whole: true}, view.Hidden{Slot: 0, Comps: set.MaskOf(1)}), false, true},
		"less a component":   {lone, hidden(view.Hidden{Slot: 0, Comps: set.MaskOf(1)}), true, true},
		"public, less one":   {group.Place{}, hidden(view.Hidden{Slot: 0, Comps: set.MaskOf(1)}), true, true},
		"asked for":          {lone, func(n *network, e *end) { e.peer.HandleResync(repl.Private) }, false, true},
		"public, asked for":  {group.Place{}, func(n *network, e *end) { e.peer.HandleResync(0); e.peer.HandleResync(0) }, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			n := newNetwork(t, 1, 3, 0)
			n.keep, n.trusts = true, true
			e := n.join()
			n.step(func() { n.arrive(e, 0, c.from) })
			n.rest()
			before := e.sink.byName()
			says := func(change func()) int { return n.unchecked(e, change) }
			require.Len(t, before, 1)
			assert.Zero(t, says(func() {
				n.world.Change(1, []repl.Slot{0})
				n.world.Move(0, group.Place{Name: 9, Private: true})
				e.peer.RetainMoved(0)
			}))
			for h := range e.oracle.lives {
				slot, ok := e.peer.MemberSlot(h, 0)
				assert.True(t, ok && slot == 0, "what is sent of it is found")
				_, ok = e.peer.MemberSlot(h, 1)
				assert.False(t, ok)
			}
			assert.True(t, e.peer.Keeps(0) && !e.peer.Finds(0) && e.peer.Idle())
			assert.Zero(t, says(func() { n.world.Change(1, []repl.Slot{0}); n.world.SetRate(0, group.Rate{Every: 2}) }))
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

// vacate moves an entity in the tick of a change, to a group that the peer retains.
func (n *network) vacate(e *end, change func(), hidden ...view.Hidden) (frames int) {
	return n.unchecked(e, func() {
		change()
		n.world.Move(0, group.Place{Name: 9, Private: true})
		e.peer.RetainMoved(0, hidden...)
	})
}

// alone is a peer that is shown a private group of slot 0 alone.
func alone(t *testing.T) (*network, *end) {
	n := newNetwork(t, 1, 3, 0)
	n.keep, n.trusts = true, true
	e := n.join()
	n.step(func() { n.arrive(e, 0, group.Place{Private: true}) })
	n.rest()
	return n, e
}

// An entity that moves to a group that the peer retains despawns where the peer could not have kept
// it in its former group: it was hidden there, the peer requested a resync of it or predicts it, or
// it was not alone. It does not come back where its end was sent.
//
// Proves: V4
func TestWhoIsNotKeptWhereItWasMovesOutOfSight(t *testing.T) {
	for name, before := range map[string]func(e *end){
		"hidden":    func(e *end) { e.peer.Hide(0) },
		"asked for": func(e *end) { e.peer.HandleResync(repl.Private) },
		"predicted": func(*end) {},
	} {
		n, e := alone(t)
		n.unchecked(e, func() { e.peer.Predict(0, name == "predicted") })
		assert.NotZero(t, n.vacate(e, func() { before(e) }), name)
		assert.Empty(t, e.sink.entities, name)
		assert.False(t, e.peer.Keeps(0), name)
	}

	n, e := retaining(t)
	n.trusts = true
	assert.NotZero(t, n.vacate(e, func() {}))
	assert.Len(t, e.sink.entities, 1, "not alone")
	assert.False(t, e.peer.Keeps(0))

	n, e = alone(t)
	n.unsent(func() { n.world.Move(0, den) })
	n.sendTo(e)
	assert.Zero(t, n.unchecked(e, func() { e.peer.RetainMoved(0) }))
	require.Empty(t, e.sink.entities)
	assert.False(t, e.peer.Keeps(0), "its end was sent")
}

// A peer loses a component of an entity that moved to a group that it retains exactly if it has the
// component and it is hidden, and only once. It has what it got last: a component that was hidden
// then, or that was added or removed later, does not count.
//
// Proves: V4, V13
func TestWhoMovesToWhatIsRetainedLosesWhatThePeerHas(t *testing.T) {
	two := view.Hidden{Slot: 0, Comps: set.MaskOf(2)}
	type act = func(n *network, e *end)
	less := func(n *network, _ *end) { n.world.Reshape(0, set.Mask{}, set.MaskOf(2)) }
	more := func(n *network, _ *end) { n.world.Reshape(0, set.MaskOf(2), set.Mask{}) }
	for name, c := range map[string]struct {
		before     []act // one after the other
		change     act
		has, loses bool
	}{
		"it has it":                  {has: true, loses: true},
		"hidden before":              {before: []act{func(_ *network, e *end) { e.peer.SetView(0, two) }}},
		"removed before":             {before: []act{less}},
		"removed in that tick":       {change: less, has: true, loses: true},
		"added in that tick":         {before: []act{less}, change: more},
		"retained, and then removed": {before: []act{func(_ *network, e *end) { e.peer.Retain(0) }, less}, has: true, loses: true},
	} {
		t.Run(name, func(t *testing.T) {
			n, e := alone(t)
			mask := func() (m set.Mask) {
				for _, is := range e.sink.entities {
					m = is.mask
				}
				return m
			}
			for _, before := range c.before {
				n.unchecked(e, func() { before(n, e) })
			}
			has := mask()
			require.Equal(t, c.has || c.before == nil && c.change == nil, has.Has(2))
			if c.change == nil {
				c.change = func(*network, *end) {}
			}
			assert.Equal(t, c.loses, n.vacate(e, func() { c.change(n, e) }, two) > 0)
			assert.Equal(t, set.MaskOf(0, 1), mask())
			assert.Zero(t, n.unchecked(e, func() { e.peer.RetainMoved(0, two) }), "once more")
			n.unchecked(e, func() { e.peer.Show(0); e.peer.SetView(0) })
			assert.Equal(t, 1, e.sink.spawned, "the same entity")
			assert.True(t, e.peer.Idle())
		})
	}
}

// Several entities move to one group that the peer retains, which it was sent before. All of them
// stay as they are, and are complete when it is shown, also one that is paused meanwhile.
//
// Proves: V4
func TestAllWhoMoveToWhatIsRetainedStay(t *testing.T) {
	n, e := retaining(t)
	n.trusts = true
	n.unchecked(e, func() { n.arrive(e, 2, group.Place{Private: true}); n.arrive(e, 3, group.Place{Private: true}) })
	n.unchecked(e, func() { e.peer.Retain(0) })
	assert.Zero(t, n.unchecked(e, func() {
		n.world.Move(2, den)
		n.world.Move(3, den)
		e.peer.Retain(0)
		e.peer.RetainMoved(0)
	}))
	assert.True(t, e.peer.Keeps(2) && e.peer.Keeps(3))
	assert.Zero(t, n.unchecked(e, func() { n.world.Pause(3) }))
	n.unchecked(e, func() { e.peer.Show(0); e.peer.SetView(0) })
	assert.Len(t, e.sink.entities, 4)
	assert.Equal(t, 4, e.sink.spawned)
	assert.True(t, e.peer.Idle())
	n.unchecked(e, func() { n.world.Despawn(2); n.world.Despawn(3) })
	assert.Len(t, e.sink.entities, 2)
}
