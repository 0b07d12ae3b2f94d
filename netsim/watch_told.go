package netsim

import (
	"fmt"
	"slices"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle/internal/world/endpoint"
)

// listen has the watch take note of all that is written to clients, and of what is removed.
func (w *watch) listen(server *ecs.World, tell func(func(endpoint.Told))) {
	tell(func(told endpoint.Told) { w.told = append(w.told, told) })
	w.hear(server)
}

// checkTold holds that what was written to clients in a frame is no more than what they
// might see then.
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

// may reports what a client was told that it may not see. That something paused is there
// says nothing to those that it was for; its values are told only to those that they were
// under way to.
func (p *past) may(told *endpoint.Told) error {
	was := p.at(told.Entity, told.Tick)
	switch {
	case was != nil && was.state.Paused && len(told.Components) == 0 && !was.seen[told.Client].barred:
		return nil
	case was != nil && was.seen[told.Client].kept && len(told.Components) == 0 && !told.Update: // that it loses something
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
