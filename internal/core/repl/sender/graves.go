package sender

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/set"
)

// grave is an entity that ended where its name is not from, in a group of which some peer may
// not have heard so. Its name is not given to another before, and rests from then on.
type grave struct {
	home, in     groupID
	name, number repl.Member   // at home, and where it ended
	tick         entangle.Tick // when it ended, or, of those that are mourned, all were told by
}

// graves are those of which some peer was not told, and those that are mourned: all were told,
// and may not have heard yet.
type graves struct{ untold, mourned ring[grave] }

// bury has an entity's name kept that ended, or was before, in a group under a number.
func (w *World) bury(s repl.Slot, in groupID, number repl.Member) {
	home, name := w.slots.home[s], w.slots.number[s]
	if home != in || name != number {
		w.groups[home].natives++
		w.graves.untold.push(grave{home: home, in: in, name: name, number: number, tick: w.tick})
	}
}

// unbury lets go of the names of which every peer has heard the end.
func (w *World) unbury() {
	w.mourn()
	for all := &w.graves.mourned; all.n > 0; all.drop(1) {
		g := *all.at(0)
		if !rested(g.tick, w.tick) || !g.tick.Before(w.naming()) {
			return
		}
		w.groups[g.home].natives--
		w.rest(g.home)
	}
}

// mourn scans a slice of the tombstones and releases those that every peer has acknowledged. A peer
// that acknowledges one group late does not hold up the ids of entities that ended in another.
func (w *World) mourn() {
	untold := &w.graves.untold
	for range (untold.n + mournIn - 1) / mournIn {
		g := *untold.at(0)
		untold.drop(1)
		if !w.toldOf(&g) {
			untold.push(g)
			continue
		}
		g.tick = w.tick
		w.graves.mourned.push(g)
	}
}

// mournIn is the number of ticks in which all unreleased tombstones are scanned, unless they become
// more: the cost of asking all peers follows the number of ends.
const mournIn = 8

// toldOf reports whether every peer was told of an end.
func (w *World) toldOf(g *grave) bool {
	for _, p := range w.peers {
		if sp, i := p.stateOf(g.in); i >= 0 && sp.phase[i] != unknown && sp.shaped[i].Before(g.tick) {
			return false
		}
	}
	return true
}

// names sets the numbers of a group that are names of the buried.
func (g *graves) names(home groupID, taken *set.Bitset) {
	for _, all := range [...]*ring[grave]{&g.untold, &g.mourned} {
		for i := range all.n {
			if at := all.at(i); at.home == home {
				taken.Set(int(at.name))
			}
		}
	}
}
