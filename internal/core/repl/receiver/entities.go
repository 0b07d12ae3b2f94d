package receiver

import (
	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// entities knows where each entity is, whatever group it is in.
type entities struct {
	groups  *table
	away    map[repl.ID]location // entities that are not at home
	transit []repl.ID            // entities that left a group in the current message; most have been taken by another
}

// location is where an entity is: in a group under a number, or in none, between the records of one unit.
type location struct {
	slot   repl.Slot
	number repl.Member
	g      *group // nil: it has left a group, and no record has added it to another yet
}

// locate returns the location of an entity. Most are at home, where no map is needed.
func (e *entities) locate(id repl.ID) (location, bool) {
	if g := e.groups.find(id.Group); g != nil {
		if m := g.member(id.Member); m != nil && m.id == id {
			return location{slot: m.slot, g: g, number: id.Member}, true
		}
	}
	p, ok := e.away[id]
	if p.g != nil {
		e.groups.find(p.g.handle) // ends the cache, which would have the entity after a move too
	}
	return p, ok
}

// leave removes an entity from its location. It is not despawned.
func (e *entities) leave(id repl.ID, p location) {
	if p.g != nil {
		p.g.removeMember(p.number)
	}
	delete(e.away, id)
}

// put gives a location to an entity that has none.
func (e *entities) put(id repl.ID, p location) {
	if p.g != nil {
		p.g.insert(member{slot: p.slot, id: id, number: p.number})
	} else {
		e.transit = append(e.transit, id)
	}
	if p.g != nil && p.g.handle == id.Group && p.number == id.Member { // it is found without the map
		return
	}
	if e.away == nil {
		e.away = map[repl.ID]location{}
	}
	e.away[id] = p
}

// move moves an entity, or a new one without a location, to another location.
func (e *entities) move(id repl.ID, from, to location) {
	e.leave(id, from)
	e.put(id, to)
}
