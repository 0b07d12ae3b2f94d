package repl_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/sender"
)

// handles is a world of which only the handles matter.
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

// step runs some ticks, and changes the world in the last.
func (h *handles) step(ticks entangle.Tick, change func()) {
	h.tick += ticks
	h.Begin(h.tick)
	change()
	h.Commit()
}

func (h *handles) spawn(s repl.Slot) {
	e := entity{mask: repl.MaskOf(0)}
	h.model.entities[s] = e
	h.Spawn(s, e.mask)
}

func (h *handles) handle(t *testing.T, s repl.Slot) repl.Handle {
	id, ok := h.ID(s)
	require.True(t, ok)
	return id.Group
}

// A handle whose group has ended names nothing for a while, so that what is late
// and refers to it finds no other group there.
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

// A peer that was never sent a group may be sent others that refer to it. While
// such a message is under way the group's handle is not used again.
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
