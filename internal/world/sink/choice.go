package sink

import (
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/wire"
)

// choice is a set of components that change together. Few different sets occur in updates, so the
// data that decoding needs is computed once per set.
type choice struct {
	set   repl.Mask
	comps []*copied
	// shorts holds the plans of all components as short codes. It is nil if one of them has no such
	// plan, or if there are too many.
	shorts []*wire.Short
	// staged: an update of the set is not decoded directly into the world, because it may change
	// structure, may be refused, or has too many components.
	staged bool
	// simple holds the components that go into the world as received, on predicted entities too.
	simple []*copied
	// bit stands for the set in placed.holds; 0 if there are more sets than bits.
	bit uint32
}

// choices holds the sets received so far. Most updates have the same set as the one before.
type choices struct {
	now  choice
	list []choice
}

// maxChoices is the number of sets that have a bit.
const maxChoices = 32

// choose makes a set the current one.
func (c *Copy) choose(set *repl.Mask) {
	all := &c.choices
	for i := range all.list {
		if all.list[i].set == *set {
			all.now = all.list[i]
			return
		}
	}
	all.now = choice{set: *set}
	for comp := set.Next(0); comp >= 0; comp = set.Next(comp + 1) {
		one := &c.comps[comp]
		all.now.comps = append(all.now.comps, one)
		all.now.staged = all.now.staged || one.relation || one.input // the target of a relation is structure
		if one.mode == registry.Simple {
			all.now.simple = append(all.now.simple, one)
		}
		if short := one.plan.Short(); short != nil && c.past.Of[comp] == nil {
			all.now.shorts = append(all.now.shorts, short)
		}
	}
	all.now.staged = all.now.staged || len(all.now.comps) > atOnce || c.own.tells(set)
	if n := len(all.now.shorts); n < len(all.now.comps) || all.now.staged {
		all.now.shorts = nil
	}
	if len(all.list) < maxChoices {
		all.now.bit = 1 << len(all.list)
		all.list = append(all.list, all.now)
	}
}

// holdsChoice reports whether an entity has all components of the current set. It caches a positive
// answer, except for predicted entities: their updates take another path.
func (c *Copy) holdsChoice(s repl.Slot) bool {
	if !c.Known[s].mask.Holds(&c.choices.now.set) {
		return false
	}
	if c.Known[s].slot == 0 {
		c.entities[s].holds |= c.choices.now.bit
	}
	return true
}
