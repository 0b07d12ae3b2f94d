package columns

import "github.com/mlange-42/arche/ecs"

// NewStructure returns a table like New's that follows structure only: it has no
// memory of values and never compares any. It is for histories, which copy whole
// columns by Save and Load, and ask for slots, rows and Undo after every tick.
//
// Instead of Observe, it is brought up to date by Settle. Known answers nil, and
// Column.Equal is not asked.
func NewStructure(w *ecs.World, marker ecs.ID, cols []Column) (*Table, error) {
	t, err := New(w, marker, cols)
	if err == nil {
		t.formsOnly = true
	}
	return t, err
}

// Settle is Sync and an Observe that reports nothing: what the Sync found is in Undo,
// and nothing else is kept of it. The slots of entities that Undo says have ended may
// be given out again after the next Settle has begun. Errors are those of Observe.
func (t *Table) Settle() error {
	t.clearReports()
	if err := t.Sync(); err != nil {
		return err
	}
	for i := range t.pending {
		t.close(&t.pending[i])
	}
	t.endPending()
	return nil
}

// close takes what a slot is as known.
func (t *Table) close(p *pending) {
	info := &t.slots.info[p.slot]
	switch info.state {
	case slotDead:
		info.state = slotTold
		t.reports.ended = append(t.reports.ended, p.slot)
		return
	case slotPaused:
		t.parked[p.slot].known, t.parked[p.slot].target = p.known, p.target
	}
	info.pending = 0
}
