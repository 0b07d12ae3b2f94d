package sink

import (
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/entangle-ecs/entangle/internal/wire"
)

// componentSet is a set of components that change together. Few different sets occur in updates, so
// the data that decoding needs is computed once per set.
type componentSet struct {
	set   set.Mask
	comps []*component
	// shorts holds, for each component, the plan that decodes many values of it at once. It is nil if
	// some component has no such plan or is sent as differences, or if the set is staged.
	shorts []*wire.Short
	// staged: an update of the set is not decoded directly into the world, because it may change
	// structure, may be refused, or has too many components.
	staged bool
	// simple holds the components whose values are written into the world as they arrive, even on a
	// predicted entity.
	simple []*component
	// bit stands for the set in replica.holds; 0 if other sets have taken all bits.
	bit uint32
}

// componentSets holds the current set, and in a list the first maxSets sets that were received.
// Most updates have the same set as the previous update.
type componentSets struct {
	now  componentSet
	list []componentSet
}

// maxSets is the greatest number of sets that are kept. Each of them has a bit in replica.holds.
const maxSets = 32

// chooseSet makes a set the current one.
func (a *Applier) chooseSet(mask *set.Mask) {
	all := &a.sets
	for i := range all.list {
		if all.list[i].set == *mask {
			all.now = all.list[i]
			return
		}
	}
	all.now = componentSet{set: *mask}
	for comp := range mask.All() {
		one := &a.comps[comp]
		all.now.comps = append(all.now.comps, one)
		all.now.staged = all.now.staged || one.relation || one.input // the target of a relation is structure
		if one.mode == registry.Simple {
			all.now.simple = append(all.now.simple, one)
		}
		if short := one.plan.Short(); short != nil && a.diffs.history.Of[comp] == nil {
			all.now.shorts = append(all.now.shorts, short)
		}
	}
	all.now.staged = all.now.staged || len(all.now.comps) > atOnce || a.owned.affectedBy(mask)
	if n := len(all.now.shorts); n < len(all.now.comps) || all.now.staged {
		all.now.shorts = nil
	}
	if len(all.list) < maxSets {
		all.now.bit = 1 << len(all.list)
		all.list = append(all.list, all.now)
	}
}

// holdsSet reports whether an entity has all components of the current set. It caches a positive
// answer, except for predicted and interpolated entities: their
// updates take other paths.
func (a *Applier) holdsSet(s repl.Slot) bool {
	if !a.Replicas.Info[s].mask.Holds(&a.sets.now.set) {
		return false
	}
	if a.Replicas.Info[s].storeSlot == 0 && !a.isInterpolated(s) {
		a.Replicas.entities[s].holds |= a.sets.now.bit
	}
	return true
}
