package receiver

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/ring"
)

// entities knows where each entity is, whatever group it is in.
type entities struct {
	groups  *table
	now     *entangle.Tick       // of the replica
	away    map[repl.ID]location // entities that are not in the group of their id
	transit transit
	moves   []move // of the current record
}

// location is where an entity is: in a group under a number, displaced by the current record, or,
// without either, in transit between groups.
type location struct {
	slot      repl.Slot
	number    repl.Member
	displaced bool
	serial    uint32 // of its entry in the queue of entities in transit
	g         *group
}

// isHome reports whether the entity of an id is in the group that the id names, under its number.
func (p *location) isHome(id repl.ID) bool {
	return p.g != nil && p.g.Group == id.Group && p.g.generation == id.Generation && p.number == id.Member
}

func (p *location) inTransit() bool { return p.g == nil && !p.displaced }

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
	} else if p.inTransit() {
		e.transit.n--
	}
	delete(e.away, id)
}

// put gives a location to an entity that has none.
func (e *entities) put(id repl.ID, p location) {
	if p.g != nil {
		p.g.insert(member{slot: p.slot, id: id, number: p.number})
	} else if p.inTransit() {
		p.serial = e.launch(id)
	}
	if p.isHome(id) {
		return
	}
	if e.away == nil {
		e.away = map[repl.ID]location{}
	}
	e.away[id] = p
}

// move is one step of a record for an entity, to be undone if the record turns out to be malformed.
type move struct {
	id   repl.ID
	from location
	is   bool // the entity had a location before: it is not new
}

// move moves an entity to a location. is: it is at from, otherwise it is new.
func (e *entities) move(id repl.ID, from location, is bool, to location) {
	if is {
		e.leave(id, from)
	}
	e.moves = append(e.moves, move{id: id, from: from, is: is})
	e.put(id, to)
}

// undo reverts all moves of the current record.
func (e *entities) undo() {
	for i := len(e.moves) - 1; i >= 0; i-- {
		m := e.moves[i]
		if now, ok := e.locate(m.id); ok {
			e.leave(m.id, now)
		}
		if m.is {
			e.put(m.id, m.from)
		}
	}
	e.moves = e.moves[:0]
}

// transit is the entities in transit: they left a group and no other has taken them yet. Usually
// the other half of their move has arrived.
type transit struct {
	n      int
	serial uint32
	queue  ring.Queue[inTransit] // the oldest first; some are taken already
}

// inTransit is one entity in transit, unless a group took it meanwhile.
type inTransit struct {
	id     repl.ID
	serial uint32
	since  entangle.Tick
}

// maxInTransit bounds the entities that one call leaves in transit. Beyond it the oldest are
// despawned, as are those that no group took within patience.
const maxInTransit = 4096

// launch puts an entity into the queue. The queue is rid of taken entries when most of its entries are taken.
func (e *entities) launch(id repl.ID) (serial uint32) {
	t := &e.transit
	if old := t.queue.Len(); old > 2*t.n+minTransitQueue {
		for range old {
			entry := *t.queue.At(0)
			if t.queue.Drop(1); e.travels(entry) {
				t.queue.Push(entry)
			}
		}
	}
	t.n++
	t.serial++
	t.queue.Push(inTransit{id: id, serial: t.serial, since: *e.now})
	return t.serial
}

// minTransitQueue is the length of the queue of entities in transit below which it is not searched for taken entries.
const minTransitQueue = 64

// travels reports whether an entry's entity is still in transit.
func (e *entities) travels(entry inTransit) bool {
	p, ok := e.away[entry.id]
	return ok && p.inTransit() && p.serial == entry.serial
}

// takeAbandoned removes an entity that was in transit for too long, or the oldest if they are too many.
func (e *entities) takeAbandoned() (s repl.Slot, ok bool) {
	t := &e.transit
	for t.queue.Len() > 0 {
		entry := *t.queue.At(0)
		travels := e.travels(entry)
		if travels && t.n <= maxInTransit && e.now.Sub(entry.since) <= patience {
			break
		}
		if t.queue.Drop(1); travels {
			p := e.away[entry.id]
			e.leave(entry.id, p)
			return p.slot, true
		}
	}
	return 0, false
}
