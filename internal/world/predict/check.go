package predict

import (
	"slices"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/rollback"
)

// verdict is what a Check came to.
type verdict struct {
	way    way
	tick   entangle.Tick   // the one that is gone back to
	reason RollbackReason  // that asked for it
	now    []rollback.Slot // of which the server's word is of the present, and another

	later []entangle.Tick // asked for by the game since the last Check
}

// way is how the world comes to the present.
type way uint8

const (
	// onward: it is there, or the clock went on or back and nothing else.
	onward way = iota
	// goBack: from a tick that is held.
	goBack
	// beginAnew: from what the server says of the frontier; what was before is not known.
	beginAnew
	// takeOver: what the server says is taken for the present.
	takeOver
)

// Check compares what the server confirmed with what was predicted, and decides whether to
// go back, and how far.
func (p *Prediction) Check() {
	p.way, p.now, p.arrived = onward, p.now[:0], p.arrived[:0]
	p.kids.adopt()
	p.settle(between)
	f, ok := p.frontier()
	news := p.fresh || f != p.upTo
	p.lost = p.lost || p.astray()
	switch {
	case p.table.Len() == 0 && !p.stock.held():
		p.begin()
	case p.table.Len() == 0 && p.lost && p.cfg.Synced(): // no frontier is needed for resources
		p.memory.Clear()
		p.begin()
	case p.table.Len() == 0 && p.cfg.Synced(): // and none may come any more: the last one says nothing
		p.compare(f, false)
	case !p.cfg.Synced() || p.lost && !ok:
		p.lost = true
		if p.fresh {
			p.way = takeOver
		}
	case (p.lost || news && ok) && p.tooDeep(f):
		p.way = takeOver
	case p.lost || news && ok && !p.memory.Holds(f):
		p.way, p.tick = beginAnew, f
	default:
		p.compare(f, news)
	}
	if !p.jumped {
		p.ran = p.present()
	}
	p.fresh, p.upTo, p.jumped = false, f, false
	p.later = p.later[:0]
}

// begin begins with nothing.
func (p *Prediction) begin() {
	p.lost = false
	if p.at = p.present(); !p.memory.Holds(p.at) {
		p.memory.Clear()
		p.memory.Begin(p.at)
		p.stock.takeOver()
		p.stock.save(p.at)
	}
}

// astray reports whether the histories don't lead to the present: a tick was broken off, or
// the clock went further than they reach.
func (p *Prediction) astray() bool {
	if p.at != p.present() && !p.jumped {
		return true
	}
	back := p.at
	if p.present().Before(p.at) {
		back = p.present()
	}
	return !p.memory.Holds(back) || p.tooDeep(back)
}

// frontier returns the newest tick, up to the present one, of which the server's word is
// known. While there is none, it is before all that is held.
func (p *Prediction) frontier() (f entangle.Tick, ok bool) {
	now := p.present()
	f, ok = p.cfg.Frontier()
	switch {
	case !ok:
		return now - entangle.Tick(p.cfg.MaxRollback) - 1, false
	case now.Before(f):
		return now, true
	}
	return f, true
}

// tooDeep reports whether the way from a tick to the present is longer than the limit.
func (p *Prediction) tooDeep(tick entangle.Tick) bool {
	return int(p.present().Sub(tick)) > p.cfg.MaxRollback
}

// compare finds out what is otherwise than predicted.
func (p *Prediction) compare(f entangle.Tick, news bool) {
	if news {
		p.memory.Compare(f, p.present(), p.form, p.differs)
	}
	p.hear(f)
	p.stock.compare(f)
	p.askedFor()
}

// hear takes in that another player did something else than was thought: a tick is computed
// anew from the end of the one before it. What is known at the frontier needs no input.
func (p *Prediction) hear(f entangle.Tick) {
	tick, e, ok := p.cfg.Again.Inputs.Mispredicted(f, p.at)
	if !ok {
		return
	}
	if from := p.held(tick - 1); from.Before(p.present()) {
		p.cfg.Why.Found(WhyFinding{Reason: ByInput, Tick: from + 1, Entity: e, Column: -1})
		p.ask(from, ByInput)
	}
}

// held returns the first tick from one on that can be gone back to, or the present one.
func (p *Prediction) held(tick entangle.Tick) entangle.Tick {
	now := p.present()
	if p.tooDeep(tick) {
		tick = now - entangle.Tick(p.cfg.MaxRollback)
	}
	for tick.Before(now) && !p.memory.Holds(tick) {
		tick++
	}
	return tick
}

// differs takes in one thing that is otherwise.
func (p *Prediction) differs(m rollback.Mismatch) {
	reason := [...]RollbackReason{
		rollback.Value: ByMismatch, rollback.Structure: ByStructure, rollback.Spawned: BySpawn, rollback.Despawned: ByDespawn,
	}[m.Kind]
	p.tell(&m, reason)
	if m.Tick == p.present() {
		p.now = append(p.now, m.Slot)
		return
	}
	p.ask(m.Tick, reason)
}

// ask asks to go back to the end of a tick.
func (p *Prediction) ask(tick entangle.Tick, reason RollbackReason) {
	better := tick.Before(p.tick)
	if p.cfg.Newest {
		better = p.tick.Before(tick)
	}
	if p.way != goBack || better {
		p.way, p.tick, p.reason = goBack, tick, reason
	}
}

// Request has the next frame go back to the end of a tick, and compute every tick since anew.
func (p *Prediction) Request(tick entangle.Tick) {
	now := p.present()
	if p.tooDeep(tick) {
		tick = now - entangle.Tick(p.cfg.MaxRollback)
	}
	if (tick.Before(now) || len(p.later) < p.cfg.MaxRollback) && !slices.Contains(p.later, tick) {
		p.later = append(p.later, tick)
	}
}

// askedFor takes in what the game has asked for. A tick that is not held any more counts as
// the oldest that is; one that is to come is left alone.
func (p *Prediction) askedFor() {
	for _, tick := range p.later {
		if tick = p.held(tick); tick.Before(p.present()) {
			p.cfg.Why.Found(WhyFinding{Reason: ByRequest, Tick: tick, Column: -1})
			p.ask(tick, ByRequest)
		}
	}
}
