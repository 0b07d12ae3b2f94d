package columns

// StructureChange is what happened to the components of one slot: the difference
// of its column sets at the last two Observes.
type StructureChange struct {
	Slot     Slot
	Inserted Mask
	Removed  Mask
}

// reports is the outcome of one Observe, in buffers that are used again.
type reports struct {
	spawned    []Slot
	ended      []Slot // despawned, and those of which nothing is reported
	despawned  []Slot
	paused     []Slot
	resumed    []Slot
	retargeted []Slot
	structure  []StructureChange
	changed    [][]Slot // by column; the marker's is the last
}

// Spawned returns the slots of entities that got the marker, created with it or
// not. Nothing else is reported of them in this Observe.
func (t *Table) Spawned() []Slot { return t.reports.spawned }

// Despawned returns the slots whose entities were removed from the world. Entity
// still names them, Mask, Target and Known say what they had; all other getters
// treat them as unknown. Their numbers may be given out again after the next
// Observe has begun.
func (t *Table) Despawned() []Slot { return t.reports.despawned }

// Paused returns the slots whose entities live on without the marker. They keep
// their slot; nothing more is reported of them but Despawned or Resumed.
func (t *Table) Paused() []Slot { return t.reports.paused }

// Resumed returns the slots of paused entities that have the marker again. What
// changed meanwhile is in the other reports of the same Observe.
func (t *Table) Resumed() []Slot { return t.reports.resumed }

// Structure returns, at most once per slot, which columns were inserted and
// removed.
func (t *Table) Structure() []StructureChange { return t.reports.structure }

// Retargeted returns the slots whose entities have another relation target. An
// entity whose target died keeps it and is not in here.
func (t *Table) Retargeted() []Slot { return t.reports.retargeted }

// Changed returns the slots whose value in column col is another one. Slots in
// Spawned, and columns that Structure says were inserted, are not in here.
func (t *Table) Changed(col int) []Slot { return t.reports.changed[col] }

// MarkerChanged returns the slots whose marker component has other bytes than at
// the last Observe. Slots in Spawned are not in here; those in Resumed are if it
// differs from what it was before the pause. What was written to a marker that is
// then removed is never seen.
func (t *Table) MarkerChanged() []Slot { return t.reports.changed[t.markerCol()] }

// clearReports forgets the last Observe and frees the slots that ended before it.
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
