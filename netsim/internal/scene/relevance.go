package scene

import (
	"slices"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/netsim"
	"github.com/entangle-ecs/entangle/plugin"
)

// relevance is the relevance that a script has set, in the simplest representation. It does not ask
// the plugin, which is under test.
type relevance struct {
	set      map[pairing]bool // true: the script showed the entity to the client, false: it hid it
	clients  map[components.Room]map[entangle.ClientID]bool
	entities map[components.Room]map[ecs.Entity]bool
	grids    []*plainGrid
}

var _ netsim.Relevance = (*relevance)(nil)

// pairing is a client and an entity.
type pairing struct {
	client entangle.ClientID
	entity ecs.Entity
}

// expectedRelevance returns the relevance that the script has set so far, without clients that have
// disconnected. From its first call on, the simulation uses it to compare worlds.
func (g *Game) expectedRelevance() *relevance {
	if g.relevance == nil {
		g.relevance = &relevance{
			set:      map[pairing]bool{},
			clients:  map[components.Room]map[entangle.ClientID]bool{},
			entities: map[components.Room]map[ecs.Entity]bool{},
		}
	}
	g.sim.SetRelevance(g.relevance)
	return g.relevance
}

// Matters implements netsim.Relevance. The first source with a decision wins: the script's
// commands for the entity, the owner, rooms, grids.
func (r *relevance) Matters(client entangle.ClientID, e ecs.Entity, owned bool) bool {
	at := pairing{client, e}
	if shown, ok := r.set[at]; ok {
		return shown
	}
	if owned {
		return true
	}
	for room, entities := range r.entities {
		if entities[e] && r.clients[room][client] {
			return true
		}
	}
	return slices.ContainsFunc(r.grids, func(g *plainGrid) bool { return g.seen[at] })
}

// InRoom implements netsim.Relevance.
func (r *relevance) InRoom(room components.Room, client entangle.ClientID) bool {
	return r.clients[room][client]
}

// ForgetClient implements netsim.Relevance.
func (r *relevance) ForgetClient(client entangle.ClientID) {
	for at := range r.set {
		if at.client == client {
			delete(r.set, at)
		}
	}
	for _, clients := range r.clients {
		delete(clients, client)
	}
	for _, g := range r.grids {
		g.forgetClient(client)
	}
}

// setClient adds a client to a room, or removes it.
func (r *relevance) setClient(room components.Room, client entangle.ClientID, in bool) {
	if r.clients[room] == nil {
		r.clients[room] = map[entangle.ClientID]bool{}
	}
	r.clients[room][client] = in
}

// setEntity adds an entity to a room, or removes it.
func (r *relevance) setEntity(room components.Room, e ecs.Entity, in bool) {
	if r.entities[room] == nil {
		r.entities[room] = map[ecs.Entity]bool{}
	}
	r.entities[room][e] = in
}

// isConnected reports whether a client is connected to the server.
func (g *Game) isConnected(client entangle.ClientID) bool {
	return slices.ContainsFunc(g.sim.Server().Clients(), func(c plugin.ClientInfo) bool { return c.ID == client })
}
