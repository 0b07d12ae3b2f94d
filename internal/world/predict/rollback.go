package predict

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/rollback"
)

// Rollback carries out the plan of the last Check. After it the predicted world is as of the
// end of the present tick.
func (p *Prediction) Rollback() {
	defer p.endTicks() // a system may panic
	defer p.cfg.Why.End()
	for i, step := range p.plan {
		switch step.Kind {
		case rollback.StepTakeOver:
			p.takeOver()
		case rollback.StepSave:
			p.progress.lost = true
			p.excluded.save()
		case rollback.StepRestore:
			p.countRollback(step.Tick)
			p.corrections.keepValues(true)
			p.restore(step.Tick)
		case rollback.StepRestart:
			p.restart(step.Tick)
		case rollback.StepTick:
			p.tick(p.plan[i:])
		case rollback.StepInsert:
			p.insert(step)
		case rollback.StepPutBack:
			p.endTicks()
			p.excluded.putBack()
			p.progress.lost = false
		case rollback.StepReport:
			p.corrections.report()
			p.cfg.Why.End()
		case rollback.StepRefresh:
			p.refresh()
		case rollback.StepRevive:
			p.lifecycle.revive()
		case rollback.StepRemove:
			p.lifecycle.removeFinal()
			p.prespawned.expire()
		}
	}
	p.raisePostponed()
}

// raisePostponed raises the events of entities that have returned to the world. A reader then gets
// them in the same frame, or at the latest in the next one if it runs before.
func (p *Prediction) raisePostponed() {
	if p.cfg.Applier != nil {
		p.cfg.Applier.RaisePostponed()
	}
}

// countRollback counts a rollback to a tick, and begins its report. A tick that is restored because
// the clock was set back does not count as a rollback.
func (p *Prediction) countRollback(to entangle.Tick) {
	if p.decision.found {
		p.stats.rollback(p.decision.reason, int(p.progress.worldTick.Sub(to)))
		p.cfg.Why.Begin(to, p.progress.present())
	}
}

// takeOver writes the confirmed state over the present. Mispredictions that follow from that are found
// when the confirmed tick reaches the present one.
func (p *Prediction) takeOver() {
	progress, store := &p.progress, p.entities.store
	now := progress.present()
	if progress.synced() {
		p.prespawned.disableAfter(now)
	}
	store.Clear()
	store.Begin(now)
	p.due = p.allKnown(p.due[:0])
	for _, slot := range p.due {
		if !p.blueprints.isAhead(slot) {
			p.insertOne(slot)
		}
	}
	p.entities.commitStructure(restored)
	p.resources.takeOver()
	p.resources.save(now)
	p.entities.save(now)
	progress.worldTick = now
	if progress.synced() && !progress.lost {
		p.stats.Resyncs++
		p.cfg.OnResync(now)
	}
	_, ok := progress.newestConfirmed()
	progress.lost = !progress.synced() || !ok
}

// restart begins histories at a tick, the confirmed one or an earlier one. Components without confirmed state as of
// that tick keep their present value, unless confirmed state of a later tick has arrived.
func (p *Prediction) restart(from entangle.Tick) {
	p.blueprints.disassemble(from)
	p.prespawned.disableAfter(from)
	p.blueprints.disableAfter(from)
	p.lifecycle.disableUnknown()
	p.entities.store.Clear()
	p.entities.store.Begin(from)
	p.entities.save(from)
	p.resources.expire(from)
	p.restore(from)
	p.stats.Blind++
}

// restore restores the world as of the end of a tick, with the confirmed state of that tick: entities
// (lifecycle.restore) and resources.
func (p *Prediction) restore(tick entangle.Tick) {
	p.did(rollback.StepRestore, tick, 0)
	p.prespawned.restored(tick)
	p.lifecycle.restore(tick)
	p.resources.restore(tick)
	p.progress.worldTick = tick
}

