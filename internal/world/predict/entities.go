package predict

import (
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/rollback"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/mlange-42/arche/ecs"
)

// entities is the predicted entities: which they are, which components they have, and the
// histories of both. Each has a slot for as long as it is predicted.
type entities struct {
	world    *ecs.World
	writer   *columns.Writer
	progress *progress

	cols  []column // by number: the components of the protocol, then local ones
	modes modes
	marks []ecs.ID // the components that a predicted entity has in place of components.Remote
	table *columns.Table
	store *rollback.Store // the histories, and the confirmed state that a sink.Applier writes

	forms    []rollback.Form // by slot, as of the last commitStructure
	disabled []disabled      // by slot
	used     set.Mask        // columns with histories that some entity has had

	isBare    func(slot rollback.Slot) bool // reports whether an entity that has arrived waits to be assembled
	arrived   []rollback.Slot               // entities that arrived from the server since the last Check
	untracked untracked
	tracked   []rollback.Slot // entities that were tracked, disabled or enabled since the last commitStructure
	before    structureLog
}

// rollbackMarker is the marker of the table: every entity that rolls back has it, whether it is
// predicted or attached to a predicted one by the game. A marker needs a byte to find rows by.
type rollbackMarker struct{ _ byte }

func (t *entities) init(cfg *PredictionConfig, progress *progress) error {
	w := cfg.World
	t.world, t.writer, t.progress = w, columns.NewWriter(w), progress
	t.marks = []ecs.ID{ecs.ComponentID[components.Predicted](w), ecs.ComponentID[rollbackMarker](w)}
	described := t.describe(cfg.Protocol, cfg.Hub)
	table, err := columns.NewStructure(w, t.marker(), described)
	if err != nil {
		return err
	}
	t.table, t.store = table, rollback.New(t.remembers(cfg.MaxRollback))
	return nil
}

// marker is the component of entities that roll back.
func (t *entities) marker() ecs.ID { return t.marks[1] }

// predicts reports whether an entity rolls back.
func (t *entities) predicts(e ecs.Entity) bool {
	return t.world.Alive(e) && t.world.Has(e, t.marker())
}

// form returns the form of a slot as of the last commitStructure.
func (t *entities) form(slot rollback.Slot) rollback.Form { return t.forms[slot] }

// entity returns the entity of a slot.
func (t *entities) entity(slot rollback.Slot) ecs.Entity { return t.table.Entity(columns.Slot(slot)) }

// slotOf returns the slot of an entity that has one.
func (t *entities) slotOf(e ecs.Entity) rollback.Slot {
	slot, _ := t.table.SlotOf(e)
	return rollback.Slot(slot)
}

// origin is the origin of changes of structure. It decides from which tick on they hold.
type origin uint8

const (
	// ticked changes come from the simulation, and hold from the present tick on.
	ticked origin = iota
	// between changes were made between two ticks. They are not part of the simulation, and hold in
	// all ticks.
	between
	// restored changes come from restoring a tick. The histories have them already.
	restored
)

// commitStructure updates slots and forms with the changes of structure since the last time.
func (t *entities) commitStructure(from origin) {
	if err := t.table.Commit(); err != nil {
		panic("plugin: the entities that are predicted can't be followed: " + err.Error())
	}
	t.grow()
	for _, r := range t.table.Undo() {
		t.followChange(&r, from)
	}
	for _, slot := range t.tracked {
		t.followTracked(slot, from)
	}
	t.tracked = t.tracked[:0]
}

// followTracked updates the slot of an entity after a change that the table has not reported: it
// stopped being predicted and is predicted again since the last commitStructure, or it has no
// components that could be disabled.
func (t *entities) followTracked(slot rollback.Slot, from origin) {
	s, was := columns.Slot(slot), t.forms[slot]
	e := t.table.Entity(s)
	if !t.predicts(e) || was.Alive && was.Disabled == t.disabled[slot].on {
		return
	}
	if !was.Alive {
		from = between
	}
	form := columns.Form{Alive: true, Marked: true, Mask: t.table.Mask(s), Target: t.table.Target(s)}
	t.followChange(&columns.UndoRecord{Slot: s, Entity: e, Was: form, Is: form}, from)
}

