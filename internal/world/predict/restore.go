package predict

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/rollback"
)

// reformed is a slot that a restore gives another form.
type reformed struct {
	slot      rollback.Slot
	had, form rollback.Form // by the histories alone, and with the server's word
}

// restore has the world be what it was at the end of a tick that is held, with what the
// server says of it by now. f is the frontier.
func (p *Prediction) restore(tick, f entangle.Tick) {
	p.did(rollback.StepRestore, tick, 0)
	p.reformed, p.adopted = p.reformed[:0], p.adopted[:0]
	p.memory.Wanted(tick, f, p.form, func(slot rollback.Slot, form rollback.Form) {
		p.reformed = append(p.reformed, reformed{slot, p.memory.FormAt(slot, tick, p.forms[slot]), form})
	})
	for i := range p.reformed {
		r := &p.reformed[i]
		p.reshape(r.slot, r.had, r.form)
	}
	p.memory.Correct(tick, f)
	p.settle(restored)
	p.memory.Cut(tick)
	for _, slot := range p.adopted {
		p.adopt(slot, tick, p.adoptable(slot))
	}
	p.gather(tick)
	p.stock.restore(tick)
	p.at = tick
}

// adoptable is what the histories can't know of a slot that is there again: of what the server
// speaks of, what is the game's own, and else all.
func (p *Prediction) adoptable(slot rollback.Slot) rollback.Mask {
	if p.memory.Confirmed(slot).Known {
		return p.forms[slot].Mask.And(p.modes.own())
	}
	return p.forms[slot].Mask
}

// gather copies the histories of a tick into the world.
func (p *Prediction) gather(tick entangle.Tick) {
	for col := p.used.Next(0); col >= 0; col = p.used.Next(col + 1) {
		if p.cols[col].size > 0 {
			p.table.Load(col, p.memory.Column(tick, col))
		}
	}
	if !p.modes.simple.IsZero() {
		p.showAllSimple()
	}
}

// scatter copies the world into the histories of a tick. Where its rows lie as the slots do, that
// is by slot; else as they lie, for most ticks are never asked for.
func (p *Prediction) scatter(tick entangle.Tick) {
	places := p.table.Places()
	if len(places) > 0 {
		p.memory.Arrange(tick, places)
	}
	for col := p.used.Next(0); col >= 0; col = p.used.Next(col + 1) {
		switch {
		case p.cols[col].size == 0:
		case len(places) > 0:
			p.table.SavePlaces(col, p.memory.Placed(tick, col))
		default:
			p.table.Save(col, p.memory.Column(tick, col))
		}
	}
}

// showAllSimple has all entities hold what the server said last of what is shown as it
// comes: the ticks that are computed anew may have changed it.
func (p *Prediction) showAllSimple() {
	for seg := range p.table.Segments() {
		rows, mask := p.table.Rows(seg)
		cols := rollback.Mask(mask).And(p.modes.simple)
		if cols.IsZero() {
			continue
		}
		for _, slot := range rows {
			if p.memory.Confirmed(rollback.Slot(slot)).Known {
				p.showSimple(rollback.Slot(slot), cols)
			}
		}
	}
}
