package netsim

import (
	"fmt"
	"slices"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/world/apps"
	"github.com/entangle-ecs/entangle/internal/world/endpoint"
)

// listen starts to record all data that is written to clients, and removals from the server's
// world.
func (w *watch) listen(server *ecs.World) {
	app := apps.Of(server)
	app.Server.Inspect(registry.Of(app.Protocol).Components, func(told endpoint.SentEntity) { w.told = append(w.told, told) })
	w.hear(server)
}

// checkTold checks that the data that was written to clients in a frame is of visible entities and
// components only.
func (w *watch) checkTold() error {
	for _, told := range w.told {
		if err := w.past.may(&told); err != nil {
			return err
		}
		if err := w.past.keepsPace(&told); err != nil {
			return err
		}
	}
	w.told = w.told[:0]
	return nil
}

// may returns an error for data that a client may not see. The existence of a paused entity may be
// sent to the clients of its target. Its values may be sent only to clients that could see it when
// it was paused.
func (p *past) may(told *endpoint.SentEntity) error {
	was := p.at(told.Entity, told.Tick)
	switch {
	case was != nil && was.state.Paused && len(told.Components) == 0 && !was.seen[told.Client].barred:
		return nil
	case was != nil && was.seen[told.Client].kept && len(told.Components) == 0 && !told.Update: // it is sent that a component is removed
		return nil
	case was == nil || !was.seen[told.Client].sees:
		return fmt.Errorf("client %d is told of %v as of tick %d, which it may not see then", told.Client, told.Entity, told.Tick)
	}
	if hidden := slices.IndexFunc(told.Components, was.seen[told.Client].hides); hidden >= 0 {
		return fmt.Errorf("client %d is told of the component %d of %v as of tick %d, which it may not see then",
			told.Client, told.Components[hidden], told.Entity, told.Tick)
	}
	return nil
}
