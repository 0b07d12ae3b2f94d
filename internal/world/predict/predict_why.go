package predict

import (
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/rollback"
)

// tell has Why know of something that is otherwise.
func (p *Prediction) tell(m *rollback.Mismatch, reason RollbackReason) {
	if p.cfg.Why == nil {
		return
	}
	found := WhyFinding{Reason: reason, Tick: m.Tick, Entity: p.entity(m.Slot), Column: m.Col}
	if m.Col >= 0 {
		p.tellValues(&found, m)
	}
	p.cfg.Why.Found(found)
}

// tellValues adds what either side has of a column.
func (p *Prediction) tellValues(found *WhyFinding, m *rollback.Mismatch) {
	form, word := p.memory.FormAt(m.Slot, m.Tick, p.form(m.Slot)), p.memory.Confirmed(m.Slot)
	if size := p.cols[m.Col].size; form.Mask.Has(m.Col) {
		found.Predicted = []byte{}
		if size > 0 {
			found.Predicted = p.memory.Column(m.Tick, m.Col)[int(m.Slot)*size : (int(m.Slot)+1)*size]
		}
	}
	if word.Mask.Has(m.Col) {
		found.Confirmed = p.memory.ConfirmedValue(m.Slot, m.Col)
		if found.Confirmed == nil {
			found.Confirmed = []byte{}
		}
	}
	if p.modes.relation.Has(m.Col) {
		found.PredictedTarget, found.ConfirmedTarget = columns.UnpackEntity(form.Target), columns.UnpackEntity(word.Target)
	}
}
