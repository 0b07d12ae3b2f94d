package systems

import (
	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/rollback"
)

// leavingEntity is one that the server has despawned, or that the game has and the server knows
// nothing of. It goes out of the world once nothing can go back to before that tick.
type leavingEntity struct {
	entity ecs.Entity
	slot   rollback.Slot
	tick   entangle.Tick
	local  bool
}

// Despawn despawns a predicted entity ahead of the server, and what of the game's hangs on
// it. It reports false for one that is not predicted.
func (p *Prediction) Despawn(e ecs.Entity) bool {
	if !p.Predicts(e) {
		return false
	}
	slot := p.slotOf(e)
	if p.shed[slot].on {
		return true
	}
	p.room()
	p.kids.each(e, func(kid ecs.Entity) { p.Despawn(kid) })
	p.strip(slot)
	if !p.memory.Confirmed(slot).Known {
		p.going = append(p.going, leavingEntity{e, slot, p.present(), true})
	}
	return true
}

// bury takes out of the world what is despawned for good.
func (p *Prediction) bury() {
	going := p.going
	p.going = p.going[len(p.going):]
	kept := going[:0]
	for _, g := range going {
		if p.stays(&g) {
			kept = append(kept, g)
		} else {
			p.remove(&g)
		}
	}
	p.going = append(kept, p.going...)
}

// stays reports whether one is still to be kept: something may go back to before it was
// despawned. One of the game's own that came back, or is gone, is kept no more.
func (p *Prediction) stays(g *leavingEntity) bool {
	return p.isThere(g) && p.cfg.Synced() && p.upTo.Before(g.tick) && !p.tooDeep(g.tick)
}

// isThere reports whether one is in the world, in the state in which it is to go.
func (p *Prediction) isThere(g *leavingEntity) bool {
	if !p.world.Alive(g.entity) || p.entity(g.slot) != g.entity {
		return false
	}
	return !g.local || p.shed[g.slot].on && p.shed[g.slot].tick == g.tick
}

// remove takes one out of the world, and what of the game's hangs on it.
func (p *Prediction) remove(g *leavingEntity) {
	if g.local && !p.world.Alive(g.entity) {
		return
	}
	p.kids.each(g.entity, func(kid ecs.Entity) {
		if s := p.slotOf(kid); !p.memory.Confirmed(s).Known {
			p.remove(&leavingEntity{kid, s, p.shed[s].tick, true})
		}
	})
	switch {
	case !g.local:
		p.cfg.Bury(g.entity)
	case p.world.Alive(g.entity):
		p.writer.Remove(g.entity)
	}
}

// slotOf returns the slot of an entity that has one.
func (p *Prediction) slotOf(e ecs.Entity) rollback.Slot {
	slot, _ := p.table.SlotOf(e)
	return rollback.Slot(slot)
}
