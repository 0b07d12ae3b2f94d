package predict

import (
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/rollback"
	"github.com/mlange-42/arche/ecs"
)

// excluded is the entities with components.NoRollback. In a rollback they are restored and replayed
// like the others. After it they get back the components and values that they had before.
type excluded struct {
	*lifecycle
	saved  []savedEntity
	values []byte
}

// savedEntity is an excluded entity before a rollback.
type savedEntity struct {
	slot     rollback.Slot
	entity   ecs.Entity
	form     rollback.Form
	disabled bool
	at       int // the index of its first value in excluded.values
}

// save saves the excluded entities.
func (x *excluded) save() {
	x.saved, x.values = x.saved[:0], x.values[:0]
	for seg := range x.table.Segments() {
		rows, mask := x.table.Rows(seg)
		if !mask.Has(x.modes.never) {
			continue
		}
		for _, slot := range rows {
			x.saveOne(rollback.Slot(slot))
		}
	}
}

func (x *excluded) saveOne(slot rollback.Slot) {
	e, form := x.entity(slot), x.forms[slot]
	x.saved = append(x.saved, savedEntity{slot, e, form, x.disabled[slot].on, len(x.values)})
	for col := range form.Mask.All() {
		x.values = append(x.values, x.cols[col].memoryOf(e)...)
	}
}

// putBack puts the excluded entities back as they were saved, if they are still there.
func (x *excluded) putBack() {
	x.returnChildrenOfSaved()
	for i := range x.saved {
		was := &x.saved[i]
		if !x.world.Alive(was.entity) || x.entity(was.slot) != was.entity {
			continue
		}
		x.reshapeSaved(was)
		at := was.at
		for col := range was.form.Mask.All() {
			at += copy(x.cols[col].memoryOf(was.entity), x.values[at:])
		}
	}
	if len(x.saved) > 0 {
		x.commitStructure(ticked)
		x.entities.save(x.progress.worldTick)
	}
}

// reshapeSaved gives an excluded entity its saved components back.
func (x *excluded) reshapeSaved(was *savedEntity) {
	switch off := x.disabled[was.slot].on; {
	case off && !was.disabled:
		x.enable(was.slot, was.form)
	case !off && was.disabled:
		x.disable(was.slot)
	case x.forms[was.slot] != was.form:
		x.exchange(was.slot, was.form.Mask, x.modes.kept)
	default:
		return
	}
	x.setTarget(was.slot, was.form.Mask.And(x.modes.relation), columns.UnpackEntity(was.form.Target))
}

// returnChildrenOfSaved brings back children that replayed ticks have despawned with an
// excluded entity.
func (x *excluded) returnChildrenOfSaved() {
	x.returned = x.returned[:0]
	for i := range x.saved {
		if was := &x.saved[i]; x.entity(was.slot) == was.entity && x.disabled[was.slot].on && !was.disabled {
			x.returnChildren(was.slot)
		}
	}
	x.backfillReturned()
}
