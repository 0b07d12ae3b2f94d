package netsim

import (
	"fmt"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/plugin"
)

// checkShown checks the server's answers on the visibility of entities, including those for a
// host's local player. Any answer is accepted for paused entities, and for clients that have just
// connected.
func (p *past) checkShown(w *ecs.World, clients []entangle.ClientID) error {
	relevance := plugin.NewRelevance(w)
	for e := range p.groupsNow() {
		v := p.last(e)
		for _, client := range clients {
			if is := relevance.Sees(e, client); !v.state.Paused && p.came[client] != p.tick && is != v.seen[client].sees {
				return fmt.Errorf("client %d sees the server's %v at tick %d by Relevance.Sees: %v; it should be %v",
					client, e, p.tick, is, v.seen[client].sees)
			}
		}
	}
	return nil
}

// groupsNow returns all entities of the present tick.
func (p *past) groupsNow() map[ecs.Entity]bool {
	all := map[ecs.Entity]bool{}
	for _, members := range p.groups[p.tick] {
		for _, e := range members {
			all[e] = true
		}
	}
	return all
}
