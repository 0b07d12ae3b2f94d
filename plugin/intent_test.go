package plugin_test

import (
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/alloctest"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol"
)

// dartedProtocol is walkedProtocol with shots. The inputs of walks fire none.
func dartedProtocol() *protocol.Protocol {
	p := walkedProtocol()
	protocol.Component[components.Prespawned](p)
	protocol.Blueprint(p, func(*ecs.World, ecs.Entity, dart) struct{ pin } { return struct{ pin }{} })
	protocol.Intent(p, func(_ ecs.Entity, in walk) (dart, bool) { return dart{}, in.DY > 0 }, components.Replicate{Predict: components.Everyone})
	return p
}

// In a game with blueprints and intents, a tick in which nothing is fired and assembled allocates nothing, on
// either side, although inputs arrive that might fire something, and assembled entities are there.
//
// Proves: R40
func TestATickWithoutShotsAllocatesNothing(t *testing.T) {
	g := newGameWith(t, func(c *plugin.ServerConfig) { c.Protocol = dartedProtocol() }, func(s *plugin.Server) { moves(s) })
	walkers := generic.NewMap4[walk, spot, components.ControlledBy, components.Replicate](g.world)
	walkers.NewWith(&walk{}, &spot{}, &components.ControlledBy{Client: 1}, &components.Replicate{Predict: components.Everyone})
	darts := generic.NewMap2[dart, components.Replicate](g.world)
	for range 100 {
		darts.NewWith(&dart{}, &components.Replicate{Predict: components.Everyone})
	}
	client := g.joinWith(dartedProtocol(), 1, walks, func(c *plugin.Client) { moves(c) })
	g.run(900)
	require.Equal(t, 100, count[pin](client.world))
	require.Positive(t, g.server.Stats().Inputs.InTime)
	assert.Zero(t, alloctest.Count(300, func() { g.run(1) }))
}
