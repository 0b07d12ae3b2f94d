package columns

import "github.com/entangle-ecs/entangle/internal/set"

// StructureChange is the difference between the components of one slot at the last two Observes.
type StructureChange struct {
	Slot     Slot
	Inserted set.Mask
	Removed  set.Mask
}

// reports is the result of one Observe. Its buffers are reused.
type reports struct {
	spawned    []Slot
	ended      []Slot // slots of removed entities, including those that are not reported
	despawned  []Slot
	paused     []Slot
	resumed    []Slot
	retargeted []Slot
	structure  []StructureChange
	changed    [][]Slot // by column; the marker's is the last
}

// Spawned returns the slots of entities that got the marker, when they were created or later. The
// same Observe reports nothing else about them.
func (t *Table) Spawned() []Slot { return t.reports.spawned }

// Despawned returns the slots of entities that were removed from the world. For these slots, Entity
// still returns the entity, and Mask, Target and Known return its last structure and values; other
// getters treat them as unknown. A slot may be reused after the next Observe has begun.
func (t *Table) Despawned() []Slot { return t.reports.despawned }

// Paused returns the slots of entities that have lost the marker and are alive. They keep their
// slots. The next report about them is Despawned or Resumed.
func (t *Table) Paused() []Slot { return t.reports.paused }

// Resumed returns the slots of paused entities that have got the marker again. The other reports of
// the same Observe contain what changed during the pause.
func (t *Table) Resumed() []Slot { return t.reports.resumed }

// Structure returns which columns were added to an entity or removed from it, at most once per
// slot.
func (t *Table) Structure() []StructureChange { return t.reports.structure }

// Retargeted returns the slots of entities with another relation target than at the last Observe.
// An entity whose target was removed from the world keeps that target and is not included.
func (t *Table) Retargeted() []Slot { return t.reports.retargeted }

// Changed returns the slots with a changed value in column col. It does not include slots in
// Spawned, and columns that Structure reports as inserted.
func (t *Table) Changed(col int) []Slot { return t.reports.changed[col] }

// MarkerChanged returns the slots whose marker component changed since the last Observe.
// It does not include slots in Spawned. It includes slots in Resumed if the marker differs from the
// one before the pause. The last value of a marker is not seen if it was written after the last
// Observe and the marker was then removed.
func (t *Table) MarkerChanged() []Slot { return t.reports.changed[t.markerCol()] }

// clearReports clears the reports of the last Observe and frees the slots of entities that it had
// reported as removed.
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
