package predict

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/rollback"
	"github.com/entangle-ecs/entangle/internal/set"
)

// saveValues writes the present values of some columns of an entity into the history of a
// tick, if that tick is held.
func (t *entities) saveValues(slot rollback.Slot, tick entangle.Tick, cols set.Mask) {
	e := t.entity(slot)
	for col := range cols.All() {
		c := &t.cols[col]
		if row := t.store.Column(tick, col); len(row) > 0 {
			copy(row[int(slot)*c.size:(int(slot)+1)*c.size], c.memoryOf(e))
		}
	}
}

// backfill writes the present values of some columns of an entity into the histories of all
// ticks.
func (t *entities) backfill(slot rollback.Slot, cols set.Mask) {
	e := t.entity(slot)
	for col := range cols.All() {
		if t.cols[col].size > 0 {
			t.store.Backfill(slot, col, t.cols[col].memoryOf(e))
		}
	}
}

// load copies the histories of a tick into the world.
func (t *entities) load(tick entangle.Tick) {
	for col := range t.used.All() {
		if t.cols[col].size > 0 {
			t.table.Load(col, t.store.Column(tick, col))
		}
	}
	if !t.modes.simple.IsZero() {
		t.writeAllSimple()
	}
}

// save copies the world into the histories of a tick: by slot, if the rows of the table are in
// that order; else in the order of rows, because most ticks are never read again.
func (t *entities) save(tick entangle.Tick) {
	places := t.table.Places()
	if len(places) > 0 {
		t.store.Arrange(tick, places)
	}
	for col := range t.used.All() {
		switch {
		case t.cols[col].size == 0:
		case len(places) > 0:
			t.table.SavePlaces(col, t.store.Placed(tick, col))
		default:
			t.table.Save(col, t.store.Column(tick, col))
		}
	}
}

// writeAllSimple writes the confirmed values of simple columns into all entities, because
// replayed ticks may have changed them.
func (t *entities) writeAllSimple() {
	for seg := range t.table.Segments() {
		rows, mask := t.table.Rows(seg)
		cols := set.Mask(mask).And(t.modes.simple)
		if cols.IsZero() {
			continue
		}
		for _, slot := range rows {
			if t.store.Confirmed(rollback.Slot(slot)).Known {
				t.writeSimple(rollback.Slot(slot), cols)
			}
		}
	}
}

// writeSimple writes the confirmed values of simple columns into an entity.
func (t *entities) writeSimple(slot rollback.Slot, cols set.Mask) {
	e := t.entity(slot)
	cols = cols.And(t.modes.simple).And(t.store.Confirmed(slot).Mask)
	for col := range cols.All() {
		if t.cols[col].size > 0 {
			copy(t.cols[col].memoryOf(e), t.store.ConfirmedValue(slot, col))
		}
	}
}

// writeConfirmed writes the confirmed values of an entity, and reports whether one differed.
func (t *entities) writeConfirmed(slot rollback.Slot) (differs bool) {
	state := t.store.Confirmed(slot)
	if state.Gone {
		return false
	}
	for col := range state.Mask.And(t.modes.full).All() {
		differs = t.writeConfirmedValue(slot, col) || differs
	}
	return differs
}

// writeConfirmedValue writes one confirmed value, and reports whether it differed.
func (t *entities) writeConfirmedValue(slot rollback.Slot, col int) (differs bool) {
	value := t.cols[col].memoryOf(t.entity(slot))
	if len(value) == 0 {
		return false
	}
	confirmed := t.store.ConfirmedValue(slot, col)
	differs = string(value) != string(confirmed) && !t.same(col, value, confirmed)
	copy(value, confirmed)
	return differs
}
