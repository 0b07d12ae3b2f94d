package predict

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/rollback"
	"github.com/entangle-ecs/entangle/internal/world/sink"
	"github.com/mlange-42/arche/ecs"
)

// The methods in this file implement sink.EntityPredictor, where they are documented: a sink.Applier calls
// them when confirmed state arrives. Confirmed and Updated make the next Check compare.
var _ sink.EntityPredictor = (*Prediction)(nil)

func (p *Prediction) Marks() []ecs.ID { return p.entities.marks }

func (p *Prediction) Store() *rollback.Store { return p.entities.store }

func (p *Prediction) Track(e ecs.Entity) rollback.Slot {
	t := &p.entities
	t.grow()
	p.children.addChildren(e)
	slot := t.slotOf(e)
	t.tracked = append(t.tracked, slot)
	return slot
}

func (p *Prediction) Confirmed(slot rollback.Slot) {
	p.progress.fresh = true
	p.entities.store.Note(slot)
}

func (p *Prediction) Updated(slot rollback.Slot, tick entangle.Tick) {
	p.progress.fresh = true
	p.entities.store.NoteValues(slot, tick)
}

func (p *Prediction) MatchPrespawned(hash uint32, tick entangle.Tick) (e ecs.Entity, ok bool) {
	return p.prespawned.match(hash, tick)
}

func (p *Prediction) PrespawnedArrived(e ecs.Entity, slot rollback.Slot, hash uint32, tick entangle.Tick) {
	p.prespawned.arrived(e, slot, hash, tick)
}

func (p *Prediction) Gone(e ecs.Entity, slot rollback.Slot, tick entangle.Tick) {
	p.Confirmed(slot)
	p.prespawned.matcher.Ended(e)
	progress := &p.progress
	if last := progress.present() + entangle.Tick(progress.maxRollback); progress.synced() && last.Before(tick) {
		tick = last // so a server cannot make a client keep entities for longer
	}
	p.lifecycle.leaving = append(p.lifecycle.leaving, leavingEntity{entity: e, slot: slot, tick: tick})
}

func (p *Prediction) Untrack(e ecs.Entity, slot rollback.Slot) {
	if p.IsDisabled(slot) { // the server has not despawned it
		p.shaper.enableLocalComponents(slot)
		p.lifecycle.returnChildren(slot)
		p.entities.endSlot(slot)
	} else {
		p.entities.untrack(slot)
	}
	p.prespawned.matcher.Ended(e)
	p.children.endChildren(e)
}

func (p *Prediction) IsDisabled(slot rollback.Slot) bool { return p.entities.disabled[slot].on }

func (p *Prediction) InsertOnce(slot rollback.Slot, comp int, value []byte, target ecs.Entity) {
	p.shaper.insertOnce(slot, comp, value, target)
}

func (p *Prediction) RemoveOnce(slot rollback.Slot, comp int) { p.shaper.removeOnce(slot, comp) }

func (p *Prediction) Clear() {
	p.lifecycle.removeAll()
	p.prespawned.matcher.Clear(p.prespawned.drop)
	p.prespawned.coming = p.prespawned.coming[:0]
	p.children.disconnect()
	p.entities.store.Clear()
	p.resources.resetConnection()
	p.progress.lost, p.progress.fresh = true, false
}
