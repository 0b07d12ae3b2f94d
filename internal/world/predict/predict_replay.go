package predict

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/rollback"
)

// replaying is the replay at hand.
type replaying struct {
	on       bool
	frontier entangle.Tick
	late     bool // it began before the frontier
}

// Rollback has the world come to the present in the way that Check has decided on.
func (p *Prediction) Rollback() {
	now, was := p.present(), p.at
	switch {
	case p.way == takeOver:
		p.takeOver()
	case p.way == beginAnew:
		p.anew(p.tick)
	case p.lost:
	case p.way == goBack || now != was:
		p.back(now, was)
	case len(p.now) > 0 || len(p.stock.now) > 0:
		p.amend()
	}
	p.reappear()
	p.bury()
}

// back goes back to a tick that is held, and computes every tick since anew.
func (p *Prediction) back(now, was entangle.Tick) {
	from, counts := p.from(now)
	p.lost = true // if a system panics, nobody knows what the world is
	p.before.keep(p, was, true)
	p.spared.save()
	if counts {
		p.stats.rollback(p.reason, int(was.Sub(from)))
		p.cfg.Why.Begin(from, now)
		defer p.cfg.Why.End()
	} else {
		p.cfg.Why.Drop()
	}
	if from != was || counts {
		p.restore(from, p.upTo)
	}
	p.replay(from, was, now)
	p.spared.putBack()
	p.lost = false
	p.correct()
	if now.Before(was) {
		p.wasAmended() // no tick leads to the present, which was there before
	}
}

// from returns the tick to go back to, and whether going there is a rollback: going back or
// on with the clock is none.
func (p *Prediction) from(now entangle.Tick) (from entangle.Tick, counts bool) {
	from = p.at
	if now.Before(from) {
		from = now
	}
	if p.way == goBack && !from.Before(p.tick) {
		return p.tick, true // the same tick, too: it is not as it was predicted
	}
	return from, false
}

// anew begins at the frontier, of which all is known that the server has to say, and with the
// present for what it has nothing to say of.
func (p *Prediction) anew(f entangle.Tick) {
	now := p.present()
	p.cfg.Why.Drop()
	p.lost = true
	p.spared.save()
	p.memory.Clear()
	p.memory.Begin(f)
	p.scatter(f)
	p.stock.expire(f)
	p.restore(f, f)
	p.stats.Blind++
	p.replay(f, p.begun(f), now)
	p.spared.putBack()
	p.lost, p.at = false, now
	p.wasAmended()
}

// takeOver takes what the server says for the present. What follows from it is found out
// when its tick comes.
func (p *Prediction) takeOver() {
	p.cfg.Why.Drop()
	now := p.present()
	p.memory.Clear()
	p.memory.Begin(now)
	p.due = p.allKnown(p.due[:0])
	for _, slot := range p.due {
		p.insert(slot)
	}
	p.settle(restored)
	p.stock.takeOver()
	p.stock.save(now)
	p.scatter(now)
	p.at = now
	if p.cfg.Synced() && !p.lost {
		p.stats.Resyncs++
		p.cfg.OnResync(now)
	}
	_, settled := p.cfg.Frontier()
	p.lost = !p.cfg.Synced() || !settled
	p.wasAmended()
}

// replay computes the ticks after one to the present: up to where the world has been they
// have run before, and from there on the clock went past them.
func (p *Prediction) replay(from, was, now entangle.Tick) {
	p.replaying = replaying{on: true, frontier: p.upTo, late: from.Before(p.upTo)}
	defer func() { p.replaying.on = false }()
	if now.Before(was) {
		was = now
	}
	if from.Before(was) {
		p.cfg.Again.Replay(p.world, from+1, was)
	}
	if was.Before(now) {
		p.stats.CaughtUp += uint64(now.Sub(was))
		p.cfg.Again.CatchUp(p.world, was+1, now)
	}
}

// amend writes into the present what the server says of it.
func (p *Prediction) amend() {
	p.cfg.Why.Drop()
	p.before.keep(p, p.at, false)
	for _, slot := range p.now {
		p.insert(slot)
	}
	p.settle(between)
	for _, slot := range p.now {
		p.adopt(slot, p.at, p.forms[slot].Mask)
	}
	p.stock.amend()
	p.correct()
	p.wasAmended()
}

// wasAmended tells that the present was changed without a replay, or by one that does not
// come from what was before.
func (p *Prediction) wasAmended() {
	for _, f := range p.onAmended {
		f()
	}
}

// EndTick keeps the state at the end of the tick at hand, with what the server says of that
// tick in it.
func (p *Prediction) EndTick() {
	tick := p.present()
	p.did(rollback.StepTick, tick, 0)
	p.adopted = p.adopted[:0]
	p.memory.Begin(tick)
	p.settle(ticked)
	p.due = p.memory.Due(p.due[:0], tick)
	if p.replaying.on && p.replaying.late && tick == p.replaying.frontier {
		p.due = p.allKnown(p.due[:0])
	}
	if len(p.due) > 0 {
		for _, slot := range p.due {
			p.insert(slot)
		}
		p.settle(ticked)
	}
	p.stock.endTick(tick)
	p.scatter(tick)
	p.at = tick
}

// allKnown appends the slots of which the server has said something that holds by now. While
// the clock is not the server's, all does.
func (p *Prediction) allKnown(dst []rollback.Slot) []rollback.Slot {
	for slot := range p.forms {
		s, word := rollback.Slot(slot), p.memory.Confirmed(rollback.Slot(slot))
		if !p.forms[slot].Alive || !word.Known || p.spared.has(s) {
			continue
		}
		if !p.present().Before(word.Tick) || !p.cfg.Synced() {
			dst = append(dst, s)
		}
	}
	return dst
}

// insert has an entity be as the server says, as of the tick at hand.
func (p *Prediction) insert(slot rollback.Slot) {
	now, e := p.forms[slot], p.entity(slot)
	form := p.memory.Corrected(slot, now)
	if !now.Alive || !p.world.Alive(e) {
		return
	}
	p.did(rollback.StepInsert, p.present(), slot)
	differs := form != now
	if differs {
		p.reshape(slot, now, form)
	}
	if p.insertValues(slot) || differs {
		p.stats.Inserted++
	}
}

// insertValues writes the values of the server's word, and reports whether one was another.
func (p *Prediction) insertValues(slot rollback.Slot) (differs bool) {
	word := p.memory.Confirmed(slot)
	if word.Gone {
		return false
	}
	cols := word.Mask.And(p.modes.full)
	for col := cols.Next(0); col >= 0; col = cols.Next(col + 1) {
		differs = p.insertValue(slot, col) || differs
	}
	return differs
}

// insertValue writes one value of the server's word, and reports whether it was another.
func (p *Prediction) insertValue(slot rollback.Slot, col int) (differs bool) {
	c := &p.cols[col]
	value := c.of(p.entity(slot))
	if len(value) == 0 {
		return false
	}
	confirmed := p.memory.ConfirmedValue(slot, col)
	differs = string(value) != string(confirmed) && !p.same(col, value, confirmed)
	copy(value, confirmed)
	return differs
}
