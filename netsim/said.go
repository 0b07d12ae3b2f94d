package netsim

import (
	"slices"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
)

// said is what a script said of what matters to whom, remembered as plainly as can be: it
// asks nobody who is to be judged by it. It forgets clients and entities with their end.
type said struct {
	words    map[pairing]bool // the client is shown the entity, or it is hidden from it
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

// matters implements mattering: the first that says anything counts.
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

// forgets ends all that was said of a client whose connection ended.
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

// inhabit puts a client into a room, or takes it out.
func (s *said) inhabit(room components.Room, client entangle.ClientID, in bool) {
	if s.clients[room] == nil {
		s.clients[room] = map[entangle.ClientID]bool{}
	}
	s.clients[room][client] = in
}

// furnish puts an entity into a room, or takes it out.
func (s *said) furnish(room components.Room, e ecs.Entity, in bool) {
	if s.entities[room] == nil {
		s.entities[room] = map[ecs.Entity]bool{}
	}
	s.entities[room][e] = in
}

// saying returns what was said so far, of those that are there yet.
func (s *Sim) saying() *said {
	if s.said == nil {
		s.said = newSaid()
	}
	s.hearEnds()
	return s.said
}

// hearEnds has forgotten those whose connections have ended.
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
