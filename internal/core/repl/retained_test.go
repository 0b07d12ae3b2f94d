package repl_test

import (
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/view"
)

// checkRetained checks that a group that a peer retains equals its state at one earlier tick,
// without the entities that left since, and without the parts that the peer may no longer see.
// Parts that were hidden for a while may be missing.
func (n *network) checkRetained(e *end, key groupKey, tick entangle.Tick, got map[uint32]entity) {
	less := map[uint32]view.Hidden{} // by name
	for t := tick; ; t -= 1 + n.skips {
		if _, there := n.history[t]; !there {
			break
		}
		if e.saw[t].retained[key] != nil {
			for slot, h := range e.saw[t].views[key] {
				is := n.history[t].entities[slot]
				was := less[is.name()]
				less[is.name()] = view.Hidden{Whole: h.Whole || was.Whole, Comps: h.Comps.Or(was.Comps)}
			}
		}
		if e.saw[t].sees(key) && n.wasRetained(e, key, t, tick, less, got) {
			return
		}
	}
	require.Failf(n.t, "torn", "tick %d: group %v was never what is kept of it: %x", n.tick, key, got)
}

// wasRetained reports whether the peer's state of a group at a tick can be the group's state at one
// earlier tick.
func (n *network) wasRetained(e *end, key groupKey, then, tick entangle.Tick, less map[uint32]view.Hidden, got map[uint32]entity) bool {
	was, is := n.history[then], n.history[tick]
	found := 0
	for _, slot := range was.groups[key] {
		before, visible := n.seen(e, then, key, slot)
		now, lives := is.entities[slot]
		stays := lives && now.name() == before.name() && is.came[slot] == was.came[slot]
		shown, there := got[before.name()]
		lost, hides := less[before.name()], e.saw[tick].views[key][slot]
		if n.rested(slot, then, tick) { // hidden parts count from the next check on
			hides = view.Hidden{}
		}
		switch {
		case there && (!stays || !visible || hides.Whole), stays && shown.mask.Without(hides.Comps) != shown.mask:
			return false
		case was.paused[slot]: // the entity is as it was before the pause
		case !there && stays && visible && !lost.Whole, there && shown.without(lost.Comps) != before.without(lost.Comps):
			return false
		}
		if there {
			found++
		}
	}
	return found == len(got)
}

// rested reports whether an entity was paused at some tick of a range.
func (n *network) rested(slot repl.Slot, from, to entangle.Tick) bool {
	for t := from; !to.Before(t); t += 1 + n.skips {
		if n.history[t].paused[slot] {
			return true
		}
	}
	return false
}
