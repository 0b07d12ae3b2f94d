package columns

import (
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/mlange-42/arche/ecs"
)

// SlotOf returns the slot of an entity. An entity has a slot from the moment it gets the marker.
// Another entity with the same id but another generation is not found.
func (t *Table) SlotOf(e ecs.Entity) (Slot, bool) { return t.slots.find(e) }

// Entity returns the entity of a slot, also for the slots in Despawned. It returns the zero entity
// for a free slot.
func (t *Table) Entity(s Slot) ecs.Entity { return t.slots.info[s].entity }

// EndedWithoutMarker reports whether the entity of a slot in Despawned had no marker when it was removed.
func (t *Table) EndedWithoutMarker(s Slot) bool {
	p := t.records.recordOf(&t.slots.info[s])
	return p != nil && p.bare
}

// Len returns the number of entities that have a slot, paused ones included.
func (t *Table) Len() int { return t.slots.used }

// Slots returns one more than the largest slot that was ever assigned, which is the length that a
// slice indexed by slot needs.
func (t *Table) Slots() int { return len(t.slots.info) }

// Mask returns the columns that a slot's entity had at the last Sync. For a paused entity it
// returns the columns last reported, and for a removed one those of the last Sync before the
// removal, until its slot is free.
func (t *Table) Mask(s Slot) set.Mask {
	info := &t.slots.info[s]
	if seg := info.seg; seg != nil {
		return seg.shape.present
	}
	if park := t.records.parked[s]; park != nil {
		return park.known
	}
	return t.lastForm(info).Mask
}

// lastForm returns the last structure of a removed entity.
func (t *Table) lastForm(info *slotInfo) Form {
	if info.state == slotDead || info.state == slotReported {
		return t.records.recordOf(info).form
	}
	return Form{}
}

// Target returns the relation target of a slot's entity, as of the same time as Mask, or the zero
// entity if there is none. The target may have been removed from the world.
func (t *Table) Target(s Slot) ecs.Entity {
	info := &t.slots.info[s]
	if seg := info.seg; seg != nil {
		return seg.key.target
	}
	if park := t.records.parked[s]; park != nil {
		return park.target
	}
	return t.lastForm(info).Target
}

// Value returns the bytes of one component of a slot, in Arche's memory: writing to them changes
// the component. They are valid until the next change of structure. It returns nil if the entity
// has no such component, the component is a tag, or the slot is paused or has no row from a Sync
// yet.
func (t *Table) Value(s Slot, col int) []byte {
	info := &t.slots.info[s]
	seg := info.seg
	if seg == nil {
		return nil
	}
	at := seg.place[col]
	if at < 0 {
		return nil
	}
	return seg.views[at].valueAt(info.row, t.cols[col].Size)
}

// Marker returns the bytes of a slot's marker component, like Value.
func (t *Table) Marker(s Slot) []byte { return t.Value(s, t.markerCol()) }

// KnownMarker returns the bytes of a slot's marker component, like Known.
func (t *Table) KnownMarker(s Slot) []byte { return t.Known(s, t.markerCol()) }

// Known returns the bytes of one component as the table has last seen them: at the last Observe,
// or at a later Sync if the component was added after that. They must not be modified and
// are valid until the next Sync. For a paused entity it returns the value before the pause, and for
// a removed one the last value, until its slot is free. It returns nil if the table has seen no
// such component, if it is a tag, and always in a table of NewStructure.
func (t *Table) Known(s Slot, col int) []byte {
	info := &t.slots.info[s]
	if t.formsOnly {
		return nil
	}
	if seg := info.seg; seg != nil {
		if at := seg.place[col]; at >= 0 {
			return seg.views[at].shadowAt(info.row, t.cols[col].Size)
		}
		return nil
	}
	if p := t.records.recordOf(info); p != nil {
		return p.columnValue(col)
	}
	if park := t.records.parked[s]; park != nil {
		return park.columnValue(col)
	}
	return nil
}

// Segments returns the number of segments. A segment is a run of rows that are contiguous in
// memory. Number and order of the segments change with the structure of the world.
func (t *Table) Segments() int { return len(t.segments.all) }

// Shifts returns a number that changes when a slot may have moved to another row or segment. Data
// computed from Rows is valid until it changes.
func (t *Table) Shifts() uint64 { return t.shifts }

// Rows returns the slots of one segment in the order of its rows, and the columns that all of them
// have. Both are valid until the next Sync.
func (t *Table) Rows(segment int) ([]Slot, set.Mask) {
	seg := t.segments.all[segment]
	return seg.rows, seg.shape.present
}

// ColumnRows returns a whole column of one segment: one value after the other, in the order of
// Rows. It is Arche's memory, for which the rules of Value apply.
func (t *Table) ColumnRows(segment, col int) []byte {
	return t.segments.all[segment].column(col, t.cols[col].Size)
}
