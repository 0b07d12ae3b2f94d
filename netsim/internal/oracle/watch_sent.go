package oracle

import (
	"fmt"
	"slices"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/world/apps"
	"github.com/entangle-ecs/entangle/internal/world/endpoint"
)

// Listen starts to record all data that is written to clients, and removals from the server's
// world.
func (w *Watch) Listen(server *ecs.World) {
	app := apps.Of(server)
	app.Server.Inspect(registry.Of(app.Protocol).Components, func(sent endpoint.SentEntity) { w.sent = append(w.sent, sent) })
	w.listenRemovals(server)
}

// checkSent checks that the data that was written to clients in a frame belongs to visible entities
// and components only.
func (w *Watch) checkSent() error {
	for _, sent := range w.sent {
		if err := w.history.checkVisible(&sent); err != nil {
			return err
		}
		if err := w.history.checkInterval(&sent); err != nil {
			return err
		}
	}
	w.sent = w.sent[:0]
	return nil
}

// checkVisible returns an error for data that a client may not see. The existence of a paused
// entity may be sent to the clients of its target. Its values may be sent only to clients that
// could see it when it was paused.
func (h *history) checkVisible(sent *endpoint.SentEntity) error {
	was := h.versionAt(sent.Entity, sent.Tick)
	switch {
	case was != nil && was.state.Paused && len(sent.Components) == 0 && !was.views[sent.Client].barred:
		return nil
	case was != nil && was.views[sent.Client].retained && len(sent.Components) == 0 && !sent.Update: // the removal of a component is sent
		return nil
	case was == nil || !was.views[sent.Client].sees:
		return fmt.Errorf("client %d is sent data of %v as of tick %d, which it may not see then", sent.Client, sent.Entity, sent.Tick)
	}
	if hidden := slices.IndexFunc(sent.Components, was.views[sent.Client].hides); hidden >= 0 {
		return fmt.Errorf("client %d is sent the component %d of %v as of tick %d, which it may not see then",
			sent.Client, sent.Components[hidden], sent.Entity, sent.Tick)
	}
	return nil
}
