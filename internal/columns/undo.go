package columns

import (
	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/ecs/event"
)

// Form is the structure of one entity: what an undo brings back. The zero Form is
// that of an entity which does not exist.
type Form struct {
	Alive  bool       // it exists
	Marked bool       // it has the marker
	Mask   Mask       // the columns it has
	Target ecs.Entity // of its relation; the zero entity: none. It may be dead
}

// UndoRecord is how the structure of one entity changed between two Syncs.
type UndoRecord struct {
	Slot    Slot
	Entity  ecs.Entity
	Was, Is Form // never equal
}

// Undo returns, once for each entity with a slot whose structure is another one
// than at the Sync before, what it was and what it is. It is valid until the next
// Sync, of which Observe is one, and empty after an error. The order is that in
// which the entities were first touched since the last Observe.
//
// A log of it restores structure at a cost of what changed: append the records of
// every Sync, and go through them backwards, giving each entity the form that it
// had. They are facts about the world, so muted changes are in here too; a caller
// that has just restored drops the records of its own restoring. An entity that
// was removed can come back only as another one; what it had last is told by Known
// until the next Observe.
//
// Was of an entity that is new here tells whether undoing means to remove it: it
// is the zero Form if the entity was created since the last Sync, and else what it
// had before it got the marker. One that no event told of, found when a Sync
// looked at the whole world, counts as created.
//
// An entity is followed for as long as it has its slot, paused or not. One that got
// the marker after an Observe and has lost it before the next ends with its record.
func (t *Table) Undo() []UndoRecord { return t.undo }

// recordUndo lists the touched entities that have another form than at the last
// Sync.
func (t *Table) recordUndo() {
	for i := range t.pending {
		p := &t.pending[i]
		if !p.stirred {
			continue
		}
		p.stirred = false
		is := t.formOf(p.slot)
		if is != p.form {
			t.undo = append(t.undo, UndoRecord{p.slot, t.slots.info[p.slot].entity, p.form, is})
		}
		if is.Alive {
			p.form = is // a dead one keeps its last
		}
		if park := t.parked[p.slot]; park != nil {
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

// formBefore returns what an entity was before the event that gave it the marker.
func (t *Table) formBefore(evt *ecs.EntityEvent) Form {
	if evt.Contains(event.EntityCreated) || t.slots.isNew(evt.Entity, t.syncs) {
		return Form{}
	}
	mask := t.world.Mask(evt.Entity)
	mask = mask.Xor(&evt.Added)
	mask = mask.Xor(&evt.Removed)
	return Form{Alive: true, Mask: t.shapeOf(mask).present, Target: evt.OldTarget}
}
