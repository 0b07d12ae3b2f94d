package tick

import (
	"testing"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/alloctest"
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// cloner copies the Remote of one entity over that of another, like a system that copies all
// components.
type cloner struct{ from, to ecs.Entity }

func (*cloner) Initialize(*ecs.World) {}

func (*cloner) Finalize(*ecs.World) {}

func (c *cloner) Update(w *ecs.World) {
	remote := ecs.ComponentID[components.Remote](w)
	*(*components.Remote)(w.Get(c.to, remote)) = *(*components.Remote)(w.Get(c.from, remote))
}

// An update finds its row by components.Remote: with the Remote of another entity, it could write
// to a wrong row of the same archetype. Strict names the system that wrote it.
func TestStrictNamesTheSystemThatCopiesARemote(t *testing.T) {
	p := protocol.New(protocol.Config{Name: "strict"})
	require.NoError(t, registry.Seal(p))
	w := ecs.NewWorld()
	remote, writer := ecs.ComponentID[components.Remote](&w), columns.NewWriter(&w)
	var all [3]ecs.Entity
	for i := range all {
		all[i] = w.NewEntity(remote)
		writer.Sign(all[i], remote)
	}
	c := &cloner{all[0], all[0]}
	s := NewSchedule(ticksOnly)
	s.Add(ticksOnly.Main, c)
	s.Strict(&w, p, &components.Time{})
	s.Initialize(&w)
	s.Frame(&w, 1)
	c.to = all[2]
	assert.PanicsWithValue(t, "plugin: Strict: in tick 0 system *tick.cloner wrote components.Remote of entity {3 0}, "+
		"what it holds is the plugin's, which finds the entity of each row by it; when you copy all components of an entity, leave out this one",
		func() { s.Frame(&w, 1) })
}

type (
	strictPlace struct{ X, Y int32 }
	strictPace  struct{ X, Y int32 }
	strictTint  struct{ Color uint32 }
)

// game is a system of the game.
type game func(w *ecs.World)

func (g game) Initialize(*ecs.World) {}

func (g game) Update(w *ecs.World) { g(w) }

func (g game) Finalize(*ecs.World) {}

// ticksOnly is an order with frames that consist of ticks only.
var ticksOnly = Order{Names: []string{"FixedInput", "Main"}, Sending: 2, Showing: 2, Main: 1}

// A tick without a complaint allocates nothing, also when rows have moved.
func TestStrictAllocatesNothing(t *testing.T) {
	p := protocol.New(protocol.Config{Name: "strict"})
	protocol.Component[strictPlace](p)
	protocol.Component[strictPace](p)
	require.NoError(t, registry.Seal(p))
	w := ecs.NewWorld()
	remote, writer := ecs.ComponentID[components.Remote](&w), columns.NewWriter(&w)
	place, tint := ecs.ComponentID[strictPlace](&w), ecs.ComponentID[strictTint](&w)
	all := make([]ecs.Entity, 50)
	for i := range all {
		all[i] = w.NewEntity(remote, place)
		writer.Sign(all[i], remote)
	}
	moves, add, n := false, []ecs.ID{tint}, 0
	s := NewSchedule(ticksOnly)
	s.Add(ticksOnly.Main, game(func(w *ecs.World) {
		if moves {
			e := all[n%len(all)]
			if n++; w.Has(e, tint) {
				w.Exchange(e, nil, add)
			} else {
				w.Exchange(e, add, nil)
			}
		}
	}))
	s.Strict(&w, p, &components.Time{})
	s.Initialize(&w)
	assert.Zero(t, alloctest.Count(100, func() { s.Frame(&w, 1) }))
	moves = true
	for range 200 {
		s.Frame(&w, 1)
	}
	assert.Zero(t, alloctest.Count(100, func() { s.Frame(&w, 1) }))
}
