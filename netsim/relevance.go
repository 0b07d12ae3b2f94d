package netsim

import (
	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
)

// Relevance decides which entities are relevant to a client, for entities with a Replicate that
// leaves this to interest. A test can implement it to check how its game uses rooms, grids and
// plugin.Relevance: see Sim.SetRelevance.
type Relevance interface {
	// Matters reports whether an entity is relevant to a client, which owns the entity or not.
	Matters(client entangle.ClientID, e ecs.Entity, owned bool) bool
	// InRoom reports whether a client is in a room.
	InRoom(room components.Room, client entangle.ClientID) bool
	// ForgetClient is called once after a client has disconnected: from then on, nothing is
	// relevant to it, and it is in no room, until the game says so again.
	ForgetClient(client entangle.ClientID)
}

// SetRelevance makes all comparisons of worlds ask r which entities are relevant, instead of the
// server. Clients that have disconnected since the last frame are forgotten at once.
func (s *Sim) SetRelevance(r Relevance) {
	s.relevance = r
	s.forgetDisconnected()
}

// forgetDisconnected removes the state of clients that have disconnected.
func (s *Sim) forgetDisconnected() {
	if s.ends == nil {
		return
	}
	for _, e := range s.ends.Read() {
		if s.relevance != nil {
			s.relevance.ForgetClient(e.Client)
		}
		if s.watch != nil {
			s.watch.ForgetClient(e.Client)
		}
	}
}
