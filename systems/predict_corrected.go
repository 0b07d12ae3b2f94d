package systems

import (
	"bytes"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/rollback"
)

// Correction is one value of the present that was predicted otherwise.
type Correction struct {
	Entity ecs.Entity
	Column int           // number of the component
	Tick   entangle.Tick // whose end both values are of
	// Before and After are the memory of the two values, valid during the call.
	Before, After []byte
}

// before is what the world was before a rollback.
type before struct {
	held   bool
	masks  []rollback.Mask // by slot
	values [][]byte        // by column, by slot

	correction Correction // that is told
}

// OnCorrected has a function told of every value that a rollback has set right.
func (p *Prediction) OnCorrected(f func(*Correction)) { p.onCorrected = append(p.onCorrected, f) }

// OnAmended has a function told when the present was changed by what the server says of
// it, without a replay of what led there.
func (p *Prediction) OnAmended(f func()) { p.onAmended = append(p.onAmended, f) }

// keep keeps what the world is at a tick, if that is held.
func (b *before) keep(p *Prediction, tick entangle.Tick) {
	if b.held = tick == p.present() && p.memory.Holds(tick); !b.held {
		return
	}
	if b.values == nil {
		b.values = make([][]byte, len(p.cols))
	}
	b.masks = b.masks[:0]
	for slot := range p.forms {
		b.masks = append(b.masks, p.forms[slot].Mask)
	}
	cols := p.used.And(p.modes.full)
	for col := cols.Next(0); col >= 0; col = cols.Next(col + 1) {
		if p.cols[col].size > 0 {
			b.values[col] = append(b.values[col][:0], p.memory.Column(tick, col)...)
		}
	}
}

// forget takes in that a slot ended, and may be another entity's.
func (b *before) forget(slot rollback.Slot) {
	if int(slot) < len(b.masks) {
		b.masks[slot] = rollback.Mask{}
	}
}

// correct tells of what is otherwise than before.
func (p *Prediction) correct() {
	if !p.before.held {
		return
	}
	cols := p.used.And(p.modes.full)
	for col := cols.Next(0); col >= 0; col = cols.Next(col + 1) {
		if p.cols[col].size > 0 {
			p.correctColumn(col)
		}
	}
}

// correctColumn compares a column of the present with what it was. A slot that is another
// entity's by now was none before.
func (p *Prediction) correctColumn(col int) {
	was, is, size := p.before.values[col], p.memory.Column(p.at, col), p.cols[col].size
	if len(is) >= len(was) && bytes.Equal(was, is[:len(was)]) {
		return
	}
	for slot := range len(was) / size {
		a, b := was[slot*size:(slot+1)*size], is[slot*size:(slot+1)*size]
		if bytes.Equal(a, b) || !p.before.masks[slot].Has(col) || !p.forms[slot].Mask.Has(col) || p.equal(col, a, b) {
			continue
		}
		p.stats.Corrections++
		c := &p.before.correction
		*c = Correction{p.entity(rollback.Slot(slot)), col, p.at, a, b}
		p.cols[col].events.Corrected(c)
		for _, f := range p.onCorrected {
			f(c)
		}
	}
}
