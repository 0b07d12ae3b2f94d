package visualinterp

import (
	"fmt"

	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/set"
)

// arrange puts the rows of the track into the world's order of the entities with the component, if
// that order has changed.
func (l *layer) arrange() {
	if err := l.table.Commit(); err != nil {
		panic(fmt.Sprintf("visualinterp: the entities with %v can't be followed: %v", l.rule.typ, err))
	}
	if l.shifts == l.table.Shifts() {
		return
	}
	l.shifts = l.table.Shifts()
	l.round++
	for len(l.places) < l.table.Slots() {
		l.places = append(l.places, place{})
	}
	l.stretches, l.slots, l.from = l.stretches[:0], l.slots[:0], l.from[:0]
	for i := range l.table.Segments() {
		rows, has := l.table.Rows(i)
		if !holds(has, l.needs) || holds(has, l.network) {
			l.restoreRows(rows)
			continue
		}
		back := l.rollsBack && holds(has, l.back) && has.And(l.fixed) == set.Mask{}
		l.stretches = append(l.stretches, stretch{segment: i, row: len(l.slots), rollsBack: back})
		l.slots = append(l.slots, rows...)
	}
	l.assignRows()
}

// restoreRows restores the true values of entities that are no longer shown.
func (l *layer) restoreRows(rows []columns.Slot) {
	if !l.track.Shown() {
		return
	}
	for _, slot := range rows {
		if p := &l.places[slot]; p.round == l.round-1 && p.entity == l.table.Entity(slot) {
			l.track.Restore(int(p.row), l.table.Value(slot, l.column))
		}
	}
}

func holds(has, all set.Mask) bool { return all.Without(has) == set.Mask{} }

// assignRows assigns a row to every slot.
func (l *layer) assignRows() {
	same := len(l.slots) == l.track.Len()
	for row, slot := range l.slots {
		from := l.move(slot, int32(row))
		same = same && from == int32(row)
		l.from = append(l.from, from)
	}
	if same {
		return
	}
	l.track.Arrange(l.from)
	if l.rule.where == nil {
		return
	}
	for row, from := range l.from {
		if from < 0 && !l.rule.where(l.world, l.table.Entity(l.slots[row])) {
			l.track.Exclude(row)
		}
	}
}

// move sets the row of a slot and returns the previous row of its entity, or -1 if it had none.
func (l *layer) move(slot columns.Slot, row int32) (from int32) {
	p, e := &l.places[slot], l.table.Entity(slot)
	from = -1
	if p.entity == e && p.round == l.round-1 {
		from = p.row
	}
	*p = place{entity: e, row: row, round: l.round}
	return from
}
