package predict

import (
	"reflect"
	"slices"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/core/rollback"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/entangle-ecs/entangle/internal/world/source"
	"github.com/mlange-42/arche/ecs"
)

// blueprints assembles entities from blueprints. The components that a predicted entity gets, and the mark
// that it is assembled, are in the histories of the tick, so that a rollback to before it takes them off, and
// the replay assembles the entity again.
type blueprints struct {
	*lifecycle
	*source.Blueprints                                          // nil: none is registered
	interpolated       func() entangle.Tick                     // the tick at which interpolated entities are shown, or would be
	shownTick          func(sendEvery int) entangle.Tick        // the same for those with a send interval
	received           func(e ecs.Entity) (entangle.Tick, bool) // the tick of the newest state of an entity of the server

	shownLate ecs.ID // components.Interpolated

	// absent is the entities that are assembled in a tick of which the confirmed state has not arrived, but
	// that of a later one has. Restoring an earlier tick disables them.
	absent []absentEntity

	kinds    []blueprintColumns
	intentOf set.Mask // the column of components.IntentOf, if it is registered

	waiting []source.Waiting // scratch
	lacks   func(ecs.Entity, entangle.Tick) bool
	due     func(ecs.Entity, entangle.Tick) bool
}

// blueprintColumns is the columns of a blueprint.
type blueprintColumns struct {
	registry.BlueprintFuncs
	blueprint, mark int
	assembled       set.Mask // the mark, and the parts
}

// absentEntity is an entity that does not exist before a tick, in which it is assembled or appears.
type absentEntity struct {
	entity ecs.Entity
	slot   rollback.Slot
	tick   entangle.Tick
}

func (b *blueprints) init(l *lifecycle, cfg *PredictionConfig, of *source.Blueprints) {
	b.lifecycle, b.Blueprints, b.interpolated = l, of, cfg.InterpolatedTick
	b.shownLate = ecs.ComponentID[components.Interpolated](b.world)
	if b.shownTick = cfg.ShownTick; b.shownTick == nil {
		b.shownTick = func(int) entangle.Tick { return b.interpolated() }
	}
	b.received = func(ecs.Entity) (entangle.Tick, bool) { return 0, false }
	if cfg.Applier != nil {
		b.received = cfg.Applier.Replicas.Tick
	}
	if intent := b.columnOf(source.TypeOf[components.IntentOf]()); intent >= 0 {
		b.intentOf.Set(intent)
	}
	for _, info := range registry.Of(cfg.Protocol).Blueprints {
		k := blueprintColumns{BlueprintFuncs: info.New(b.world), blueprint: b.columnOf(info.Type), mark: b.columnOf(info.Mark)}
		for _, part := range append([]reflect.Type{info.Mark}, info.Parts...) {
			if col := b.columnOf(part); col >= 0 {
				k.assembled.Set(col)
			}
		}
		b.kinds = append(b.kinds, k)
	}
	l.isBare, l.assembledAfter = b.isBare, b.laterParts
	b.lacks, b.due = b.lacksSent, b.isShown
}

// arrive disables the entities that have arrived since the last Check, and that the server has assembled in a
// tick which has not run here: they come in that tick.
func (b *blueprints) arrive() {
	if b.Blueprints == nil || !b.progress.synced() {
		return
	}
	for _, slot := range b.tracked {
		if b.forms[slot].Alive || !b.predicts(b.entity(slot)) {
			continue
		}
		for i := range b.kinds {
			if due, ok := b.assembledIn(slot, &b.kinds[i]); ok && b.progress.present().Before(due) {
				b.disableAbsent(slot)
				b.comesIn(slot, due)
			}
		}
	}
}

// assembledIn returns the tick of the blueprint of an entity, if the server had assembled the entity by the tick
// of its confirmed state.
func (b *blueprints) assembledIn(slot rollback.Slot, k *blueprintColumns) (due entangle.Tick, ok bool) {
	state, value := b.store.Confirmed(slot), b.valueOf(slot, k)
	if !state.Known || value == nil {
		return 0, false
	}
	due = k.Tick(value)
	return due, due != 0 && !state.Tick.Before(due)
}