// grow extends the arrays to all slots of the table.
func (t *entities) grow() {
	n := t.table.Slots()
	t.store.Grow(n)
	for len(t.forms) < n {
		t.forms, t.disabled = append(t.forms, rollback.Form{}), append(t.disabled, disabled{})
	}
	t.before.grow(n)
}

// followChange updates the slot of an entity after a change of its structure.
func (t *entities) followChange(r *columns.UndoRecord, from origin) {
	slot := rollback.Slot(r.Slot)
	was, is := t.forms[slot], t.formOf(slot, &r.Is)
	t.before.recordMask(slot, was.Mask)
	t.forms[slot] = is
	t.used = t.used.Or(is.Mask)
	if !is.Alive {
		t.endSlot(slot)
		return
	}
	if never := r.Is.Mask.Has(t.modes.never); never != (was.Alive && r.Was.Mask.Has(t.modes.never)) {
		t.store.Exclude(slot, never)
	}
	switch {
	case was == is || from == restored:
	case from == ticked && (was.Alive || !r.Was.Alive):
		t.store.Changed(t.progress.present(), slot, was, is)
	default:
		t.changedBetween(slot, was, is)
	}
}

// changedBetween follows a change between two ticks. An entity that has arrived from the server is
// new in the present tick. One that waits to be assembled counts as if it had always been there, so that
// nothing has to be replayed. All other changes are the game's and hold in all ticks, also in those into
// which a rollback has inserted the entity.
func (t *entities) changedBetween(slot rollback.Slot, was, is rollback.Form) {
	if !was.Alive && (!t.store.Confirmed(slot).Known || t.isBare(slot)) {
		t.backfill(slot, is.Mask)
		return
	}
	before, own := was, t.modes.own()
	if !was.Alive {
		t.arrived = append(t.arrived, slot)
	} else if !t.disabled[slot].on { // else it is despawned, and may return with all its components
		cols := is.Mask.Without(was.Mask).Or(was.Mask.Without(is.Mask)).And(own)
		if was.Target != is.Target {
			cols = cols.Or(is.Mask.And(t.modes.relation).And(own))
		}
		before = t.store.With(was, cols, is)
		t.store.Always(slot, cols, is)
	}
	t.backfill(slot, is.Mask.Without(was.Mask).And(own))
	t.store.Changed(t.progress.worldTick, slot, before, is)
	t.saveValues(slot, t.progress.worldTick, is.Mask)
}

// endSlot ends a slot.
func (t *entities) endSlot(slot rollback.Slot) {
	t.store.Forget(slot)
	t.before.endSlot(slot)
	t.forms[slot] = rollback.Form{}
	t.disabled[slot].on = false
}

// formOf converts a form of the table to one of the histories.
func (t *entities) formOf(slot rollback.Slot, f *columns.Form) (form rollback.Form) {
	if !f.Alive || !f.Marked {
		return form
	}
	form.Alive, form.Disabled, form.Mask = true, t.disabled[slot].on, set.Mask(f.Mask).And(t.modes.kept)
	if related := form.Mask.And(t.modes.relation); !related.IsZero() {
		form.Target = columns.PackEntity(f.Target)
	}
	return form
}

// structureLog holds the components that entities had at the beginning of a round, for the entities
// that have changed since.
type structureLog struct {
	round uint32
	masks []set.Mask // by slot
	since []uint32   // by slot, the round of its mask
}

// grow makes room for slots.
func (l *structureLog) grow(slots int) {
	for len(l.masks) < slots {
		l.masks, l.since = append(l.masks, set.Mask{}), append(l.since, 0)
	}
}

// recordMask notes the components that a slot had before it changes.
func (l *structureLog) recordMask(slot rollback.Slot, was set.Mask) {
	if l.since[slot] != l.round {
		l.masks[slot], l.since[slot] = was, l.round
	}
}

// endSlot notes that a slot ended, and may get another entity.
func (l *structureLog) endSlot(slot rollback.Slot) {
	l.masks[slot], l.since[slot] = set.Mask{}, l.round
}

// had reports whether a slot that has a column now had it at the beginning of the round.
func (l *structureLog) had(slot rollback.Slot, col int) bool {
	return l.since[slot] != l.round || l.masks[slot].Has(col)
}
