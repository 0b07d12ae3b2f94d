package source

import (
	"cmp"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/interest"
	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// standing is the reason for showing a group to a client that one of its entities is for.
type standing uint8

const (
	irrelevant standing = iota // none
	retained                   // it stays on clients that have it
	relevant                   // it is shown
)

// relevanceOf returns whether relevance is conditional for an entity. If its Replicate says
// Always, the nearest ancestor that does not decides; for a paused one, its value at that time.
func (f *family) relevanceOf(s repl.Slot) components.Relevance {
	r := f.publisher.replicate(s).Relevance
	for above, ok := f.above(s); ok; above, ok = f.above(above) {
		if f.publisher.Paused.Has(int(above)) {
			return cmp.Or(r, f.publisher.Sight.relevance[above])
		}
		r = cmp.Or(r, f.publisher.replicate(above).Relevance)
	}
	return r
}

// readRelevance reads whether relevance is conditional for an entity.
func (v *sight) readRelevance(s repl.Slot) {
	r := v.publisher.Family.relevanceOf(s)
	if r == v.relevance[s] {
		return
	}
	if r == components.Retained {
		v.turned.Set(int(s))
	}
	v.relevance[s] = r
	v.stir(s)
}

// standing returns the reason for showing an entity, and so its group, to a client that it is for.
// The group of a paused entity stays on clients that have it and is not shown to others.
func (v *sight) standing(c *Spectator, s repl.Slot) standing {
	r, paused := v.relevance[s], v.publisher.Paused.Has(int(s))
	switch {
	case paused && c.Peer.Sees(s), !paused && (r == components.Always || v.matters(c, s) || v.rests(c, s)):
		return relevant
	case r == components.Retained && !v.turned.Has(int(s)):
		return retained
	default:
		return irrelevant
	}
}

// matters reports whether an entity is relevant to a client.
func (v *sight) matters(c *Spectator, s repl.Slot) bool {
	owned := v.Owner[s] == c.id
	i := v.publisher.interest
	n, known := i.Known(v.publisher.Table.Entity(columns.Slot(s)))
	if !known {
		return owned // no relevance was set for it
	}
	return i.relevance.Matters(c.row, n, owned)
}

// attend re-evaluates entities whose relevance to a client changed, and entities with a room as
// target for clients that entered or left it.
func (v *sight) attend() {
	i := v.publisher.interest
	for at := range v.Clients {
		c := &v.Clients[at]
		v.crowds.look++
		for n := i.relevance.NextChanged(c.row, 0); n >= 0; n = i.relevance.NextChanged(c.row, n+1) {
			if s, ok := v.publisher.Slot(i.entities[n]); ok && v.relevance[s] != components.Always {
				v.revisit(c, s, v.weigh)
			}
		}
	}
	for _, m := range i.relevance.Moves() {
		if c := v.spectator(m.Client); c != nil {
			v.crowds.look++
			v.moved(c, m)
		}
	}
	i.relevance.ClearChanges()
}

// spectator returns the client of a row, nil if there is none.
func (v *sight) spectator(row int) *Spectator {
	for i := range v.Clients {
		if v.Clients[i].row == row {
			return &v.Clients[i]
		}
	}
	return nil
}

// moved re-evaluates the entities whose target is a room for a client that entered or left it.
func (v *sight) moved(c *Spectator, m interest.Move) {
	room := components.Room(m.Room)
	for s, ok := v.Rooms.First(room); ok; s, ok = v.Rooms.Next(s) {
		v.revisit(c, repl.Slot(s), v.show)
	}
	o := &v.Overrides
	for i, ok := o.byRoom.First(room); ok; i, ok = o.byRoom.Next(i) {
		if s, ok := v.publisher.Slot(o.notes[i].entity); ok {
			v.revisit(c, s, v.show)
		}
	}
	behind := v.publisher.Family.behind // the former target of their paused parents may be the room
	for s := behind.Next(0); s >= 0; s = behind.Next(s + 1) {
		v.revisit(c, repl.Slot(s), v.show)
	}
	v.foretellRoom(c, m)
}

// revisit re-evaluates the private group of an entity for a client, the group of a crowd only
// once.
func (v *sight) revisit(c *Spectator, s repl.Slot, look func(*Spectator, []repl.Slot)) {
	crowd := v.crowd[s]
	switch {
	case crowd == nil && v.publisher.Paused.Has(int(s)): // it keeps its visibility
	case crowd == nil && v.watched.Has(int(s)):
		v.one[0] = s
		look(c, v.one[:])
	case crowd != nil && crowd.looked != v.crowds.look:
		crowd.looked = v.crowds.look
		if members := v.inPrivate(crowd); len(members) > 0 {
			look(c, members)
		}
	}
}

// weigh is show for changes of relevance only. For a visible group it stops at the first member
// that is relevant.
func (v *sight) weigh(c *Spectator, members []repl.Slot) {
	if c.Peer.Sees(members[0]) {
		for _, s := range members {
			if v.standing(c, s) == relevant && v.Sees(c, s) {
				return
			}
		}
	}
	v.show(c, members)
}