// valueOf returns the memory of the blueprint of an entity, disabled or not, or nil.
func (b *blueprints) valueOf(slot rollback.Slot, k *blueprintColumns) []byte {
	d := &b.disabled[slot]
	switch {
	case !d.on:
		return b.cols[k.blueprint].memoryOf(b.entity(slot))
	case d.mask.Has(k.blueprint):
		at := b.disabledAt(d, k.blueprint)
		return d.values[at : at+b.cols[k.blueprint].size]
	}
	return nil
}

// comesIn notes that an entity does not exist before a tick.
func (b *blueprints) comesIn(slot rollback.Slot, tick entangle.Tick) {
	if a := (absentEntity{b.entity(slot), slot, tick}); !slices.Contains(b.absent, a) {
		b.absent = append(b.absent, a)
	}
}

// findLate asks for rollbacks to before the ticks of the entities that should be assembled already. An
// entity for which that is too long ago, or of which there is no history, is assembled in the next tick.
// Entities that have arrived count also if they are disabled, or have been assembled while they were not predicted.
func (b *blueprints) findLate(d *decision, why *Why) {
	if b.Blueprints == nil {
		return
	}
	b.waiting = b.AppendWaiting(b.waiting[:0])
	for _, slot := range b.arrived {
		for i := range b.kinds {
			if due, ok := b.assembledIn(slot, &b.kinds[i]); ok {
				b.waiting = append(b.waiting, source.Waiting{Entity: b.entity(slot), Tick: due})
			}
		}
	}
	for _, w := range b.waiting {
		if b.progress.present().Before(w.Tick) || !b.predicts(w.Entity) {
			continue
		}
		if before := w.Tick - 1; !b.progress.tooDeep(before) && b.store.Holds(before) {
			why.Found(WhyFinding{Reason: ByBlueprint, Tick: w.Tick, Entity: w.Entity, Column: -1})
			d.ask(before, ByBlueprint)
			if slot := b.slotOf(w.Entity); b.store.Confirmed(slot).Known {
				b.comesIn(slot, w.Tick)
			}
		}
	}
}

// restartTick returns the tick at which histories begin again: the confirmed one, or one before which all entities
// that the server has assembled in the last ticks are assembled. Until its tick, such an entity is absent.
func (b *blueprints) restartTick(confirmed entangle.Tick) (from entangle.Tick) {
	if from = confirmed; b.Blueprints == nil {
		return from
	}
	for slot := range b.forms {
		if !b.forms[slot].Alive {
			continue
		}
		for i := range b.kinds {
			due, ok := b.assembledIn(rollback.Slot(slot), &b.kinds[i])
			if !ok || b.progress.present().Before(due) || b.progress.tooDeep(due-1) {
				continue
			}
			if b.comesIn(rollback.Slot(slot), due); (due - 1).Before(from) {
				from = due - 1
			}
		}
	}
	return from
}

// disableAfter disables the entities that are assembled after a tick and were not there before, if there are no
// histories from which that tick could be restored.
func (b *blueprints) disableAfter(tick entangle.Tick) {
	for _, a := range b.absent {
		if tick.Before(a.tick) && b.predicts(a.entity) && b.entity(a.slot) == a.entity {
			b.disableAbsent(a.slot)
		}
	}
	b.commitStructure(restored)
}

// assemble assembles the entities that wait for the present tick.
func (b *blueprints) assemble() {
	if b.Blueprints == nil {
		return
	}
	now, oldest := b.progress.present(), b.progress.oldest()
	b.absent = slices.DeleteFunc(b.absent, func(a absentEntity) bool {
		return a.tick.Before(oldest) || b.entity(a.slot) != a.entity
	})
	for _, a := range b.absent {
		if a.tick == now && b.disabled[a.slot].on {
			has := b.disabled[a.slot].mask
			own := has.And(b.modes.own()).Without(b.laterParts(a.slot, has, now-1))
			b.enable(a.slot, rollback.Form{Alive: true, Mask: own})
		}
	}
	b.Assemble(now, b.lacks)
}

// columnOf returns the column of a component, or -1.
func (b *blueprints) columnOf(t reflect.Type) int {
	id := ecs.TypeID(b.world, t)
	return slices.IndexFunc(b.cols, func(c column) bool { return c.id == id })
}

