package predict

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/rollback"
	"github.com/entangle-ecs/entangle/internal/world/event"
)

// before is what the world was before a rollback: its values are taken out of the histories,
// and of its structure there is what has changed since.
type before struct {
	held  bool
	masks []rollback.Mask // by slot, of those that have changed
	since []uint32        // by slot, the round in which it changed
	round uint32
	told  event.Correction // scratch
}

// OnCorrected has a function told of every value that a rollback has set right.
func (p *Prediction) OnCorrected(f func(*event.Correction)) { p.onCorrected = append(p.onCorrected, f) }

// OnAmended has a function told when the present was changed by what the server says of
// it, without a replay of what led there.
func (p *Prediction) OnAmended(f func()) { p.onAmended = append(p.onAmended, f) }

// keep keeps what the world is at a tick, if that is held. It takes the tick out of the
// histories if it is to be computed anew.
func (b *before) keep(p *Prediction, tick entangle.Tick, anew bool) {
	if b.held = tick == p.present() && p.memory.Holds(tick); !b.held {
		return
	}
	b.round++
	for _, slot := range p.arrived { // in this frame: nobody had seen them
		b.forget(slot)
	}
	if anew {
		p.memory.Shelve(tick)
	} else {
		p.memory.ShelveCopy(tick)
	}
}

// grow makes room for slots.
func (b *before) grow(slots int) {
	for len(b.masks) < slots {
		b.masks, b.since = append(b.masks, rollback.Mask{}), append(b.since, 0)
	}
}

// note notes what a slot had before it changes.
func (b *before) note(slot rollback.Slot, was rollback.Mask) {
	if b.since[slot] != b.round {
		b.masks[slot], b.since[slot] = was, b.round
	}
}

// forget takes in that a slot ended, and may be another entity's.
func (b *before) forget(slot rollback.Slot) {
	b.masks[slot], b.since[slot] = rollback.Mask{}, b.round
}

// had reports whether a slot had a column before, if it has it now.
func (b *before) had(slot rollback.Slot, col int) bool {
	return b.since[slot] != b.round || b.masks[slot].Has(col)
}

// correct tells of what is otherwise than before.
func (p *Prediction) correct() {
	if !p.before.held {
		return
	}
	cols := p.used.And(p.modes.full)
	for col := cols.Next(0); col >= 0; col = cols.Next(col + 1) {
		if p.cols[col].size > 0 {
			p.memory.EachUnlike(p.at, col, func(slot rollback.Slot, was, is []byte) { p.correctValue(slot, col, was, is) })
		}
	}
}

// correctValue tells of a value whose bytes are others than before.
func (p *Prediction) correctValue(slot rollback.Slot, col int, was, is []byte) {
	if !p.forms[slot].Mask.Has(col) || !p.before.had(slot, col) || p.equal(col, was, is) {
		return
	}
	p.stats.Corrections++
	told := &p.before.told
	*told = event.Correction{Entity: p.entity(slot), Column: col, Tick: p.at, Before: was, After: is}
	p.cols[col].events.Corrected(told)
	for _, f := range p.onCorrected {
		f(told)
	}
}
