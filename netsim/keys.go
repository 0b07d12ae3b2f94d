package netsim

import (
	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/plugin"
)

// keys holds the inputs that scripts make a player write.
type keys struct{ down []pressed }

type pressed struct {
	entity ecs.Entity
	input  ecs.Component
}

// press makes a player write an input in its next tick.
func (k *keys) press(e ecs.Entity, input ecs.Component) { k.down = append(k.down, pressed{e, input}) }

// pressSystem returns the system that writes the inputs. It runs after the game's own systems, so
// that it overwrites their inputs.
func (k *keys) pressSystem() plugin.System {
	return plugin.Func(func(w *ecs.World) func() {
		mine := ecs.ComponentID[components.Controlled](w)
		return func() {
			for _, p := range k.down {
				if w.Alive(p.entity) && w.Has(p.entity, mine) && w.Has(p.entity, p.input.ID) {
					w.Set(p.entity, p.input.ID, p.input.Comp)
				}
			}
			k.down = k.down[:0]
		}
	})
}
