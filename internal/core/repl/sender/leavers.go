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
}

// forgetLeavers strikes off the leavers that every peer has heard of. Of one that
// lives on elsewhere under a name from here, the number stays taken. A number rests from when
// the last was told, as handles do: Since is rounded by as much.
func (w *World) forgetLeavers(id groupID) {
	gr := &w.groups[id]
	told := w.telling(id)
	kept, struck := gr.left[:0], w.sorted[:0]
	for _, l := range gr.left {
		native := l.slot != repl.NoSlot && w.slots.home[l.slot] == id && w.slots.number[l.slot] == l.number
		heard := l.news.spread(w, l.left, told) && rested(l.left, w.tick) && rested(l.news.tick, w.tick)
		if native || !heard {
			kept = append(kept, l)
			continue
		}
		if l.slot != repl.NoSlot {
			struck = append(struck, l)
		}
	}
	gr.left, w.sorted = kept, struck
	for _, l := range struck {
		if !gr.remembers(l.slot) {
			w.forgetTrail(l.slot, id)
		}
	}
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
	}
	n.heard = n.heard || n.told && n.tick.Before(w.underWay())
	return n.heard
}

// grave is an entity that ended away from home, in a group of which some peer may not
// have heard so. Its name is not given to another before.
type grave struct {
	home, in groupID
	number   repl.Member // there
	tick     entangle.Tick
	news     news
}

func (w *World) bury(home, in groupID, number repl.Member) {
	if home != in {
		w.groups[home].natives++
		w.graves = append(w.graves, grave{home: home, in: in, number: number, tick: w.tick})
	}
}

// unbury lets go of the names of which every peer has heard the end.
func (w *World) unbury() {
	for len(w.graves) > 0 {
		g := &w.graves[0]
		if gr := &w.groups[g.in]; gr.open || gr.holders > 0 {
			if !g.news.spread(w, g.tick, w.telling(g.in)) || !rested(g.tick, w.tick) {
				return
			}
		}
		home := g.home
		w.graves = w.graves[:copy(w.graves, w.graves[1:])]
		w.groups[home].natives--
		w.rest(home)
	}
}

func sortLeavers(all []leaver) {
	slices.SortFunc(all, func(a, b leaver) int { return int(a.number) - int(b.number) })
}
