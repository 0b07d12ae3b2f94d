package oracle

import (
	"fmt"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/plugin"
)

// checkSees checks the server's answers on the visibility of entities, including those for a
// host's local player. Any answer is accepted for paused entities, and for clients that have just
// connected.
func (h *history) checkSees(w *ecs.World, clients []entangle.ClientID) error {
	relevance := plugin.NewRelevance(w)
	for e := range h.present() {
		v := h.lastVersion(e)
		for _, client := range clients {
			if is := relevance.Sees(e, client); !v.state.Paused && h.connected[client] != h.tick && is != v.views[client].sees {
				return fmt.Errorf("client %d sees the server's %v at tick %d by Relevance.Sees: %v; it should be %v",
					client, e, h.tick, is, v.views[client].sees)
			}
		}
	}
	return nil
}

// present returns all entities of the present tick.
func (h *history) present() map[ecs.Entity]bool {
	all := map[ecs.Entity]bool{}
	for _, members := range h.groups[h.tick] {
		for _, e := range members {
			all[e] = true
		}
	}
	return all
}
