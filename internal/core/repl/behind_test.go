package repl_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// fall has a peer that holds a private group of slots 0 and 1 lose the thread of it: a delta by
// which 2 joins is late by some ticks, and finds no room, since the one before it is later still.
func (n *network) fall(e *end, late int) {
	e.copy.LimitWaiting(70) // an end fits in, a value does not
	n.late = 4 + late
	n.step(func() { n.reshape(0, n.model.entities[0]) })
	n.late = late
	n.step(func() { n.arrive(nil, 2, den) })
	n.late = 0
}

// A group of which a peer has lost the thread can't stay there as it was last sent, since the peer
// does not have it so: to retain it is to hide it, before and after the peer asks for it. Who ended
// meanwhile is gone, and what is shown again is whole.
//
// Proves: V4
func TestWhatAPeerHasLostTheThreadOfIsNotRetained(t *testing.T) {
	for name, late := range map[string]int{"asked for before": 0, "asked for after": 2} {
		t.Run(name, func(t *testing.T) {
			n, e := retaining(t)
			n.fall(e, late)
			n.step(func() {})
			n.step(func() { n.retain(e, 0) })
			require.NotZero(t, e.copy.Stats().Passed)
			e.copy.LimitWaiting(1 << 10)
			require.Equal(t, late == 0, n.world.Stats().Resyncs > 0)
			n.step(func() { n.despawn(1) })
			for range 8 {
				n.step(func() {})
			}
			assert.Empty(t, e.sink.byName())
			assert.True(t, e.peer.Idle() && !e.peer.Retains(0))
			n.step(func() { n.show(e, 0) })
			n.rest()
			n.requireEqual(e)
		})
	}
}

// Who is paused when a peer asks for a group is there as before, also if the peer never had it
// there: it was sent to it.
//
// Proves: R39
func TestWhoIsPausedIsStatedWholeToAPeerThatAsks(t *testing.T) {
	n, e := retaining(t)
	n.fall(e, 0)
	n.step(func() { n.set(2, 1, 5) })
	is := n.model.entities[2]
	n.step(func() { n.model.paused[2], n.model.frozen[2] = true, is; n.world.Pause(2) })
	n.step(func() { n.set(2, 1, 6) })
	for range 8 {
		n.step(func() {})
	}
	require.NotZero(t, e.copy.Stats().Passed)
	assert.Equal(t, is, e.sink.byName()[is.name()])
}
