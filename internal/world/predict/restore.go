package predict

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/rollback"
	"github.com/entangle-ecs/entangle/internal/set"
)

// reshaped is a slot that gets another form when a tick is restored.
type reshaped struct {
	slot      rollback.Slot
	had, form rollback.Form // the form by the histories alone, and with the confirmed state applied
}

// The methods of lifecycle that are not here are those of entities, which it embeds by way of shaper:
// commitStructure in entities.go, saveValues and load in values.go.

// restore gives the predicted entities the components and values that they had at the end of a tick,
// with the confirmed state of that tick: it corrects the histories of the tick (Store.Correct), and
// copies them into the world (load). It removes later ticks from the histories.
func (l *lifecycle) restore(tick entangle.Tick) {
	confirmed := l.progress.confirmed
	l.reshaped, l.returned = l.reshaped[:0], l.returned[:0]
	l.store.Wanted(tick, confirmed, l.form, func(slot rollback.Slot, form rollback.Form) {
		l.reshaped = append(l.reshaped, reshaped{slot, l.store.FormAt(slot, tick, l.forms[slot]), form})
	})
	for i := range l.reshaped {
		r := &l.reshaped[i]
		l.reshape(r.slot, r.had, r.form, tick)
	}
	l.store.Correct(tick, confirmed)
	l.commitStructure(restored)
	l.store.Cut(tick)
	for _, slot := range l.returned {
		l.saveValues(slot, tick, l.unknown(slot))
	}
	l.load(tick)
}

// unknown returns the components of a returned entity with values that the histories do not have:
// those that the game added, or all if the server does not know the entity.
func (l *lifecycle) unknown(slot rollback.Slot) set.Mask {
	if l.store.Confirmed(slot).Known {
		return l.forms[slot].Mask.And(l.modes.own())
	}
	return l.forms[slot].Mask
}