// tick runs the tick of the first step of a plan.
func (p *Prediction) tick(plan []rollback.Step) {
	step, replayer := plan[0], p.cfg.Replayer
	if p.inTick && step.First && p.cfg.Time.Replaying {
		replayer.End()
		p.inTick = false
	}
	if !p.inTick {
		if p.inTick = true; step.First {
			replayer.BeginFirst(step.Tick)
		} else {
			replayer.Begin(step.Tick, lastReplayed(plan))
		}
	}
	if step.First {
		p.stats.CaughtUp++
	}
	replayer.Tick(p.entities.world)
}

// lastReplayed returns the last replayed tick of a plan. Ticks that run for the first time do not
// count.
func lastReplayed(plan []rollback.Step) (last entangle.Tick) {
	for _, step := range plan {
		if step.Kind == rollback.StepTick && !step.First {
			last = step.Tick
		}
	}
	return last
}

// endTicks ends the ticks of a plan, if it has any.
func (p *Prediction) endTicks() {
	p.inTick = false
	p.cfg.Replayer.End()
}

// refresh reports that the present has changed without a replay.
func (p *Prediction) refresh() {
	for _, f := range p.onAmended {
		f()
	}
}

// SaveTick saves the state at the end of a tick, with the confirmed state of that tick. In a tick that
// Rollback runs it does nothing: the StepInsert behind the StepTick inserts and saves.
func (p *Prediction) SaveTick() {
	if !p.inTick {
		p.insertAndSave(rollback.Step{Kind: rollback.StepInsert, Tick: p.progress.present(), Select: rollback.Due})
		p.raisePostponed()
	}
}

// insert overwrites predicted values with confirmed state.
func (p *Prediction) insert(step rollback.Step) {
	if step.Select == rollback.Differing {
		p.amend()
	} else {
		p.insertAndSave(step)
	}
}

// insertAndSave inserts the confirmed state of a tick, and saves the tick.
func (p *Prediction) insertAndSave(step rollback.Step) {
	p.did(rollback.StepTick, step.Tick, 0)
	p.lifecycle.returned = p.lifecycle.returned[:0]
	p.entities.store.Begin(step.Tick)
	p.prespawned.appear(step.Tick)
	p.entities.commitStructure(ticked)
	if step.Select == rollback.AllKnown {
		p.due = p.allKnown(p.due[:0])
	} else {
		p.due = p.entities.store.Due(p.due[:0], step.Tick)
	}
	if len(p.due) > 0 {
		for _, slot := range p.due {
			p.insertOne(slot)
		}
		p.entities.commitStructure(ticked)
	}
	p.resources.insertAndSave(step.Tick)
	p.entities.save(step.Tick)
	p.progress.worldTick = step.Tick
}

// amend writes the confirmed state of the present tick into the present.
func (p *Prediction) amend() {
	p.corrections.keepValues(false)
	for _, slot := range p.decision.differing {
		p.insertOne(slot)
	}
	p.entities.commitStructure(between)
	for _, slot := range p.decision.differing {
		p.entities.saveValues(slot, p.progress.worldTick, p.entities.forms[slot].Mask)
	}
	p.resources.amend()
}

// allKnown appends the slots with confirmed state of any tick up to the present. While the
// clock is not set to the server's, all confirmed state counts.
func (p *Prediction) allKnown(dst []rollback.Slot) []rollback.Slot {
	t := &p.entities
	for slot := range t.forms {
		s, state := rollback.Slot(slot), t.store.Confirmed(rollback.Slot(slot))
		if !t.forms[slot].Alive || !state.Known || p.lifecycle.excludes(s) {
			continue
		}
		if !p.progress.present().Before(state.Tick) || !p.progress.synced() {
			dst = append(dst, s)
		}
	}
	return dst
}

// insertOne gives an entity its confirmed state.
func (p *Prediction) insertOne(slot rollback.Slot) {
	t := &p.entities
	now := t.forms[slot]
	form := t.store.Corrected(slot, now)
	if !now.Alive || !t.world.Alive(t.entity(slot)) {
		return
	}
	p.did(rollback.StepInsert, p.progress.present(), slot)
	differs := form != now
	if differs {
		p.lifecycle.reshape(slot, now, form, p.progress.present())
	}
	if t.writeConfirmed(slot) || differs {
		p.stats.Inserted++
	}
}
