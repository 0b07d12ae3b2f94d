package sender

import (
	"slices"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/ident"
)

// trail is the groups that an entity moved on from, until all peers have acknowledged it.
type trail []ident.Group

// with returns the trail with a group appended.
func (t trail) with(id ident.Group) trail {
	if slices.Contains(t, id) {
		return t
	}
	return append(t, id)
}

// usualTrail is for how many groups a new trail has room, and newTrails how many trails are made at once.
const (
	usualTrail = 4
	newTrails  = 64
)

// follow appends a group to an entity's trail.
func (w *State) follow(s repl.Slot, id ident.Group) {
	t, ok := w.trails[s]
	if !ok {
		if len(w.worn) == 0 {
			for room := range slices.Chunk(make(trail, newTrails*usualTrail), usualTrail) {
				w.worn = append(w.worn, room[:0:usualTrail])
			}
		}
		last := len(w.worn) - 1
		t, w.worn = w.worn[last], w.worn[:last]
	}
	w.trails[s] = t.with(id)
}

// dropTrail forgets a trail, and keeps its memory for another.
func (w *State) dropTrail(s repl.Slot) {
	if t, ok := w.trails[s]; ok {
		w.worn = append(w.worn, t[:0])
		delete(w.trails, s)
	}
}

// forgetTrail removes a group from an entity's trail.
func (w *State) forgetTrail(s repl.Slot, id ident.Group) {
	t, ok := w.trails[s]
	if !ok {
		return
	}
	if i := slices.Index(t, id); i >= 0 {
		t = slices.Delete(t, i, i+1)
	}
	w.trails[s] = t
	if len(t) == 0 {
		w.dropTrail(s)
	}
}

// minTidy is the number of leavers from which a group is searched for forgettable ones.
const minTidy = 16

// tidy forgets leavers of a group when there are twice as many as were kept the last time.
func (w *State) tidy(id ident.Group) {
	if gr := &w.groups[id]; len(gr.left) >= max(minTidy, 2*int(gr.kept)) {
		w.forgetLeavers(id)
		gr.kept = int32(len(gr.left))
	}
	w.tidyLater(id)
}

// tidyAfter is the number of ticks after which the leavers of a group are scanned if no others
// leave it: by then most peers have acknowledged them.
const tidyAfter = 128

// tidyPerTick is the number of leavers and peers that are scanned in a tick; at least one group is
// scanned in any case.
const tidyPerTick = 1024

// tidying is a group with leavers to scan, and since when.
type tidying struct {
	id   ident.Group
	tick entangle.Tick
}

// tidyLater schedules a scan of a group's leavers in tidyAfter ticks.
func (w *State) tidyLater(id ident.Group) {
	if gr := &w.groups[id]; !gr.queued {
		gr.queued = true
		w.tidying.Push(tidying{id, w.tick})
	}
}

// tidyInTurn forgets leavers of the groups that it is time to scan. Groups with leavers that some peer has
// not acknowledged have another turn. An entity that lives on elsewhere under an id from here is
// scanned again when it ends.
func (w *State) tidyInTurn() {
	for looks := tidyPerTick; looks > 0 && w.tidying.Len() > 0; {
		first := *w.tidying.At(0)
		if w.tick.Sub(first.tick) < tidyAfter {
			return
		}
		w.tidying.Drop(1)
		id := first.id
		gr := &w.groups[id]
		gr.queued = false
		if len(gr.left) == 0 {
			continue
		}
		looks -= len(gr.left) + w.acks.Peers()
		if w.forgetLeavers(id) {
			w.tidyLater(id)
		}
		gr.kept = int32(len(gr.left))
	}
}

// forgetLeavers removes the leavers that every peer has acknowledged. A leaver that lives on elsewhere
// under an id from here stays. It reports whether some peer has yet to acknowledge a leaver.
func (w *State) forgetLeavers(id ident.Group) (unheard bool) {
	gr := &w.groups[id]
	told := w.acks.Told(id)
	kept, struck := gr.left[:0], w.struck[:0]
	for _, l := range gr.left {
		native := l.slot != repl.NoSlot && w.slots.home[l.slot] == id && w.slots.number[l.slot] == l.number
		if heard := l.news.spread(l.left, told, w.acks); native || !heard {
			kept = append(kept, l)
			unheard = unheard || !native
			continue
		}
		if l.slot != repl.NoSlot {
			struck = append(struck, l)
		}
	}
	gr.left, w.struck = fitted(kept), struck
	for _, l := range struck {
		if !gr.remembers(l.slot) {
			w.forgetTrail(l.slot, id)
		}
	}
	return unheard
}

// remembers reports whether an entity is among the leavers: it can have left more than once.
func (gr *group) remembers(s repl.Slot) bool {
	return slices.ContainsFunc(gr.left, func(l leaver) bool { return l.slot == s })
}

// Acks is what the peers of a world were sent and have acknowledged.
type Acks interface {
	// Peers returns the number of peers.
	Peers() int
	// Told returns how far the structure of a group was sent to the peers that have it.
	Told(id ident.Group) Told
	// InFlight returns the tick of the oldest packet or message that is in flight to any peer, or the present
	// tick.
	InFlight() entangle.Tick
}

// Told is how far the structure of a group was sent to its peers.
type Told struct {
	All  entangle.Tick // up to here every peer was sent all that happened
	Last entangle.Tick // when any peer was sent something last
}

// news is how far the peers have been sent and have acknowledged that an entity left a group.
type news struct {
	told  bool          // every peer was told
	tick  entangle.Tick // at this one or before
	heard bool          // and has acknowledged it
}

// spread updates n, and reports whether every peer has received an event of a tick: it was sent to
// each, and everything sent up to then is acknowledged.
func (n *news) spread(happened entangle.Tick, t Told, acks Acks) bool {
	if !n.told && !t.All.Before(happened) {
		n.told, n.tick = true, t.Last
		if t.Last.Before(happened) { // no peer has the group, but others may refer to its leavers
			n.tick = happened
		}
	}
	n.heard = n.heard || n.told && n.tick.Before(acks.InFlight())
	return n.heard
}
