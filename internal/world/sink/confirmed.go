package sink

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/rollback"
	"github.com/mlange-42/arche/ecs"
)

// maxLastWords limits the entities per frame for which the last confirmed state is kept.
const maxLastWords = 1024

// lastWords holds the last confirmed state of predicted entities that were despawned in the current
// frame, so that readers of despawn events can ask for it.
type lastWords struct {
	on  bool // KeepLastWords was called
	of  map[ecs.Entity]lastWord
	buf []byte
}

type lastWord struct {
	tick entangle.Tick
	mask repl.Mask
	at   int // offset in buf of its values, which are in order of component number
}

// KeepLastWords makes Confirmed answer for entities that were despawned in this frame, too.
func (c *Copy) KeepLastWords() {
	if l := &c.last; !l.on {
		l.on, l.of = true, map[ecs.Entity]lastWord{}
	}
}

// Component returns the number of a registered component by its id in the world. ok is false if
// there is none, or if its values are not replicated.
func (c *Copy) Component(id ecs.ID) (comp int, ok bool) {
	for i := range c.comps {
		if c.comps[i].id == id {
			return i, !c.comps[i].input
		}
	}
	return 0, false
}

// mourn keeps the last confirmed state of an entity.
func (c *Copy) mourn(e ecs.Entity, at rollback.Slot) {
	l := &c.last
	if !l.on || len(l.of) == maxLastWords {
		return
	}
	word := c.ahead.store.Confirmed(at)
	l.of[e] = lastWord{tick: word.Tick, mask: word.Mask, at: len(l.buf)}
	for comp := word.Mask.Next(0); comp >= 0 && comp < len(c.comps); comp = word.Mask.Next(comp + 1) {
		l.buf = append(l.buf, c.ahead.store.ConfirmedValue(at, comp)[:len(c.comps[comp].value)]...)
	}
}

// ForgetLastWords drops the kept states, at the beginning of a frame.
func (c *Copy) ForgetLastWords() {
	clear(c.last.of)
	c.last.buf = c.last.buf[:0]
}

// Confirmed returns the memory of the confirmed value of a component, and the tick of that value.
// The memory is valid until the copy applies another record. ok is false if the entity does not
// belong to the copy, or does not have the component.
func (c *Copy) Confirmed(e ecs.Entity, comp int) (value []byte, tick entangle.Tick, ok bool) {
	if s, ours := c.Slots[e]; ours {
		value, ok = c.said(s, comp)
		return value, c.entities[s].tick, ok
	}
	if at, gone := c.ahead.gone[e]; gone && c.world.Alive(e) { // otherwise its slot may belong to another entity
		word := c.ahead.store.Confirmed(at)
		return c.ahead.store.ConfirmedValue(at, comp), word.Tick, word.Mask.Has(comp)
	}
	return c.lastOf(e, comp)
}

func (c *Copy) lastOf(e ecs.Entity, comp int) (value []byte, tick entangle.Tick, ok bool) {
	word, ok := c.last.of[e]
	if !ok || !word.mask.Has(comp) {
		return nil, 0, false
	}
	at := word.at
	for other := word.mask.Next(0); other < comp; other = word.mask.Next(other + 1) {
		at += len(c.comps[other].value)
	}
	return c.last.buf[at : at+len(c.comps[comp].value)], word.tick, true
}