// laterParts returns the columns that an entity, which has some columns, disabled or not, got from blueprints of ticks
// after one.
func (b *blueprints) laterParts(slot rollback.Slot, has set.Mask, tick entangle.Tick) (cols set.Mask) {
	for i := range b.kinds {
		k := &b.kinds[i]
		if has.Has(k.mark) && has.Has(k.blueprint) && tick.Before(k.Tick(b.valueOf(slot, k))) {
			cols = cols.Or(k.assembled)
		}
	}
	return cols
}

// disassemble takes off what entities have got from blueprints of ticks after one, so that the ticks that are replayed
// from there assemble them again. It is for a restart, where no histories say what they had. Those that the server has
// assembled are absent until their tick.
func (b *blueprints) disassemble(after entangle.Tick) {
	for i := range b.kinds {
		k := &b.kinds[i]
		for slot := range b.forms {
			due, assembled := b.assembledHere(rollback.Slot(slot), k)
			if !assembled || !after.Before(due) {
				continue
			}
			if _, absent := b.assembledIn(rollback.Slot(slot), k); !absent {
				b.lifecycle.exchange(rollback.Slot(slot), set.Mask{}, k.assembled)
			}
		}
	}
	b.commitStructure(restored)
}

// isAhead reports whether an entity is assembled, and the server's state of it is of an earlier tick.
func (b *blueprints) isAhead(slot rollback.Slot) bool {
	for i := range b.kinds {
		due, assembled := b.assembledHere(slot, &b.kinds[i])
		if assembled && b.store.Confirmed(slot).Tick.Before(due) {
			return true
		}
	}
	return false
}

// assembledHere returns the tick in which an entity in the world was assembled from a blueprint.
func (b *blueprints) assembledHere(slot rollback.Slot, k *blueprintColumns) (tick entangle.Tick, ok bool) {
	if form := b.forms[slot]; !form.Alive || !form.Mask.Has(k.mark) || !form.Mask.Has(k.blueprint) {
		return 0, false
	}
	return k.Tick(b.cols[k.blueprint].memoryOf(b.entity(slot))), true
}

// lacksSent reports whether an entity lacks the components that the server sends: unless it has the server's
// state of a tick in which the server had assembled it.
func (b *blueprints) lacksSent(e ecs.Entity, due entangle.Tick) bool {
	slot, known := b.table.SlotOf(e)
	if !known {
		return true
	}
	state := b.store.Confirmed(rollback.Slot(slot))
	return !state.Known || state.Tick.Before(due) || !state.Tick.Before(b.progress.present())
}

// isShown reports whether an entity with components.Remote is shown as of a tick or of a later one.
func (b *blueprints) isShown(e ecs.Entity, tick entangle.Tick) bool {
	if b.world.Has(e, b.shownLate) {
		every := (*components.Interpolated)(b.world.Get(e, b.shownLate)).SendEvery
		return !b.shownTick(int(every)).Before(tick)
	}
	if shown := b.interpolated(); !shown.Before(tick) {
		return true
	}
	received, ok := b.received(e)
	return ok && !received.Before(tick)
}

// isBare reports whether an entity that has arrived has none of the components that are compared, and waits
// for a tick that has not run yet.
func (b *blueprints) isBare(slot rollback.Slot) bool {
	compared := b.store.Confirmed(slot).Mask.And(b.modes.full).Without(b.intentOf)
	return compared.IsZero() && b.WaitsAt(b.entity(slot), b.progress.present())
}

// Assemble assembles the entities that wait for the tick that is being simulated.
func (p *Prediction) Assemble() { p.blueprints.assemble() }

// AssembleRemote assembles entities with components.Remote, of which the tick of the blueprint is shown.
func (p *Prediction) AssembleRemote() {
	if p.blueprints.Blueprints != nil {
		p.blueprints.Blueprints.AssembleRemote(p.blueprints.due)
	}
}

// SetBlueprintTicks sets the ticks of blueprints that have come into the world in this tick to the next one,
// if they have none or one that has run.
func (p *Prediction) SetBlueprintTicks() { p.blueprints.SetTicks(p.progress.present()+1, true) }
