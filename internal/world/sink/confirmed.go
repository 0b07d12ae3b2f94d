package sink

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/rollback"
	"github.com/mlange-42/arche/ecs"
)

// maxLastWords bounds the entities of a frame whose last values are kept.
const maxLastWords = 1024

// lastWords is what the server said last of entities that went while they were predicted,
// in the frame at hand: whoever is told that they are gone may ask.
type lastWords struct {
	on  bool // somebody may ask
	of  map[ecs.Entity]lastWord
	buf []byte
}

type lastWord struct {
	tick entangle.Tick
	mask repl.Mask
	at   int // in buf its values begin, by rising number
}

// KeepLastWords has Confirmed answer for entities that were despawned in this frame.
func (c *Copy) KeepLastWords() {
	if l := &c.last; !l.on {
		l.on, l.of = true, map[ecs.Entity]lastWord{}
	}
}

// Component returns the number of a component of the world that is registered, and whose
// values are replicated.
func (c *Copy) Component(id ecs.ID) (comp int, ok bool) {
	for i := range c.comps {
		if c.comps[i].id == id {
			return i, !c.comps[i].input
		}
	}
	return 0, false
}

// mourn keeps what was said last of an entity.
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

// ForgetLastWords begins a frame.
func (c *Copy) ForgetLastWords() {
	clear(c.last.of)
	c.last.buf = c.last.buf[:0]
}

// Confirmed returns the memory of a component as the server said it last, and the tick
// that it said it of. It may be read until the copy takes in something else. It is not ok
// if the entity is none of the copy's, or does not have the component.
func (c *Copy) Confirmed(e ecs.Entity, comp int) (value []byte, tick entangle.Tick, ok bool) {
	if s, ours := c.Slots[e]; ours {
		value, ok = c.said(s, comp)
		return value, c.entities[s].tick, ok
	}
	if at, gone := c.ahead.gone[e]; gone && c.world.Alive(e) { // else its slot may be another's
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
