package columns

import (
	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/ecs/event"
)

// Form is the structure of one entity, which an undo restores. The zero Form means an entity that does not exist.
type Form struct {
	Alive  bool       // the entity exists
	Marked bool       // it has the marker
	Mask   Mask       // the columns it has
	Target ecs.Entity // of its relation; the zero entity: none. It may be dead
}

// UndoRecord is the change of the structure of one entity between two Syncs.
type UndoRecord struct {
	Slot    Slot
	Entity  ecs.Entity
	Was, Is Form // never equal
}

// Undo returns the previous and the present structure, once for each entity with a slot and a structural change since
// the previous Sync. It is valid until the next Sync, including Observe, and empty after an error. The order is that in
// which the entities were first touched since the last Observe.
//
// A log of these records can restore structure at a cost proportional to the changes: append the records of every Sync, and
// process them backwards, giving each entity its previous form. They include muted changes, so a caller that has just
// restored structure drops the records of its own changes. A removed entity can be restored only as a new entity; Known
// returns its last values until the next Observe.
//
// For a new entity, Was determines whether undoing means to remove it: it is the zero Form if the entity was created since
// the last Sync, and else its structure before it got the marker. An entity without an event, found when a Sync examined
// the whole world, counts as created.
//
// An entity is tracked for as long as it has its slot, paused or not. One that got the marker after an Observe and lost it
// before the next ends with its record.
func (t *Table) Undo() []UndoRecord { return t.undo }

// recordUndo lists the touched entities with another form than at the last Sync.
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
