package predict

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/rollback"
	"github.com/mlange-42/arche/ecs"
)

// What a Copy asks of the prediction of its world: see predictor.

func (p *Prediction) Marks() []ecs.ID { return p.signs }

func (p *Prediction) Store() *rollback.Store { return p.memory }

func (p *Prediction) Track(e ecs.Entity) rollback.Slot {
	p.room()
	p.kids.hear(e)
	slot := p.slotOf(e)
	p.tracked = append(p.tracked, slot)
	return slot
}

func (p *Prediction) Confirmed(slot rollback.Slot) {
	p.fresh = true
	p.memory.Note(slot)
}

func (p *Prediction) Updated(slot rollback.Slot, tick entangle.Tick) {
	p.fresh = true
	p.memory.NoteValues(slot, tick)
}

func (p *Prediction) Gone(e ecs.Entity, slot rollback.Slot, tick entangle.Tick) {
	p.Confirmed(slot)
	if last := p.present() + entangle.Tick(p.cfg.MaxRollback); p.cfg.Synced() && last.Before(tick) {
		tick = last // it is not for a server to say how long entities are kept
	}
	p.going = append(p.going, leavingEntity{entity: e, slot: slot, tick: tick})
}

func (p *Prediction) Untrack(e ecs.Entity, slot rollback.Slot) {
	if p.shed[slot].on { // to the server it is not despawned
		p.leaveOwn(slot)
		p.regain(slot)
	}
	p.forget(slot)
	p.kids.release(e)
}

func (p *Prediction) Stripped(slot rollback.Slot) bool { return p.shed[slot].on }

func (p *Prediction) Clear() {
	for i := range p.going {
		p.remove(&p.going[i])
	}
	p.going, p.vanished = p.going[:0], p.vanished[:0]
	p.kids.part()
	p.memory.Clear()
	p.stock.forget()
	p.lost, p.fresh, p.way = true, false, onward
}
