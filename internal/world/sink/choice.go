package sink

import (
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/wire"
)

// choice is a set of components that change together. Updates are of few sets:
// what an update needs to know of one is put together once.
type choice struct {
	set   repl.Mask
	comps []*copied
	// shorts are the plans of all of them as short codes, if they have such plans and
	// are few enough.
	shorts []*wire.Short
	// staged: an update of them is not decoded right into the world, for it may change
	// structure, or be refused, or there are too many.
	staged bool
	// simple are those of them that go into the world as they come, where it is predicted.
	simple []*copied
	// bit stands for the set in placed.holds; 0 if there are more sets than bits.
	bit uint32
}

// choices are the sets that have come. Most updates are of the same set as the one
// before.
type choices struct {
	now  choice
	list []choice
}

// maxChoices is how many sets have a bit.
const maxChoices = 32

// choose makes a set the one at hand.
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
		all.now.staged = all.now.staged || one.relation || one.input // the target of a relation is a matter of structure
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

// holdsChoice reports whether an entity has all components of the set at hand, and
// remembers it, but of one that is predicted: its updates go another way.
func (c *Copy) holdsChoice(s repl.Slot) bool {
	if !c.Known[s].mask.Holds(&c.choices.now.set) {
		return false
	}
	if c.Known[s].slot == 0 {
		c.entities[s].holds |= c.choices.now.bit
	}
	return true
}
