package plugin_test

import (
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/assert"

	"github.com/entangle-ecs/entangle/plugin"
)

// Once a world has settled, a tick of a server and its clients allocates nothing:
// everything that moves is found, sent, received and applied in memory that is
// there.
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
	g.join(2)
	g.run(600)
	assert.Zero(t, testing.AllocsPerRun(300, func() { g.run(1) }))
}
