package columns

import (
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/ecs/event"
	"github.com/mlange-42/arche/listener"
	"github.com/stretchr/testify/assert"

	"github.com/entangle-ecs/entangle/internal/alloctest"
)

// TestWriterFillsBeforeEvents checks that no listener ever sees a zero value in place of a received one.
func TestWriterFillsBeforeEvents(t *testing.T) {
	x := newTestWorld(t)
	var seen []int32
	hear := listener.NewCallback(func(w *ecs.World, e ecs.EntityEvent) {
		seen = append(seen, (*testHealth)(w.Get(e.Entity, x.id(colHealth))).Points)
	}, event.EntityCreated|event.ComponentAdded)
	x.w.SetListener(&hear)
	fill := func(e ecs.Entity) { x.wr.Bytes(e, x.id(colHealth))[0]++ }

	e := x.wr.Spawn([]ecs.ID{x.marker, x.id(colHealth)}, fill)
	x.wr.Exchange(e, []ecs.ID{x.id(colTag)}, nil, fill)
	x.wr.Exchange(e, nil, nil, fill)
	assert.Equal(t, []int32{1, 2}, seen)

	assert.Nil(t, x.wr.Bytes(e, x.id(colPosition)), "not there")
	assert.Empty(t, x.wr.Bytes(e, x.id(colTag)), "no bytes")
	x.wr.Remove(e)
	assert.False(t, x.w.Alive(e))
}

func TestWriterAllocatesNothing(t *testing.T) {
	x := newTestWorld(t)
	x.w.SetListener(nil)
	ids, tag := []ecs.ID{x.marker, x.id(colHealth)}, []ecs.ID{x.id(colTag)}
	fill := func(e ecs.Entity) { x.wr.Bytes(e, x.id(colHealth))[0] = 1 }
	assert.Zero(t, alloctest.Count(100, func() {
		e := x.wr.Spawn(ids, fill)
		x.wr.Exchange(e, tag, nil, nil)
		x.wr.Remove(e)
	}))
}
