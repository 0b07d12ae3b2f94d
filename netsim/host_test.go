package netsim_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/netsim"
	"github.com/entangle-ecs/entangle/plugin"
)

// A host can take the place of the server in a simulation. It has its player, and clients see its
// world.
//
// Proves: C12
func TestAHostInASimulation(t *testing.T) {
	sim := netsim.New(t, netsim.Config{Seed: 1})
	host, err := plugin.NewHost(sim.ServerConfig(spotProtocol()), 7)
	require.NoError(t, err)
	sim.AddHost(host, host)
	sim.Watch()
	join(t, sim, 1)
	spawnSpot(sim, Spot{1, 2})
	sim.Run(time.Second)
	assert.Equal(t, plugin.Connected, host.Player().State())
	assert.True(t, host.Player().Joined())
	assert.Len(t, sim.Server().Clients(), 2)
	sim.ExpectEqual()
}
