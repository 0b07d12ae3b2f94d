package netsim_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/netsim"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/transport/conditioner"
)

// casting is a game that constantly changes targets, owners, groups, overrides and pauses, often
// several of these for one entity in one tick.
func casting(rng *rand.Rand, until int) plugin.System {
	return plugin.Func(func(w *ecs.World) func() {
		m := generic.NewMap3[Spot, Health, components.Replicate](w)
		owners := generic.NewMap1[components.ControlledBy](w)
		tags := generic.NewMap1[components.Replicate](w)
		sets, healths := ecs.GetResource[components.Targets](w), plugin.NewOverride[Health](w)
		target := func() components.Target {
			return []components.Target{
				components.Default, components.Everyone, components.Nobody, components.Owner, components.NotOwner,
				sets.Only(1), sets.Only(1, 2), sets.Except(1),
			}[rng.IntN(8)]
		}
		var all []ecs.Entity
		tick := 0
		return func() {
			if tick++; tick > until {
				return
			}
			for len(all) < 16 {
				all = append(all, m.NewWith(&Spot{}, &Health{}, &components.Replicate{Target: target(), Group: components.Group(rng.IntN(4))}))
			}
			for range 6 {
				i := rng.IntN(len(all))
				e := all[i]
				marked := w.Has(e, ecs.ComponentID[components.Replicate](w))
				switch rng.IntN(12) {
				case 0:
					w.RemoveEntity(e)
					all = append(all[:i], all[i+1:]...)
				case 1, 2, 3:
					if marked {
						tags.Get(e).Target = target()
					}
				case 4:
					if marked {
						tags.Get(e).Group = components.Group(rng.IntN(4))
					}
				case 5:
					healths.SetTarget(e, target())
				case 6:
					healths.Clear(e)
				case 7:
					c := components.ControlledBy{Client: entangle.ClientID(rng.IntN(4)), Keep: true}
					if w.Has(e, ecs.ComponentID[components.ControlledBy](w)) {
						*owners.Get(e) = c
					} else {
						owners.Assign(e, &c)
					}
				case 8:
					if marked {
						tags.Remove(e)
					} else {
						tags.Assign(e, &components.Replicate{Target: target(), Group: components.Group(rng.IntN(4))})
					}
				default:
					(*Spot)(w.Get(e, ecs.ComponentID[Spot](w))).X++
					(*Health)(w.Get(e, ecs.ComponentID[Health](w))).Points++
				}
			}
		}
	})
}

// Targets change all the time, while a third of the packets is lost. At every moment each client
// shows exactly the entities that were visible to it at some tick. When the changes end, every
// client shows all entities that are for it.
//
// Proves: R3, R9, R11, R14, R15
func TestRetargetingOverBadLines(t *testing.T) {
	for seed := uint64(1); seed <= 6; seed++ {
		sim := netsim.New(t, netsim.Config{Seed: seed, Link: netsim.Symmetric(conditioner.Config{
			Latency: 40 * ms, Jitter: 30 * ms, Loss: 0.3, Duplicate: 0.05,
		})})
		serve(t, sim, sim.ServerConfig(spotProtocol()), casting(rand.New(rand.NewPCG(seed, 9)), 300))
		sim.Watch()
		join(t, sim, 1)
		join(t, sim, 2)
		sim.Run(3 * time.Second)
		join(t, sim, 3)
		sim.Run(9 * time.Second)
		sim.ExpectEqual()
	}
}
