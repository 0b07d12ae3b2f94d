package sender

import (
	"slices"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// trail is the groups that an entity moved on from, as long as a peer may not have
// heard of it.
type trail []groupID

// with returns the trail with a group at its end.
func (t trail) with(id groupID) trail {
	if slices.Contains(t, id) {
		return t
	}
	return append(t, id)
}

// follow puts a group at the end of an entity's trail.
func (w *World) follow(s repl.Slot, id groupID) {
	t, ok := w.trails[s]
	if n := len(w.worn); !ok && n > 0 {
		t, w.worn = w.worn[n-1], w.worn[:n-1]
	}
	w.trails[s] = t.with(id)
}

// dropTrail forgets a trail, and keeps its memory for another.
func (w *World) dropTrail(s repl.Slot) {
	if t, ok := w.trails[s]; ok {
		w.worn = append(w.worn, t[:0])
		delete(w.trails, s)
	}
}

// forgetTrail takes a group off an entity's trail.
func (w *World) forgetTrail(s repl.Slot, id groupID) {
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

// minTidy is how many leavers a group has before those are looked for that can be
// forgotten.
const minTidy = 16

// tidy forgets leavers of a group when there are twice as many as were kept the last
// time.
func (w *World) tidy(id groupID) {
	if gr := &w.groups[id]; len(gr.left) >= max(minTidy, 2*int(gr.kept)) {
		w.forgetLeavers(id)
		gr.kept = int32(len(gr.left))
	}
	w.tidyLater(id)
}

// tidyAfter is how many ticks after an entity has left a group its leavers are looked through,
// should no others leave it: by then most peers have acknowledged it, and numbers have rested.
const tidyAfter = 2 * quarantine

// tidyPerTick is how many leavers and peers are looked at in a tick in which that falls due,
// but for one group in any case.
const tidyPerTick = 1024

// tidyLater has the leavers of a group looked through in tidyAfter ticks.
func (w *World) tidyLater(id groupID) {
	if gr := &w.groups[id]; !gr.queued {
		gr.queued = true
		w.tidying.push(freed{number: int32(id), tick: w.tick})
	}
}

// tidyInTurn forgets leavers of groups whose time has come. Those of which some peer has not
// heard yet have another turn; an entity that lives on elsewhere under a name from here is
// looked at again when it ends.
func (w *World) tidyInTurn() {
	for looks := tidyPerTick; looks > 0 && w.tidying.n > 0; {
		first := *w.tidying.at(0)
		if w.tick.Sub(first.tick) < tidyAfter {
			return
		}
		w.tidying.drop(1)
		id := groupID(first.number)
		gr := &w.groups[id]
		gr.queued = false
		if len(gr.left) == 0 {
			continue
		}
		looks -= len(gr.left) + len(w.peers)
		if w.forgetLeavers(id) {
			w.tidyLater(id)
		}
		gr.kept = int32(len(gr.left))
	}
}

// forgetLeavers strikes off the leavers that every peer has heard of. Of one that
// lives on elsewhere under a name from here, the number stays taken. A number rests from when
// the last was told, as handles do: Since is rounded by as much. It reports whether some peer
// has yet to hear of one.
func (w *World) forgetLeavers(id groupID) (unheard bool) {
	gr := &w.groups[id]
	told, naming := w.telling(id), w.naming()
	kept, struck := gr.left[:0], w.sorted[:0]
	for _, l := range gr.left {
		native := l.slot != repl.NoSlot && w.slots.home[l.slot] == id && w.slots.number[l.slot] == l.number
		heard := l.news.spread(w, l.left, told) && rested(l.news.tick, w.tick) && l.news.tick.Before(naming)
		if native || !heard {
			kept = append(kept, l)
			unheard = unheard || !native
			continue
		}
		if l.slot != repl.NoSlot {
			struck = append(struck, l)
		}
	}
	gr.left, w.sorted = fitted(kept), struck
	for _, l := range struck {
		if !gr.remembers(l.slot) {
			w.forgetTrail(l.slot, id)
		}
	}
	return unheard
}

// remembers reports whether an entity is among the leavers: it can have left more than
// once.
func (gr *group) remembers(s repl.Slot) bool {
	return slices.ContainsFunc(gr.left, func(l leaver) bool { return l.slot == s })
}

// telling is what peers were sent of a group's structure.
type telling struct {
	all  entangle.Tick // up to here every peer was sent all that happened
	last entangle.Tick // when any was sent something last
}

func (w *World) telling(id groupID) telling {
	t := telling{all: w.tick, last: w.tick - 1<<30}
	for _, p := range w.peers {
		sp, i := p.find(id)
		if i < 0 || sp.phase[i] == unknown {
			continue
		}
		if sp.shaped[i].Before(t.all) {
			t.all = sp.shaped[i]
		}
		if t.last.Before(sp.shaped[i]) {
			t.last = sp.shaped[i]
		}
	}
	return t
}

// news is how far it has got around that an entity left a group.
type news struct {
	told  bool          // every peer was told
	tick  entangle.Tick // at this one or before
	heard bool          // and has acknowledged it
}

// spread looks again, and reports whether every peer has heard what happened at a tick:
// it was told, and all that was sent up to then is acknowledged.
func (n *news) spread(w *World, happened entangle.Tick, t telling) bool {
	if !n.told && !t.all.Before(happened) {
		n.told, n.tick = true, t.last
		if t.last.Before(happened) { // nobody has the group, but others may refer to who left it
			n.tick = happened
		}
	}
	n.heard = n.heard || n.told && n.tick.Before(w.underWay())
	return n.heard
}

func sortLeavers(all []leaver) {
	slices.SortFunc(all, func(a, b leaver) int { return int(a.number) - int(b.number) })
}
