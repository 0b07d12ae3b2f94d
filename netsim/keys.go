package netsim

import (
	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/plugin"
)

// keys is what scripts have a player press.
type keys struct{ down []pressed }

type pressed struct {
	entity ecs.Entity
	input  ecs.Component
}

// press has a player write an input in its next tick.
func (k *keys) press(e ecs.Entity, input ecs.Component) { k.down = append(k.down, pressed{e, input}) }

// system writes what was pressed. It comes after the game's own, and so counts.
func (k *keys) system() plugin.System {
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
