package netsim

import "github.com/entangle-ecs/entangle"

// plainGrid is what a grid sees by its rules, found pair by pair.
type plainGrid struct {
	seen map[pairing]bool
}

// forgets ends what a client saw whose connection ended.
func (g *plainGrid) forgets(client entangle.ClientID) {
	for pair := range g.seen {
		if pair.client == client {
			delete(g.seen, pair)
		}
	}
}
