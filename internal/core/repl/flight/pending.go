package flight

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// pending finds the oldest pending action of a group. It is made in ticks in which it is asked for, and once in a tick: a
// client that withholds acknowledgements may have many actions pending.
type pending struct {
	tick  entangle.Tick                 // in which it was made
	after map[repl.Handle]entangle.Tick // by group: Action.After of the oldest pending action
	runs  []Action                      // those of many groups
}

// longRun is the number of groups of an action above which it is kept as a run, which every search compares. A client that
// withholds acknowledgements may have thousands of short runs pending.
const longRun = 64

func (p *pending) madeIn(tick entangle.Tick) bool { return p.after != nil && p.tick == tick }

func (p *pending) add(actions []Action) {
	for _, a := range actions {
		if a.Count > longRun {
			p.runs = append(p.runs, a)
			continue
		}
		for h := a.Group; h < a.Group+repl.Handle(a.Count); h++ {
			if tick, ok := p.after[h]; !ok || a.After.Before(tick) {
				p.after[h] = a.After
			}
		}
	}
}

// AppliedUpTo returns the tick of the newest action of a group that the peer has applied for certain, or will before it
// applies anything that is sent from now on. If the oldest pending action is the first of the group, it is the tick of that:
// the peer has no older state of the group. Some action of the group must be pending.
func (a *Messages) AppliedUpTo(h repl.Handle, now entangle.Tick) entangle.Tick {
	p := &a.pending
	if !p.madeIn(now) {
		p.tick, p.runs = now, p.runs[:0]
		if clear(p.after); p.after == nil {
			p.after = map[repl.Handle]entangle.Tick{}
		}
		for i := range a.inFlight {
			p.add(a.inFlight[i].actions)
		}
		for i := range a.waiting {
			p.add([]Action{a.waiting[i].Action})
		}
	}
	tick, ok := p.after[h]
	for _, some := range [...][]Action{p.runs, a.Written} {
		for _, act := range some {
			if h-act.Group < repl.Handle(act.Count) && (!ok || act.After.Before(tick)) {
				tick, ok = act.After, true
			}
		}
	}
	return tick
}
