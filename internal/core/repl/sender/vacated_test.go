package sender

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// byteSource is a source of values of a byte.
type byteSource struct{}

func (byteSource) Encode(w *bits.Writer, _ repl.Slot, _ int, _ *repl.RefTable) { w.Bits(7, 8) }

// A public group that its only entity left for a group that the peer retains is retained, too, until the entity ends.
// The next group under its handle is not: its lost updates are sent again.
//
// Proves: R26, V4
func TestTheGroupAfterAVacatedOneIsNotRetained(t *testing.T) {
	w, tick, number := NewWorld(byteSource{}, 1), entangle.Tick(0), uint16(0)
	p := w.NewPeer()
	step := func(change func()) {
		tick++
		w.Begin(tick)
		change()
		w.Commit()
		for len(p.AppendActions(nil, 1000)) > 0 {
			number++
			p.ActionsSent(number)
			p.HandleDelivered(number)
		}
	}
	step(func() { w.Spawn(0, set.MaskOf(0)) })
	step(func() {
		w.Move(0, group.Place{Name: 9, Private: true})
		p.RetainMoved(0)
	})
	assert.True(t, p.Keeps(0))
	step(func() { w.Despawn(0) })
	for range 200 {
		step(func() {})
	}
	step(func() { w.Spawn(1, set.MaskOf(0)) })
	h, ok := p.Group(1)
	require.True(t, ok && h == 0, "the handle is free by then")
	step(func() { w.Change(0, []repl.Slot{1}) })
	require.NotEmpty(t, p.AppendUpdates(nil, 1000, 1))
	p.HandleLost(1)
	step(func() {})
	assert.NotEmpty(t, p.AppendUpdates(nil, 1000, 2), "what was lost is sent again")
}
