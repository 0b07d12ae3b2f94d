package netsim_test

import (
	"slices"
	"testing"
	"time"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/assert"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/world/apps"
	"github.com/entangle-ecs/entangle/internal/world/endpoint"
	"github.com/entangle-ecs/entangle/netsim"
	"github.com/entangle-ecs/entangle/plugin"
)

// The inspection of sent data reports each entity with the components written to a client: all
// components when an entity appears, later only the changed ones, and never a component that is
// hidden from the client.
func TestDataWrittenToClientsIsReported(t *testing.T) {
	sim := netsim.New(t, netsim.Config{Seed: 1})
	serve(t, sim, sim.ServerConfig(spotProtocol()))
	reported := map[entangle.ClientID]map[ecs.Entity][]string{}
	apps.Of(sim.World()).Server.Inspect(registry.Of(spotProtocol()).Components, func(s endpoint.SentEntity) {
		if reported[s.Client] == nil {
			reported[s.Client] = map[ecs.Entity][]string{}
		}
		for _, c := range s.Components {
			reported[s.Client][s.Entity] = append(reported[s.Client][s.Entity], registry.Of(spotProtocol()).Components[c].Type.Name())
		}
		slices.Sort(reported[s.Client][s.Entity])
	})
	join(t, sim, 1)
	join(t, sim, 2)
	sim.Run(500 * ms)
	w := sim.World()
	m := generic.NewMap3[Spot, Health, components.Replicate](w)
	all := m.NewWith(&Spot{}, &Health{}, &components.Replicate{Group: 3})
	part := m.NewWith(&Spot{}, &Health{}, &components.Replicate{Group: 3})
	none := m.NewWith(&Spot{}, &Health{}, &components.Replicate{Group: 3, Target: ecs.GetResource[components.Targets](w).Only(1)})
	override := plugin.NewOverride[Health](w)
	override.SetTarget(part, ecs.GetResource[components.Targets](w).Only(1))
	sim.Run(500 * ms)
	both := []string{"Health", "Spot"}
	assert.Equal(t, map[entangle.ClientID]map[ecs.Entity][]string{
		1: {all: both, part: both, none: both},
		2: {all: both, part: {"Spot"}},
	}, reported)

	clear(reported)
	for _, e := range []ecs.Entity{all, part, none} {
		_, health, _ := m.Get(e)
		health.Points++
	}
	sim.Run(time.Second)
	assert.Equal(t, map[entangle.ClientID]map[ecs.Entity][]string{
		1: {all: {"Health"}, part: {"Health"}, none: {"Health"}},
		2: {all: {"Health"}},
	}, reported)
}
