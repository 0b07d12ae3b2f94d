package plugin_test

import (
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/assert"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/alloctest"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol"
)

// Once a world has settled, a tick of a server and its clients allocates nothing: changes are
// detected, sent, received and applied in existing memory.
//
// Proves: R40
func TestASettledTickAllocatesNothing(t *testing.T) {
	g := newGame(t, func(s *plugin.Server) {
		s.AddSystem(plugin.FixedMain, plugin.Func(func(w *ecs.World) func() {
			filter := generic.NewFilter1[spot]()
			return func() {
				for q := filter.Query(w); q.Next(); {
					q.Get().X++
				}
			}
		}))
	})
	for id := range uint32(300) {
		g.spawn(spot{}, name{id})
	}
	g.join(1)
	g.strict = true // compares components after each system of Main, and must not allocate either
	g.joinWith(testProtocol(), 2, func(c *plugin.Client) {
		c.AddSystem(plugin.FixedMain, plugin.Func(func(*ecs.World) func() { return func() {} }))
	})
	g.run(600)
	assert.Zero(t, alloctest.Count(300, func() { g.run(1) }))
}

type satchel struct {
	Count [12]uint16
	Rest  [5]struct {
		Weight float32
		Marks  [2]int64
		Open   bool
	}
}

func satchels() *protocol.Protocol {
	p := protocol.New(protocol.Config{Name: "plugin test"})
	protocol.Component[satchel](p).Delta()
	return p
}

// Differences of arrays, and of structs in arrays, allocate nothing, like those of numbers.
//
// Proves: R40
func TestASettledTickOfArraysAllocatesNothing(t *testing.T) {
	change := func(s *plugin.Server) {
		s.AddSystem(plugin.FixedMain, plugin.Func(func(w *ecs.World) func() {
			filter, n := generic.NewFilter1[satchel](), uint16(0)
			return func() {
				for q := filter.Query(w); q.Next(); {
					n++
					v := q.Get()
					v.Count[n%12], v.Count[(n+5)%12] = n, n/3
					v.Rest[n%5].Weight++
					v.Rest[n%5].Marks[n%2]--
					v.Rest[(n+2)%5].Open = n%2 == 0
				}
			}
		}))
	}
	g := newGameWith(t, func(c *plugin.ServerConfig) { c.Protocol = satchels() }, change)
	for range 60 {
		made := generic.NewMap2[satchel, components.Replicate](g.world)
		made.NewWith(&satchel{}, &components.Replicate{})
	}
	for id := range entangle.ClientID(2) {
		g.joinWith(satchels(), id+1)
	}
	g.run(1200) // n wraps around meanwhile: values had all their sizes
	assert.Zero(t, alloctest.Count(300, func() { g.run(1) }))
	for _, c := range g.clients {
		assert.Equal(t, 60, count[satchel](c.world))
	}
}
