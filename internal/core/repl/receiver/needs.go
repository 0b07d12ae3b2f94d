package receiver

import (
	"slices"

	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// needy is the groups with actions that wait for other groups, and the plan for applying several of
// them in one step.
type needy struct {
	groups []*group
	turn   int // which is tried next
	plan   []planned
	steps  []step
}

// planned is a group in the plan, and its state after the plan.
type planned struct {
	state
	g    *group
	gone bool
}

// step is an action that the plan applies.
type step struct {
	g *group
	w *waiting
}

const (
	// maxPlanned bounds the groups that advance together, and maxEffort the needs and records that
	// are examined for it. No sender makes a larger set: the group is passed over and requested in
	// full.
	maxPlanned = 1 << 10
	maxEffort  = 1 << 13
	// lookEffort is the effort of one look for groups that can't advance. A hostile peer may make
	// many of those.
	lookEffort = 1 << 10
)

func (n *needy) addGroup(g *group) {
	if !g.needy {
		g.needy = true
		n.groups = append(n.groups, g)
	}
}

func (n *needy) removeGroup(g *group) {
	if g.needy {
		n.dropAt(slices.Index(n.groups, g))
	}
}

func (n *needy) dropAt(i int) {
	last := len(n.groups) - 1
	n.groups[i].needy = false
	n.groups[i], n.groups[last] = n.groups[last], nil
	n.groups = n.groups[:last]
}

// look tries the groups that wait for others, until none can advance. It gives up after much effort
// without a result; the next look begins where this one stopped.
func (r *Receiver) look() error {
	effort, idle := lookEffort, 0
	for n := &r.needy; effort > 0 && idle < len(n.groups); {
		n.turn %= len(n.groups)
		g := n.groups[n.turn]
		if !g.holdsNeeds() {
			n.dropAt(n.turn)
			continue
		}
		n.turn++
		idle++
		went, err := r.try(g, &effort)
		if err != nil {
			return err
		}
		if went {
			effort, idle = lookEffort, 0
		}
	}
	return nil
}

// try advances a group by one of its actions that waits for others.
func (r *Receiver) try(g *group, effort *int) (went bool, err error) {
	for _, w := range g.waits {
		*effort--
		if len(w.needs) == 0 || judge(&g.state, &w.rec) != apply {
			continue
		}
		if w.needs = r.groups.Unmet(w.needs); len(w.needs) == 0 {
			return true, r.release(g.handle)
		}
		if x := r.groups.get(w.needs[len(w.needs)-1].Group); x == nil || len(x.waits) == 0 {
			continue
		}
		switch r.gather(g, w, effort) {
		case all:
			return true, r.carryOut()
		case tooMany:
			r.stats.Overflow++
			r.giveUp(g, w)
			return true, r.release(g.handle)
		}
	}
	return false, nil
}

// giveUp passes over a waiting action, and keeps it only for its leavers.
func (r *Receiver) giveUp(g *group, w *waiting) {
	r.pass(g, &w.rec)
	if (w.rec.leaves || w.rec.takes) && g.known {
		w.lost, w.needs = true, w.needs[:0]
		return
	}
	r.waiting.dropWaiting(g, slices.Index(g.waits, w))
}

// finding is the result of a search for a plan.
type finding uint8

const (
	all     finding = iota // everything needed has arrived
	missing                // something has not
	tooMany
)

// gather searches for everything that must be applied together with an action: the waiting actions
// that bring the needed groups to their ticks, the needs of these in turn, and so on. Groups may
// need each other; each is added once.
func (r *Receiver) gather(g *group, w *waiting, effort *int) finding {
	n := &r.needy
	n.plan, n.steps = n.plan[:0], n.steps[:0]
	defer n.unmark()
	p, _ := n.planFor(g)
	p.planAction(n, w)
	for i, begun := 0, *effort; i < len(n.steps); i++ {
		needs := n.steps[i].w.needs
		for k := len(needs) - 1; k >= 0; k-- {
			*effort--
			if begun-*effort > maxEffort {
				return tooMany
			}
			if r.groups.met(needs[k]) {
				continue
			}
			if found := r.bring(needs[k], effort); found != all {
				last := len(needs) - 1
				needs[k], needs[last] = needs[last], needs[k]
				return found
			}
		}
	}
	return all
}

// planFor returns a group's part of the plan, or nil if the plan is full.
func (n *needy) planFor(g *group) (p *planned, ok bool) {
	if g.planned == 0 {
		if len(n.plan) == maxPlanned {
			return nil, false
		}
		n.plan = append(n.plan, planned{g: g, state: g.state})
		g.planned = len(n.plan)
	}
	return &n.plan[g.planned-1], true
}

func (n *needy) unmark() {
	for i := range n.plan {
		n.plan[i].g.planned = 0
	}
}

// bring plans the actions of a group that lead to a tick.
func (r *Receiver) bring(need repl.Need, effort *int) finding {
	g := r.groups.get(need.Group)
	if g == nil {
		return missing
	}
	p, ok := r.needy.planFor(g)
	if !ok {
		return tooMany
	}
	for !p.known || p.held.Before(need.Tick) {
		*effort -= len(g.waits)
		w := p.nextAction()
		if w == nil {
			return missing
		}
		p.planAction(&r.needy, w)
	}
	return all
}

// nextAction returns the waiting action that follows, or nil. A full goes before the actions that it
// would overtake.
func (p *planned) nextAction() (best *waiting) {
	if p.gone {
		return nil
	}
	for _, w := range p.g.waits {
		if w.rec.Kind == repl.Update || judge(&p.state, &w.rec) != apply {
			continue
		}
		if best == nil || w.rec.Kind == repl.Full && (best.rec.Kind != repl.Full || best.rec.Tick.Before(w.rec.Tick)) {
			best = w
		}
	}
	return best
}

// planAction plans an action, and the updates that wait for it: the next action may have one of them as
// its baseline.
func (p *planned) planAction(n *needy, w *waiting) {
	n.steps = append(n.steps, step{g: p.g, w: w})
	p.known, p.at, p.held = true, w.rec.at, w.rec.Tick
	p.gone = w.rec.Kind == repl.Gone
	for again := true; again; {
		again = false
		for _, u := range p.g.waits {
			if u.rec.Kind == repl.Update && judge(&p.state, &u.rec) == apply {
				p.held, again = u.rec.Tick, true
			}
		}
	}
}

// carryOut applies the plan by rising tick: a third group may take an entity from a group that
// itself took it from another at an earlier tick.
func (r *Receiver) carryOut() error {
	n := &r.needy
	slices.SortStableFunc(n.steps, func(a, b step) int { return int(a.w.rec.Tick.Sub(b.w.rec.Tick)) })
	for _, s := range n.steps {
		if !slices.Contains(s.g.waits, s.w) || judge(&s.g.state, &s.w.rec) != apply {
			continue
		}
		if err := r.applyWaiting(s.g, s.w); err != nil {
			return err
		}
		if err := r.releaseUpdates(s.g); err != nil {
			return err
		}
	}
	for _, p := range n.plan {
		if err := r.release(p.g.handle); err != nil {
			return err
		}
	}
	return nil
}

// releaseUpdates applies the updates that waited for an action of the plan. Other actions have
// their turn when the plan is done.
func (r *Receiver) releaseUpdates(g *group) error {
	for w := r.ready(g, rankUpdate); w != nil; w = r.ready(g, rankUpdate) {
		if err := r.applyWaiting(g, w); err != nil {
			return err
		}
	}
	return nil
}
