package predict

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/rollback"
	"github.com/mlange-42/arche/ecs"
)

// leavingEntity is one that the server has despawned, or that the game has and the server knows
// nothing of. It goes out of the world once nothing can go back to before that tick.
type leavingEntity struct {
	entity ecs.Entity
	slot   rollback.Slot
	tick   entangle.Tick
	local  bool
	root   ecs.Entity // that was despawned, and this one with it
}

// Despawn despawns a predicted entity ahead of the server, and what of the game's hangs on
// it. It reports false for one that is not predicted.
func (p *Prediction) Despawn(e ecs.Entity) bool {
	if !p.Predicts(e) {
		return false
	}
	p.room()
	p.despawn(e, e)
	return true
}

func (p *Prediction) despawn(e, root ecs.Entity) {
	slot := p.slotOf(e)
	if !p.Predicts(e) || p.shed[slot].on {
		return
	}
	p.kids.each(e, func(kid ecs.Entity) { p.despawn(kid, root) })
	p.strip(slot)
	switch {
	case !p.memory.Confirmed(slot).Known:
		p.going = append(p.going, leavingEntity{e, slot, p.present(), true, root})
	case p.world.Has(e, p.spared.never):
		p.vanished = append(p.vanished, leavingEntity{e, slot, p.present(), false, root})
	}
}

// regain brings back what was despawned with an entity that the server has not despawned.
func (p *Prediction) regain(slot rollback.Slot) {
	root, tick := p.entity(slot), p.shed[slot].tick
	for i := range p.going {
		if g := &p.going[i]; g.root == root && g.entity != root && g.tick == tick && !p.cameBack(g) {
			form := rollback.Form{Alive: true, Mask: p.shed[g.slot].mask.And(p.modes.kept)}
			p.clothe(g.slot, form)
			p.adopted = append(p.adopted, g.slot)
		}
	}
}

// reappear brings back what is kept out of rollbacks, and was despawned ahead of a server that has
// not despawned it by then: no rollback does.
func (p *Prediction) reappear() {
	kept := p.vanished[:0]
	p.adopted = p.adopted[:0]
	for _, g := range p.vanished {
		word, s := p.memory.Confirmed(g.slot), &p.shed[g.slot]
		switch {
		case !p.world.Alive(g.entity) || !s.on || s.tick != g.tick || word.Gone:
		case p.upTo.Before(g.tick):
			kept = append(kept, g)
		default:
			p.regain(g.slot)
			p.clothe(g.slot, p.memory.Corrected(g.slot, rollback.Form{Mask: s.mask.And(p.modes.own())}))
			p.insertValues(g.slot)
			p.adopted = append(p.adopted, g.slot)
		}
	}
	p.vanished = kept
	p.alwaysSo()
}

// alwaysSo has what is there again count as if it had always been.
func (p *Prediction) alwaysSo() {
	if len(p.adopted) == 0 {
		return
	}
	p.settle(restored)
	for _, slot := range p.adopted {
		p.backfill(slot, p.forms[slot].Mask)
	}
	p.adopted = p.adopted[:0]
}

// bury takes out of the world what is despawned for good.
func (p *Prediction) bury() {
	going := p.going
	p.going = p.going[len(p.going):]
	kept := going[:0]
	for _, g := range going {
		switch {
		case p.cameBack(&g):
		case p.stays(&g):
			kept = append(kept, g)
		default:
			p.remove(&g)
		}
	}
	p.going = append(kept, p.going...)
}

// stays reports whether one is still to be kept: something may go back to before it was
// despawned.
func (p *Prediction) stays(g *leavingEntity) bool {
	return p.world.Alive(g.entity) && p.cfg.Synced() && p.upTo.Before(g.tick) && !p.tooDeep(g.tick)
}

// cameBack reports whether one of the game's own is not despawned after all, or gone already.
func (p *Prediction) cameBack(g *leavingEntity) bool {
	return g.local && !(p.world.Alive(g.entity) && p.shed[g.slot].on && p.shed[g.slot].tick == g.tick)
}

// remove takes one out of the world, and what of the game's hangs on it.
func (p *Prediction) remove(g *leavingEntity) {
	if g.local && !p.world.Alive(g.entity) {
		return
	}
	p.kids.each(g.entity, func(kid ecs.Entity) {
		if s := p.slotOf(kid); !p.memory.Confirmed(s).Known && !p.world.Has(kid, p.kids.remote) {
			p.remove(&leavingEntity{entity: kid, slot: s, local: true})
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
