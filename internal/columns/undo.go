package columns

import (
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/ecs/event"
)

// Form is the structure of one entity, which an undo restores. The zero Form stands for an entity
// that does not exist.
type Form struct {
	Alive  bool       // the entity exists
	Marked bool       // it has the marker
	Mask   set.Mask   // the columns it has
	Target ecs.Entity // the relation target, which may be dead; the zero entity if there is none
}

// UndoRecord is the change of one entity's structure between two Syncs.
type UndoRecord struct {
	Slot    Slot
	Entity  ecs.Entity
	Was, Is Form // they differ
}

// Undo returns the previous and the present structure of each entity that has a slot and changed
// its structure since the previous Sync. The result is valid until the next Sync or Observe, and
// empty after an error. It is in the order in which the entities first changed since the last
// Observe.
//
// A log of these records can restore structure in time proportional to the changes: append the
// records of every Sync, and process them in reverse order, giving each entity its previous form.
// The records include the caller's own changes, so one that has just restored structure has to drop
// the records of that. A removed entity can be restored only as a new entity; Known returns
// its last values until the next Observe.
//
// For a new slot, Was tells whether the undo has to remove the entity: it is the zero Form if the
// entity was created since the last Sync, otherwise the entity's structure before it got the
// marker. An entity without an event, which a Sync of the whole world found, counts as created.
//
// An entity is tracked as long as it has a slot, paused or not. An entity that got the marker after
// an Observe and lost it before the next one has no slot after its record.
func (t *Table) Undo() []UndoRecord { return t.undo }

// recordUndo lists the touched entities whose form differs from that at the last Sync.
func (t *Table) recordUndo() {
	for i := range t.records.pending {
		p := &t.records.pending[i]
		if !p.touched {
			continue
		}
		p.touched = false
		is := t.formOf(p.slot)
		if is != p.form {
			t.undo = append(t.undo, UndoRecord{p.slot, t.slots.info[p.slot].entity, p.form, is})
		}
		if is.Alive {
			p.form = is // a removed entity keeps its last form
		}
		if park := t.records.parked[p.slot]; park != nil {
			park.form = is
		}
	}
}

// formOf returns the present form of a slot's entity.
func (t *Table) formOf(s Slot) Form {
	info := &t.slots.info[s]
	if seg := info.seg; seg != nil {
		return seg.form()
	}
	if !t.world.Alive(info.entity) {
		return Form{}
	}
	key := t.keyOf(info.entity)
	return Form{Alive: true, Marked: key.mask.Get(t.marker), Mask: t.shapeOf(key.mask).present, Target: key.target}
}

func (seg *segment) form() Form {
	return Form{Alive: true, Marked: true, Mask: seg.shape.present, Target: seg.key.target}
}

// formBefore returns the structure of an entity before the event that added the marker.
func (t *Table) formBefore(evt *ecs.EntityEvent) Form {
	if evt.Contains(event.EntityCreated) || t.slots.isNew(evt.Entity, t.syncs) {
		return Form{}
	}
	mask := t.world.Mask(evt.Entity)
	mask = mask.Xor(&evt.Added)
	mask = mask.Xor(&evt.Removed)
	return Form{Alive: true, Mask: t.shapeOf(mask).present, Target: evt.OldTarget}
}
