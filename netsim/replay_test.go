package netsim_test

import (
	"testing"
	"time"

	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/plugin"
)

// A system that leaves the game in a replay leaves when the replay is over.
func TestLeavingInAReplayWaitsForItsEnd(t *testing.T) {
	var states []plugin.State
	leaves := false
	b := newBuggies(t, func(c *plugin.Client) {
		mains(drivesOn)(c)
		c.AddSystem(plugin.FixedMain, plugin.Func(func(w *ecs.World) func() {
			time := ecs.GetResource[components.Time](w)
			return func() {
				if time.Replaying && leaves {
					c.Disconnect()
					states = append(states, c.State())
				}
			}
		}))
	})
	b.sim.Run(5 * time.Second)
	leaves = true
	plugin.RequestRollback(b.client.World(), b.client.Tick()-3)
	b.sim.Run(100 * ms)
	assert.Equal(t, []plugin.State{plugin.Connected, plugin.Connected, plugin.Connected}, states)
	assert.Equal(t, plugin.Disconnected, b.client.State())
	assert.EqualError(t, b.client.Err(), "the client left")
}
