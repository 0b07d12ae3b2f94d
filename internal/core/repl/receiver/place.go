package receiver

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// place is the place of an entity: in a group under a number, ousted by the current record, or,
// without either, in transit between groups.
type place struct {
	slot   repl.Slot
	number repl.Member
	ousted bool
	serial uint32 // of its entry in the queue of entities in transit
	g      *group
}

// home reports whether the entity of an id is in the group that the id names, under its number.
func (p *place) home(id repl.ID) bool {
	return p.g != nil && p.g.handle == id.Group && p.g.generation == id.Generation && p.number == id.Member
}

// locate returns the place of an entity. Most are at home, where no map is needed.
func (r *Receiver) locate(id repl.ID) (place, bool) {
	if g := r.groups.get(id.Group); g != nil {
		if m := g.member(id.Member); m != nil && m.id == id {
			return place{slot: m.slot, g: g, number: id.Member}, true
		}
	}
	p, ok := r.away[id]
	if p.g != nil {
		r.groups.get(p.g.handle) // ends the group's loan
	}
	return p, ok
}

// leavePlace removes an entity from its place. It is not despawned.
func (r *Receiver) leavePlace(id repl.ID, p place) {
	switch {
	case p.g != nil:
		p.g.removeMember(p.number)
	case !p.ousted:
		r.adrift.n--
	}
	delete(r.away, id)
}

// put places an entity that has no place.
func (r *Receiver) put(id repl.ID, p place) {
	switch {
	case p.g != nil:
		p.g.insert(member{slot: p.slot, id: id, number: p.number})
	case !p.ousted:
		p.serial = r.launch(id)
	}
	if p.home(id) {
		return
	}
	if r.away == nil {
		r.away = map[repl.ID]place{}
	}
	r.away[id] = p
}

// move is one step of a record for an entity, to be undone if the record turns out to be malformed.
type move struct {
	id   repl.ID
	from place
	is   bool // the entity had a place before: it is not new
}

// undo reverts all steps of the current record.
func (r *Receiver) undo(g *group) {
	for i := len(r.moves) - 1; i >= 0; i-- {
		m := r.moves[i]
		if now, ok := r.locate(m.id); ok {
			r.leavePlace(m.id, now)
		}
		if m.is {
			r.put(m.id, m.from)
		}
	}
	r.moves, r.ousts = r.moves[:0], r.ousts[:0]
	r.predicted.undo()
	for i := range g.members {
		g.members[i].mark = unmarked
	}
}

// part applies the fate of an entity that left its group: it moves, is orphaned or despawns.
func (r *Receiver) part(id repl.ID, slot repl.Slot, fate repl.Fate) {
	delete(r.away, id)
	switch fate {
	case repl.Moved:
		r.put(id, place{slot: slot})
	case repl.Orphaned:
		r.predicted.forgetSlot(slot)
		r.sink.Orphan(slot)
	default:
		r.predicted.forgetSlot(slot)
		r.sink.Despawn(slot)
	}
}

// adrift are the entities in transit: they left a group and no other has taken them yet. Usually
// the other half of their move has arrived.
type adrift struct {
	n      int
	serial uint32
	head   int
	queue  []floating // the oldest at head; some are taken already
}

// floating is one entity in transit, unless a group took it meanwhile.
type floating struct {
	id     repl.ID
	serial uint32
	since  entangle.Tick
}

// maxAdrift bounds the entities that one call leaves in transit. Beyond it the oldest are
// despawned, as are those that no group took within patience.
const maxAdrift = 4096

// launch puts an entity into the queue.
func (r *Receiver) launch(id repl.ID) (serial uint32) {
	a := &r.adrift
	if len(a.queue) == cap(a.queue) {
		r.compactAdrift()
	}
	a.n++
	a.serial++
	a.queue = append(a.queue, floating{id: id, serial: a.serial, since: r.now})
	return a.serial
}

// compactAdrift removes taken entries from the queue. The queue then grows only if most of its
// entries are still in transit.
func (r *Receiver) compactAdrift() {
	a := &r.adrift
	live := a.queue[:0]
	for _, f := range a.queue[a.head:] {
		if r.floats(f) {
			live = append(live, f)
		}
	}
	a.queue, a.head = live, 0
	if len(live) > cap(live)/2 {
		a.queue = append(make([]floating, 0, 2*cap(live)), live...)
	}
}

// floats reports whether an entry's entity is still in transit.
func (r *Receiver) floats(f floating) bool {
	p, ok := r.away[f.id]
	return ok && p.g == nil && !p.ousted && p.serial == f.serial
}

// abandon despawns the entities that were in transit for too long, or are too many.
func (r *Receiver) abandon() {
	a := &r.adrift
	for a.head < len(a.queue) {
		f := a.queue[a.head]
		floats := r.floats(f)
		if floats && a.n <= maxAdrift && r.now.Sub(f.since) <= patience {
			return
		}
		a.head++
		if floats {
			r.abandonOne(f.id)
		}
	}
	a.queue, a.head = a.queue[:0], 0
}

func (r *Receiver) abandonOne(id repl.ID) {
	p := r.away[id]
	r.leavePlace(id, p)
	r.predicted.forgetSlot(p.slot)
	r.sink.Begin(r.now)
	r.sink.Despawn(p.slot)
	r.sink.Commit()
	r.stats.Abandoned++
}
