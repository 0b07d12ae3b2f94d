package predict

import (
	"slices"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/rollback"
)

// decision is what Check has found.
type decision struct {
	newest bool // of several mispredicted ticks the newest decides, not the oldest

	found  bool           // a rollback is needed
	tick   entangle.Tick  // the tick to restore
	reason RollbackReason // the reason for that tick

	differing []rollback.Slot // slots that differ from the confirmed state at the present tick
	requested []entangle.Tick // ticks that the game has requested since the last Check
}

// ask asks for a rollback to the end of a tick.
func (d *decision) ask(tick entangle.Tick, reason RollbackReason) {
	better := tick.Before(d.tick)
	if d.newest {
		better = d.tick.Before(tick)
	}
	if !d.found || better {
		d.found, d.tick, d.reason = true, tick, reason
	}
}

// Check compares the confirmed state with the predicted one (findMispredictions), and makes the plan of
// steps that bring the predicted world to the present tick. Rollback carries it out. The table in
// docs/STATES.md, "Prediction in a frame", has a line for each case.
func (p *Prediction) Check() {
	progress, d := &p.progress, &p.decision
	d.found, d.differing, p.entities.arrived = false, d.differing[:0], p.entities.arrived[:0]
	p.resources.differing = p.resources.differing[:0]
	p.children.followNew()
	p.blueprints.SetTicks(progress.present()+1, false)
	p.shaper.resume()
	p.blueprints.arrive()
	p.entities.commitStructure(between)

	confirmed, ok := progress.confirmedTick()
	news, synced, empty := progress.fresh || confirmed != progress.confirmed, progress.synced(), p.entities.table.Len() == 0
	progress.lost = progress.lost || p.isLost()
	if !progress.jumped {
		progress.ran = progress.present()
	}
	progress.confirmed = confirmed
	held := p.entities.store.Holds(confirmed)

	line := rollback.Timeline{At: progress.worldTick, Ran: progress.ran, Present: progress.present(), Confirmed: confirmed}
	plan := p.plan[:0]
	switch {
	case empty && !p.resources.held():
		p.beginHistories()
	case empty && progress.lost && synced: // resources need no confirmed tick
		p.entities.store.Clear()
		p.beginHistories()
	case empty && synced: // no further tick may be confirmed, so the confirmed tick is not compared
		p.findMispredictions(confirmed, false)
		plan = p.correct(plan, &line)
	case !synced || progress.lost && !ok:
		progress.lost = true
		if progress.fresh {
			plan = line.TakeOver(plan)
		}
	case (progress.lost || news && ok) && progress.tooDeep(confirmed):
		plan = line.TakeOver(plan)
	case progress.lost || news && ok && !held && confirmed != progress.present():
		plan = line.Restart(plan, p.blueprints.restartTick(confirmed))
	default:
		p.findMispredictions(confirmed, news && held) // else the clock was set forward to the present
		plan = p.correct(plan, &line)
	}
	if !d.found {
		p.cfg.Why.Drop()
	}
	progress.fresh, progress.jumped, d.requested = false, false, d.requested[:0]
	p.plan = line.End(plan)
}

// correct appends the steps that correct what findMispredictions has found.
func (p *Prediction) correct(plan []rollback.Step, line *rollback.Timeline) []rollback.Step {
	d := &p.decision
	held := !line.At.Before(d.tick) && !line.Present.Before(d.tick) // otherwise the clock was set back to before that tick
	d.found = d.found && held
	switch {
	case d.found:
		return line.Rollback(plan, d.tick)
	case line.At != line.Present:
		return line.FollowClock(plan)
	case len(d.differing) > 0 || len(p.resources.differing) > 0:
		return line.Amend(plan)
	}
	return plan
}

// beginHistories begins histories, if nothing is predicted: what arrives later may be of a tick before the present
// one.
func (p *Prediction) beginHistories() {
	progress, store := &p.progress, p.entities.store
	progress.lost, progress.worldTick = false, progress.present()
	if !store.Holds(progress.worldTick) {
		store.BeginEmpty(progress.worldTick)
		p.resources.takeOver()
		p.resources.save(progress.worldTick)
	}
}

// isLost reports whether the histories do not lead to the present: a tick was broken off by a
// panic, or the clock was set further than they reach.
func (p *Prediction) isLost() bool {
	progress := &p.progress
	if progress.worldTick != progress.present() && !progress.jumped {
		return true
	}
	back := progress.worldTick
	if progress.present().Before(progress.worldTick) {
		back = progress.present()
	}
	return !p.entities.store.Holds(back) || progress.tooDeep(back)
}

