package group

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

// Follow appends a group to an entity's trail.
func (w *State) Follow(s repl.Slot, id ident.Group) {
	t, ok := w.Trails[s]
	if !ok {
		if len(w.unusedTrails) == 0 {
			for room := range slices.Chunk(make(trail, newTrails*usualTrail), usualTrail) {
				w.unusedTrails = append(w.unusedTrails, room[:0:usualTrail])
			}
		}
		last := len(w.unusedTrails) - 1
		t, w.unusedTrails = w.unusedTrails[last], w.unusedTrails[:last]
	}
	w.Trails[s] = t.with(id)
}

// dropTrail forgets a trail, and keeps its memory for another.
func (w *State) dropTrail(s repl.Slot) {
	if t, ok := w.Trails[s]; ok {
		w.unusedTrails = append(w.unusedTrails, t[:0])
		delete(w.Trails, s)
	}
}

// forgetTrail removes a group from an entity's trail.
func (w *State) forgetTrail(s repl.Slot, id ident.Group) {
	t, ok := w.Trails[s]
	if !ok {
		return
	}
	if i := slices.Index(t, id); i >= 0 {
		t = slices.Delete(t, i, i+1)
	}
	w.Trails[s] = t
	if len(t) == 0 {
		w.dropTrail(s)
	}
}

// minTidy is the number of leavers from which on a group is scanned for those that can be forgotten.
const minTidy = 16

// tidy forgets leavers of a group when there are twice as many as were kept the last time.
func (w *State) tidy(id ident.Group) {
	if gr := &w.Groups[id]; len(gr.Left) >= max(minTidy, 2*int(gr.kept)) {
		w.forgetLeavers(id)
		gr.kept = int32(len(gr.Left))
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
	if gr := &w.Groups[id]; !gr.queued {
		gr.queued = true
		w.tidying.Push(tidying{id, w.Tick})
	}
}

// TidyInTurn forgets leavers of the groups that it is time to scan. Groups with leavers that some peer has
// not acknowledged have another turn. An entity that lives on elsewhere under an id from here is
// scanned again when it ends.
func (w *State) TidyInTurn() {
	for looks := tidyPerTick; looks > 0 && w.tidying.Len() > 0; {
		first := *w.tidying.At(0)
		if w.Tick.Sub(first.tick) < tidyAfter {
			return
		}
		w.tidying.Drop(1)
		id := first.id
		gr := &w.Groups[id]
		gr.queued = false
		if len(gr.Left) == 0 {
			continue
		}
		looks -= len(gr.Left) + w.acks.Peers()
		if w.forgetLeavers(id) {
			w.tidyLater(id)
		}
		gr.kept = int32(len(gr.Left))
	}
}

// forgetLeavers removes the leavers that every peer has acknowledged. A leaver that lives on elsewhere
// under an id from here stays. It reports whether some peer has yet to acknowledge a leaver.
func (w *State) forgetLeavers(id ident.Group) (waits bool) {
	gr := &w.Groups[id]
	sent := w.acks.Sent(id)
	kept, forgotten := gr.Left[:0], w.forgotten[:0]
	for _, l := range gr.Left {
		native := l.Slot != repl.NoSlot && w.Slots.Home[l.Slot] == id && w.Slots.Number[l.Slot] == l.Number
		if acked := l.Progress.update(l.Left, sent, w.acks); native || !acked {
			kept = append(kept, l)
			waits = waits || !native
			continue
		}
		if l.Slot != repl.NoSlot {
			forgotten = append(forgotten, l)
		}
	}
	gr.Left, w.forgotten = fitted(kept), forgotten
	for _, l := range forgotten {
		if !gr.remembers(l.Slot) {
			w.forgetTrail(l.Slot, id)
		}
	}
	return waits
}

// remembers reports whether an entity is among the leavers: it can have left more than once.
func (gr *Group) remembers(s repl.Slot) bool {
	return slices.ContainsFunc(gr.Left, func(l Leaver) bool { return l.Slot == s })
}

// Acks is what the peers of a world were sent and have acknowledged.
type Acks interface {
	// Peers returns the number of peers.
	Peers() int
	// Sent returns how far the structure of a group was sent to the peers that have it.
	Sent(id ident.Group) Sent
	// InFlight returns the tick of the oldest packet or message that is in flight to any peer, or the present
	// tick.
	InFlight() entangle.Tick
}

// Sent is how far the structure of a group was sent to its peers.
type Sent struct {
	All  entangle.Tick // up to here every peer was sent all that happened
	Last entangle.Tick // when any peer was sent something last
}

// progress is how far the peers have been sent and have acknowledged that an entity left a group.
type progress struct {
	sent  bool          // every peer was sent it
	tick  entangle.Tick // at this one or before
	Acked bool          // by all of them
}

// update updates n, and reports whether every peer has received an event of a tick: it was sent to
// each, and everything sent up to then is acknowledged.
func (n *progress) update(happened entangle.Tick, t Sent, acks Acks) bool {
	if !n.sent && !t.All.Before(happened) {
		n.sent, n.tick = true, t.Last
		if t.Last.Before(happened) { // no peer has the group, but others may refer to its leavers
			n.tick = happened
		}
	}
	n.Acked = n.Acked || n.sent && n.tick.Before(acks.InFlight())
	return n.Acked
}
