package sender

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/set"
)

// An update that is too large for a packet is not sent as an action once the peer retains its group.
//
// Proves: V4
func TestALargeUpdateOfARetainedGroupIsNotSent(t *testing.T) {
	d := newTwins(t, sizedSource(repl.MaxUpdateBytes))
	d.step(func(w *World, p *Peer) {
		w.SpawnAt(0, set.MaskOf(0), group.Place{Private: true})
		p.Show(0)
	})
	d.deliver()
	d.step(func(w *World, _ *Peer) { w.Change(0, []repl.Slot{0}) })
	d.update()
	require.True(t, d.peers[0].ActionsDue(), "it goes as an action")
	assert.Zero(t, d.step(func(_ *World, p *Peer) { p.Retain(0) }))
	for _, p := range d.peers {
		assert.True(t, p.Idle())
	}
}