// findMispredictions asks for a rollback for each confirmed state that differs from the histories,
// each input that differs from the used one, each resource that differs, each late blueprint, and each
// request of the game.
func (p *Prediction) findMispredictions(confirmed entangle.Tick, news bool) {
	if news {
		p.entities.store.Compare(confirmed, p.progress.present(), p.entities.form, p.differs)
	}
	p.compareInputs(confirmed)
	p.resources.findMispredictions(confirmed)
	p.blueprints.findLate(&p.decision, p.cfg.Why)
	p.addRequests()
}

// differs notes one misprediction that Compare has found, and asks for a rollback to its tick. A
// misprediction at the present tick needs no replay: Timeline.Amend inserts the confirmed state.
func (p *Prediction) differs(m rollback.Mismatch) {
	reason := [...]RollbackReason{
		rollback.Value: ByMismatch, rollback.Structure: ByStructure, rollback.Spawned: BySpawn, rollback.Despawned: ByDespawn,
	}[m.Kind]
	p.explain(&m, reason)
	if m.Tick == p.progress.present() {
		p.decision.differing = append(p.decision.differing, m.Slot)
		return
	}
	p.decision.ask(m.Tick, reason)
}

// compareInputs asks for a rollback to before the oldest tick that ran with a guessed input of
// another player which has turned out to be wrong. Inputs up to the confirmed tick do not matter.
func (p *Prediction) compareInputs(confirmed entangle.Tick) {
	tick, e, ok := p.cfg.Replayer.Inputs.Mispredicted(confirmed, p.progress.worldTick)
	if !ok {
		return
	}
	if from := p.held(tick - 1); from.Before(p.progress.present()) {
		p.cfg.Why.Found(WhyFinding{Reason: ByInput, Tick: from + 1, Entity: e, Column: -1})
		p.decision.ask(from, ByInput)
	}
}

// held returns the given tick or, if no rollback can go back to it, the first later one that allows
// a rollback, at most the present tick.
func (p *Prediction) held(tick entangle.Tick) entangle.Tick {
	progress := &p.progress
	if progress.tooDeep(tick) {
		tick = progress.oldest()
	}
	for tick.Before(progress.present()) && !p.entities.store.Holds(tick) {
		tick++
	}
	return tick
}

// Request asks for a rollback to the end of a tick in the next frame.
func (p *Prediction) Request(tick entangle.Tick) {
	progress, d := &p.progress, &p.decision
	if progress.tooDeep(tick) {
		tick = progress.oldest()
	}
	if (tick.Before(progress.present()) || len(d.requested) < progress.maxRollback) && !slices.Contains(d.requested, tick) {
		d.requested = append(d.requested, tick)
	}
}

// addRequests asks for the rollbacks that the game has requested. A tick that is no longer kept
// counts as the oldest kept one. A future tick is ignored.
func (p *Prediction) addRequests() {
	for _, tick := range p.decision.requested {
		if tick = p.held(tick); tick.Before(p.progress.present()) {
			p.cfg.Why.Found(WhyFinding{Reason: ByRequest, Tick: tick, Column: -1})
			p.decision.ask(tick, ByRequest)
		}
	}
}

// explain adds a misprediction to the findings for reports.
func (p *Prediction) explain(m *rollback.Mismatch, reason RollbackReason) {
	if p.cfg.Why == nil {
		return
	}
	found := WhyFinding{Reason: reason, Tick: m.Tick, Entity: p.entities.entity(m.Slot), Column: m.Col}
	if m.Col >= 0 {
		p.entities.explainValues(&found, m)
	}
	p.cfg.Why.Found(found)
}

// explainValues adds the predicted and the confirmed value of a column.
func (t *entities) explainValues(found *WhyFinding, m *rollback.Mismatch) {
	form, state := t.store.FormAt(m.Slot, m.Tick, t.form(m.Slot)), t.store.Confirmed(m.Slot)
	if size := t.cols[m.Col].size; form.Mask.Has(m.Col) {
		found.Predicted = []byte{}
		if size > 0 {
			found.Predicted = t.store.Column(m.Tick, m.Col)[int(m.Slot)*size : (int(m.Slot)+1)*size]
		}
	}
	if state.Mask.Has(m.Col) {
		found.Confirmed = t.store.ConfirmedValue(m.Slot, m.Col)
		if found.Confirmed == nil {
			found.Confirmed = []byte{}
		}
	}
	if t.modes.relation.Has(m.Col) {
		found.PredictedTarget, found.ConfirmedTarget = columns.UnpackEntity(form.Target), columns.UnpackEntity(state.Target)
	}
}
