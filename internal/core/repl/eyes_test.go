package repl_test

import (
	"maps"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/view"
	"github.com/entangle-ecs/entangle/internal/set"
)

// eyes is the part of the model that a peer may see, with its predicted set.
type eyes struct {
	shown    map[groupKey]bool // private groups
	views    map[groupKey]map[repl.Slot]view.Hidden
	predicts map[uint32]bool // by name
	retained map[groupKey]kept
}

// kept lists the entities of a group that a peer keeps without being shown the group, by name, with
// the tick since which they are in it.
type kept map[uint32]entangle.Tick

// keeps reports whether the peer keeps an entity that has been in a group since a tick.
func (y eyes) keeps(key groupKey, name uint32, since entangle.Tick) bool {
	came, ok := y.retained[key][name]
	return ok && came == since
}

func newEyes() eyes {
	return eyes{
		shown: map[groupKey]bool{}, views: map[groupKey]map[repl.Slot]view.Hidden{}, predicts: map[uint32]bool{},
		retained: map[groupKey]kept{},
	}
}

func (y eyes) clone() eyes {
	return eyes{
		shown: maps.Clone(y.shown), views: maps.Clone(y.views), predicts: maps.Clone(y.predicts),
		retained: maps.Clone(y.retained),
	}
}

// forget removes everything about a group.
func (y eyes) forget(key groupKey) {
	delete(y.shown, key)
	delete(y.views, key)
	delete(y.retained, key)
}

func (y eyes) sees(key groupKey) bool { return !key.place.Private || y.shown[key] }

// hides returns what is hidden of an entity in a group.
func (y eyes) hides(key groupKey, slot repl.Slot) view.Hidden {
	if !y.sees(key) {
		return view.Hidden{Whole: true}
	}
	return y.views[key][slot]
}

// moment is the state of the model after one tick.
type moment struct {
	entities map[repl.Slot]entity
	groups   map[groupKey][]repl.Slot
	paused   map[repl.Slot]bool
	frozen   map[repl.Slot]entity // the entities as they were when they were paused
	came     map[repl.Slot]entangle.Tick
}

// seen returns an entity of the model at a tick as a peer should have it, without its links, which
// are checked when nothing is in flight. ok is false if the peer should not have it.
func (n *network) seen(e *end, tick entangle.Tick, key groupKey, slot repl.Slot) (is entity, ok bool) {
	return n.view(e.saw[tick], n.history[tick].entities[slot], key, slot)
}

func (n *network) view(y eyes, is entity, key groupKey, slot repl.Slot) (entity, bool) {
	h := y.hides(key, slot)
	if n.model.links {
		is.values[linkComp] = 0
	}
	return is.without(h.Comps), !h.Whole
}

// without returns the entity without some components.
func (e entity) without(comps set.Mask) entity {
	for c := comps.Next(0); c >= 0; c = comps.Next(c + 1) {
		e.mask.Clear(c)
		e.values[c] = 0
	}
	return e
}
