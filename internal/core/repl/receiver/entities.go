package receiver

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/ring"
)

// entities knows where each entity is, whatever group it is in.
type entities struct {
	groups  *table
	now     *entangle.Tick        // of the replica
	away    map[repl.ID]location  // entities that are not in the group of their id
	transit ring.Queue[inTransit] // the oldest first; some have been taken, or launched again
}

// location is where an entity is: in a group under a number, or in transit between groups.
type location struct {
	slot   repl.Slot
	number repl.Member
	g      *group        // nil: in transit
	since  entangle.Tick // that it has been in transit
}

// isHome reports whether the entity of an id is in the group that the id names, under its number.
func (p *location) isHome(id repl.ID) bool {
	return p.g != nil && p.g.Group == id.Group && p.g.generation == id.Generation && p.number == id.Member
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
		e.groups.find(p.g.Group) // or its tick is out of date
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
		p.since = *e.now
		e.transit.Push(inTransit{id: id, since: p.since})
	}
	if p.isHome(id) {
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

// inTransit is an entity that left a group, and that no other had taken yet. Usually the other half of its move has
// arrived.
type inTransit struct {
	id    repl.ID
	since entangle.Tick
}

// maxInTransit bounds the moves after which one that no group took within patience can be found: 1.5 MiB. Of more, the
// entities of the oldest that are still in transit are despawned.
const maxInTransit = 1 << 16

// takeAbandoned removes an entity that was in transit for too long, or too many moves ago.
func (e *entities) takeAbandoned() (s repl.Slot, ok bool) {
	for e.transit.Len() > 0 {
		entry := *e.transit.At(0)
		if e.transit.Len() <= maxInTransit && e.now.Sub(entry.since) <= patience {
			break
		}
		e.transit.Drop(1)
		if p, ok := e.away[entry.id]; ok && p.g == nil && p.since == entry.since {
			e.leave(entry.id, p)
			return p.slot, true
		}
	}
	return 0, false
}
