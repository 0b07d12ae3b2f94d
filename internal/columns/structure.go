package columns

import "github.com/mlange-42/arche/ecs"

// NewStructure returns a table like that of New which tracks only structure: it stores no values
// and compares none. It is for histories, which copy whole columns by Save and Load and need slots,
// rows and Undo after every tick.
//
// It is updated by Commit instead of Observe. Known returns nil, and Column.Equal is not called.
func NewStructure(w *ecs.World, marker ecs.ID, cols []Column) (*Table, error) {
	t, err := New(w, marker, cols)
	if err == nil {
		t.formsOnly = true
	}
	return t, err
}

// Commit is a Sync followed by an Observe without reports: the changes that the Sync finds are in
// Undo and nowhere else. The slots of entities that Undo reports as removed may be reused after the
// next Commit has begun. It returns the same errors as Observe.
func (t *Table) Commit() error {
	t.clearReports()
	if err := t.Sync(); err != nil {
		return err
	}
	for i := range t.records.pending {
		t.makeKnown(&t.records.pending[i])
	}
	t.records.endObserve()
	return nil
}

// makeKnown makes the present state of a slot the known one.
func (t *Table) makeKnown(p *pending) {
	info := &t.slots.info[p.slot]
	switch info.state {
	case slotDead:
		info.state = slotReported
		t.reports.ended = append(t.reports.ended, p.slot)
		return
	case slotPaused:
		t.records.parked[p.slot].known, t.records.parked[p.slot].target = p.known, p.target
	}
	info.pending = 0
}
