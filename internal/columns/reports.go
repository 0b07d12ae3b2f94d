package columns

// StructureChange is the change of the components of one slot: the difference of its columns at the last two
// Observes.
type StructureChange struct {
	Slot     Slot
	Inserted Mask
	Removed  Mask
}

// reports is the result of one Observe, in buffers that are reused.
type reports struct {
	spawned    []Slot
	ended      []Slot // of removed entities, reported or not
	despawned  []Slot
	paused     []Slot
	resumed    []Slot
	retargeted []Slot
	structure  []StructureChange
	changed    [][]Slot // by column; the marker's is the last
}

// Spawned returns the slots of entities that got the marker, at their creation or later. This Observe reports
// nothing else of them.
func (t *Table) Spawned() []Slot { return t.reports.spawned }

// Despawned returns the slots of entities removed from the world. Entity still returns them, and Mask,
// Target and Known their last structure and values; all other getters treat them as unknown. The slots may be
// reused after the next Observe has begun.
func (t *Table) Despawned() []Slot { return t.reports.despawned }

// Paused returns the slots of entities that are alive without the marker. They keep their slot; only Despawned or
// Resumed will be reported of them.
func (t *Table) Paused() []Slot { return t.reports.paused }

// Resumed returns the slots of paused entities that have the marker again. Changes during the pause are in the
// other reports of the same Observe.
func (t *Table) Resumed() []Slot { return t.reports.resumed }

// Structure returns, at most once per slot, which columns were inserted and
// removed.
func (t *Table) Structure() []StructureChange { return t.reports.structure }

// Retargeted returns the slots of entities with another relation target. An entity with a removed target
// keeps it and is not included.
func (t *Table) Retargeted() []Slot { return t.reports.retargeted }

// Changed returns the slots with a changed value in column col. Slots in Spawned, and columns that Structure
// reports as inserted, are not included.
func (t *Table) Changed(col int) []Slot { return t.reports.changed[col] }

// MarkerChanged returns the slots with other bytes in the marker component than at the last Observe. Slots in
// Spawned are not included; those in Resumed are if it differs from its value before the pause. A write to a
// marker that is then removed is never seen.
func (t *Table) MarkerChanged() []Slot { return t.reports.changed[t.markerCol()] }

// clearReports clears the reports of the last Observe and frees the slots of entities removed before it.
func (t *Table) clearReports() {
	r := &t.reports
	for _, s := range r.ended {
		t.slots.release(s)
	}
	r.spawned, r.despawned, r.ended = r.spawned[:0], r.despawned[:0], r.ended[:0]
	r.paused, r.resumed = r.paused[:0], r.resumed[:0]
	r.retargeted, r.structure = r.retargeted[:0], r.structure[:0]
	for i := range r.changed {
		r.changed[i] = r.changed[i][:0]
	}
}
