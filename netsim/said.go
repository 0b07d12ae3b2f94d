package netsim

import (
	"slices"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
)

// said is the relevance that a script has set, in the simplest representation. It does not ask the
// plugin, which is under test. Clients and entities are removed from it when they end.
type said struct {
	words    map[pairing]bool // true: the script showed the entity to the client, false: it hid it
	clients  map[components.Room]map[entangle.ClientID]bool
	entities map[components.Room]map[ecs.Entity]bool
	grids    []*plainGrid
}

// pairing is a client and an entity.
type pairing struct {
	client entangle.ClientID
	entity ecs.Entity
}

func newSaid() *said {
	return &said{
		words:    map[pairing]bool{},
		clients:  map[components.Room]map[entangle.ClientID]bool{},
		entities: map[components.Room]map[ecs.Entity]bool{},
	}
}

// matters implements mattering. The first source with a decision wins: the script's words, the
// owner, rooms, grids.
func (s *said) matters(client entangle.ClientID, e ecs.Entity, owned bool) bool {
	if shown, some := s.words[pairing{client, e}]; some {
		return shown
	}
	if owned {
		return true
	}
	for room, entities := range s.entities {
		if entities[e] && s.clients[room][client] {
			return true
		}
	}
	for _, g := range s.grids {
		if g.seen[pairing{client, e}] {
			return true
		}
	}
	return false
}

// inRoom implements mattering.
func (s *said) inRoom(room components.Room, client entangle.ClientID) bool {
	return s.clients[room][client]
}

// forgets removes everything that the script has set for a disconnected client.
func (s *said) forgets(client entangle.ClientID) {
	for pair := range s.words {
		if pair.client == client {
			delete(s.words, pair)
		}
	}
	for _, clients := range s.clients {
		delete(clients, client)
	}
	for _, g := range s.grids {
		g.forgets(client)
	}
}

// inhabit adds a client to a room, or removes it.
func (s *said) inhabit(room components.Room, client entangle.ClientID, in bool) {
	if s.clients[room] == nil {
		s.clients[room] = map[entangle.ClientID]bool{}
	}
	s.clients[room][client] = in
}

// furnish adds an entity to a room, or removes it.
func (s *said) furnish(room components.Room, e ecs.Entity, in bool) {
	if s.entities[room] == nil {
		s.entities[room] = map[ecs.Entity]bool{}
	}
	s.entities[room][e] = in
}

// saying returns the relevance that the script has set so far, without clients that have
// disconnected.
func (s *Sim) saying() *said {
	if s.said == nil {
		s.said = newSaid()
	}
	s.hearEnds()
	return s.said
}

// hearEnds removes the state of disconnected clients.
func (s *Sim) hearEnds() {
	if s.ends == nil {
		return
	}
	for _, e := range s.ends.Read() {
		if s.said != nil {
			s.said.forgets(e.Client)
		}
		if s.watch != nil {
			s.watch.ended[e.Client] = true
		}
	}
}

// isConnected reports whether a client is connected to the server.
func (s *Sim) isConnected(client entangle.ClientID) bool {
	return slices.Contains(s.connected(), client)
}
