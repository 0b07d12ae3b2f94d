package columns

import (
	"unsafe"

	"github.com/mlange-42/arche/ecs"
)

// SlotOf returns the slot of an entity: of this entity, not of another one with a recycled id. It returns the
// slot as soon as the entity has the marker.
func (t *Table) SlotOf(e ecs.Entity) (Slot, bool) {
	if s, ok := t.slots.find(e); ok {
		return s, true
	}
	return NoSlot, false
}

func (t *Table) tracks(e ecs.Entity) bool {
	_, ok := t.slots.find(e)
	return ok
}

// Entity returns the entity of a slot, including those in Despawned. It is the zero entity for a free slot.
func (t *Table) Entity(s Slot) ecs.Entity { return t.slots.info[s].entity }

// Bare reports whether the entity of a slot in Despawned had no marker when it was removed.
func (t *Table) Bare(s Slot) bool {
	p := t.records.recordOf(&t.slots.info[s])
	return p != nil && p.bare
}

// Len returns the number of entities that have a slot, paused ones included.
func (t *Table) Len() int { return t.slots.used }

// Slots returns one more than the largest slot assigned so far: the length of a slice indexed by slot.
func (t *Table) Slots() int { return len(t.slots.info) }

// Mask returns the columns of a slot's entity, as of the last Sync. For a paused entity these are the columns
// last reported. For a removed one, those of the Sync before, until its slot is free.
func (t *Table) Mask(s Slot) Mask {
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

// Target returns the relation target of a slot's entity, as of the same time as Mask, or the zero entity. The
// target may be dead.
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

// Value returns the bytes of one component of a slot, in Arche's memory: writes go to the component. They are
// valid until the next change of structure. Nil: the entity has no such component, it is a tag, or the slot is
// paused or not placed by a Sync.
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

// Known returns the bytes of one component as last seen by the table: at the last Observe or Accept, or for a
// later component, at a later Sync. It must not be modified, and is valid until the next Sync. For a removed
// entity it returns values until its slot is free, with all columns of the Sync before. Nil: the table has seen
// no such component, or it is a tag. For a paused entity it is the value before the pause. Always nil in a table
// of NewStructure.
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

// Accept makes the present value of a component the known one: the caller has written it, and the next Observe
// does not report it.
func (t *Table) Accept(s Slot, col int) {
	info := &t.slots.info[s]
	if info.seg == nil || t.formsOnly {
		return
	}
	if at := info.seg.shape.place[col]; at >= 0 {
		v, size := &info.seg.views[at], t.cols[col].Size
		copy(v.shadowAt(info.row, size), v.valueAt(info.row, size))
		if info.pending != 0 {
			copy(t.records.pending[info.pending-1].columnValue(col), v.valueAt(info.row, size))
		}
	}
}

// Segments returns the number of segments, which are runs of rows contiguous in memory. Their order and number
// change with the structure of the world.
func (t *Table) Segments() int { return len(t.segments.all) }

// Shifts returns a number that changes when any slot may have moved to another row or segment: results computed
// from Rows are valid as long as it stays the same.
func (t *Table) Shifts() uint64 { return t.shifts }

// Rows returns the slots of one segment in row order, and the columns that all of them have. Both are valid until
// the next Sync.
func (t *Table) Rows(segment int) ([]Slot, Mask) {
	seg := t.segments.all[segment]
	return seg.rows, seg.shape.present
}

// ColumnRows returns a whole column of one segment, one value after the other in the order of Rows. It is Arche's
// memory, with the rules of Value.
func (t *Table) ColumnRows(segment, col int) []byte {
	seg := t.segments.all[segment]
	at := seg.shape.place[col]
	if at < 0 || len(seg.rows) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(seg.views[at].base), len(seg.rows)*t.cols[col].Size)
}
