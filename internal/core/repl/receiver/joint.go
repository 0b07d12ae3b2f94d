package receiver

import (
	"slices"

	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/order"
)

// jointPlan is the search for actions that must be applied together: groups may need each other, so that no
// action alone can be applied (R41).
type jointPlan struct {
	groups  *table
	waiting *order.Pool
	cursor  int // which of the queues with needs is tried next
	effort  int // how many more needs and records may be examined
	debt    int // the effort of a search that was too large, which later calls do without
	parts   []planned
	numbers repl.Numbering[repl.Handle] // of parts, by their groups
	steps   []step
}

// planned is a group in the plan, and its state after the plan.
type planned struct {
	order.State
	g     *group
	ended bool
}

// step is an action that the plan applies.
type step struct {
	g *group
	w *order.Waiting
}

const (
	// maxPlanned bounds the groups that advance together, and maxEffort the needs and records that
	// are examined for it. No sender makes a larger set: the group is passed over and requested in
	// full.
	maxPlanned = 1 << 10
	maxEffort  = 1 << 13
	// searchEffort is the effort of one search for groups that can't advance. A hostile peer may make
	// many of those.
	searchEffort = 1 << 9
)

// applyPlans tries the groups that wait for others, until none can advance. It gives up after much effort
// without a result, or a search that was too large, of which a hostile peer may cause thousands; the next
// call begins where this one stopped.
func (r *replica) applyPlans() error {
	p := &r.joint
	if p.debt -= min(p.debt, searchEffort); p.debt > 0 {
		return nil
	}
	p.effort = searchEffort
	for idle := 0; p.effort > 0 && idle < len(r.waiting.Needing()); idle++ {
		p.cursor %= len(r.waiting.Needing())
		g := r.groups.find(r.waiting.Needing()[p.cursor].Group)
		p.cursor++
		advanced, err := r.applyPlan(g)
		if err != nil {
			return err
		}
		if advanced {
			p.effort, idle = searchEffort, -1
		}
	}
	return nil
}

// applyPlan advances a group by one of its actions that waits for others.
func (r *replica) applyPlan(g *group) (advanced bool, err error) {
	p := &r.joint
	for _, w := range g.Waiting {
		p.effort--
		if len(w.Needs) == 0 || g.Judge(&w.Record) != order.Apply {
			continue
		}
		if r.waiting.SetNeeds(g.Queue, w, r.groups.Unmet(w.Needs)); len(w.Needs) == 0 {
			return true, r.release(g.Group)
		}
		if needed := r.groups.find(w.Needs[len(w.Needs)-1].Group); needed == nil || len(needed.Waiting) == 0 {
			continue
		}
		switch p.find(g, w) {
		case complete:
			return true, r.carryOut()
		case tooLarge:
			r.stats.Overflow++
			p.effort, p.debt = 0, maxEffort
			r.passOver(g, w)
			return false, r.release(g.Group)
		}
	}
	return false, nil
}

// carryOut applies the plan by rising tick: a third group may take an entity from a group that
// itself took it from another at an earlier tick.
func (r *replica) carryOut() error {
	p := &r.joint
	slices.SortStableFunc(p.steps, func(a, b step) int { return int(a.w.Tick.Sub(b.w.Tick)) })
	for _, s := range p.steps {
		if !slices.Contains(s.g.Waiting, s.w) || s.g.Judge(&s.w.Record) != order.Apply {
			continue
		}
		h := s.g.Group
		if err := r.applyWaiting(s.g, s.w); err != nil {
			return err
		}
		if err := r.release(h); err != nil {
			return err
		}
	}
	return nil
}

// finding is the result of a search for a plan.
type finding uint8

const (
	complete finding = iota // everything needed has arrived
	missing                 // something has not
	tooLarge
)

// find searches for everything that must be applied together with an action: the waiting actions
// that bring the needed groups to their ticks, the needs of these in turn, and so on. Groups may
// need each other; each is added once.
func (p *jointPlan) find(g *group, w *order.Waiting) finding {
	p.parts, p.steps = p.parts[:0], p.steps[:0]
	p.numbers.Reset()
	p.part(g).add(p, w)
	for i, begun := 0, p.effort; i < len(p.steps); i++ {
		needs := p.steps[i].w.Needs
		for k := len(needs) - 1; k >= 0; k-- {
			p.effort--
			if begun-p.effort > maxEffort {
				return tooLarge
			}
			if p.groups.met(needs[k]) {
				continue
			}
			if found := p.meet(needs[k]); found != complete {
				last := len(needs) - 1
				needs[k], needs[last] = needs[last], needs[k]
				return found
			}
		}
	}
	return complete
}

// part returns a group's part of the plan, or nil if the plan is full.
func (p *jointPlan) part(g *group) *planned {
	if n := p.numbers.Find(g.Group); n > 0 {
		return &p.parts[n-1]
	}
	if len(p.parts) == maxPlanned {
		return nil
	}
	p.numbers.Add(g.Group)
	p.parts = append(p.parts, planned{g: g, State: g.State})
	return &p.parts[len(p.parts)-1]
}

// meet plans the actions of a group that lead to a tick.
func (p *jointPlan) meet(need repl.Need) finding {
	g := p.groups.find(need.Group)
	if g == nil {
		return missing
	}
	part := p.part(g)
	if part == nil {
		return tooLarge
	}
	for !part.Known || part.Tick.Before(need.Tick) {
		p.effort -= len(g.Waiting)
		w := part.nextAction()
		if w == nil {
			return missing
		}
		part.add(p, w)
	}
	return complete
}

// nextAction returns the waiting action that follows, or nil. A full goes before the actions that it
// would overtake.
func (p *planned) nextAction() (best *order.Waiting) {
	if p.ended {
		return nil
	}
	for _, w := range p.g.Waiting {
		if w.Kind == repl.Update || p.Judge(&w.Record) != order.Apply {
			continue
		}
		if best == nil || w.Kind == repl.Full && (best.Kind != repl.Full || best.Tick.Before(w.Tick)) {
			best = w
		}
	}
	return best
}

// add plans an action, and the updates that wait for it: the next action may have one of them as its
// baseline.
func (p *planned) add(to *jointPlan, w *order.Waiting) {
	to.steps = append(to.steps, step{g: p.g, w: w})
	p.State = order.State{Known: true, LongSeq: w.LongSeq, Tick: w.Tick}
	p.ended = w.Kind == repl.Gone
	for again := true; again; {
		again = false
		for _, u := range p.g.Waiting {
			if u.Kind == repl.Update && p.Judge(&u.Record) == order.Apply {
				p.Tick, again = u.Tick, true
			}
		}
	}
}
