package repl_test

import (
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
)

// checkRetained holds that a group which a peer keeps is what it was at one tick before,
// but for those that have left it since.
func (n *network) checkRetained(e *end, key groupKey, tick entangle.Tick, got map[uint32]entity) {
	for t := tick; ; t -= 1 + n.skips {
		if _, there := n.history[t]; !there {
			break
		}
		if e.saw[t].sees(key) && n.wasRetained(e, key, t, tick, got) {
			return
		}
	}
	require.Failf(n.t, "torn", "tick %d: group %v was never what is kept of it: %x", n.tick, key, got)
}

// wasRetained reports whether a group was, at one tick, what a peer has of it at a later one.
func (n *network) wasRetained(e *end, key groupKey, then, tick entangle.Tick, got map[uint32]entity) bool {
	was, is := n.history[then], n.history[tick]
	found := 0
	for _, slot := range was.groups[key] {
		before, visible := n.seen(e, then, key, slot)
		now, lives := is.entities[slot]
		stays := lives && now.name() == before.name() && is.came[slot] == was.came[slot]
		shown, there := got[before.name()]
		switch {
		case there && !stays, there && !visible:
			return false
		case was.paused[slot]: // it is what it was before that
		case there != (stays && visible), there && shown != before:
			return false
		}
		if there {
			found++
		}
	}
	return found == len(got)
}
