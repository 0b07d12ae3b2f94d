package rollback

import (
	"fmt"
	"slices"

	"github.com/entangle-ecs/entangle"
)

// StepKind is the kind of a step of a plan.
type StepKind uint8

const (
	// StepTakeOver overwrites the present with the confirmed state, and drops all histories.
	StepTakeOver StepKind = iota
	// StepSave saves the entities that are excluded from rollback, for StepPutBack. Between these
	// two steps the world differs from the histories.
	StepSave
	// StepRestore restores the world as it was after the tick, with the confirmed state of that
	// tick.
	StepRestore
	// StepRestart rebuilds the world from the confirmed state at the tick. Components without
	// confirmed state at that tick keep their present value. Histories begin again with that tick.
	StepRestart
	// StepTick simulates the tick. If Step.First is set, it runs for the first time, because the
	// clock was set past it; otherwise it is replayed.
	StepTick
	// StepInsert overwrites predicted values with confirmed state of the tick. Its entities are
	// selected when the step runs, because systems may have spawned and despawned some in the ticks
	// before.
	StepInsert
	// StepPutBack is the first step after the ticks. It restores the excluded entities as StepSave
	// saved them.
	StepPutBack
	// StepReport reports every present value that was corrected.
	StepReport
	// StepRefresh notifies the display that the present has changed although no ticks have run from
	// the displayed state to the new one.
	StepRefresh
	// StepRevive brings back excluded entities that the client had despawned before the server, if
	// the server has not despawned them.
	StepRevive
	// StepRemove removes despawned entities that no rollback can need any more.
	StepRemove
)

var stepNames = [...]string{
	"take over", "save", "restore", "restart", "tick", "insert", "put back", "report", "refresh", "revive", "remove",
}

// String returns the kind as words.
func (k StepKind) String() string { return stepNames[k] }

// Selector selects the entities of a StepInsert.
type Selector uint8

const (
	// Due selects the entities whose confirmed state is of the tick of the step.
	Due Selector = iota
	// AllKnown selects the entities whose confirmed state is of the tick of the step or an earlier
	// one.
	AllKnown
	// Differing selects the entities for which Check found a difference from the confirmed state at
	// the present tick.
	Differing
)

// String returns the selector as words.
func (s Selector) String() string { return [...]string{"due", "all known", "differing"}[s] }

// Step is one step of a plan. Fields that its kind does not use are zero.
type Step struct {
	Kind   StepKind
	Tick   entangle.Tick // of StepTakeOver, StepRestore, StepRestart, StepTick and StepInsert
	First  bool          // of StepTick
	Select Selector      // of StepInsert
}

// String returns the step in a few words, such as "insert 1007 due".
func (s Step) String() string {
	switch s.Kind {
	case StepTakeOver, StepRestore, StepRestart:
		return fmt.Sprintf("%v %d", s.Kind, s.Tick)
	case StepTick:
		if s.First {
			return fmt.Sprintf("%v %d for the first time", s.Kind, s.Tick)
		}
		return fmt.Sprintf("%v %d", s.Kind, s.Tick)
	case StepInsert:
		return fmt.Sprintf("%v %d %v", s.Kind, s.Tick, s.Select)
	}
	return s.Kind.String()
}

// Timeline is a client's position at the beginning of a frame. Its methods append the steps of a
// plan that brings the predicted world to the present tick.
type Timeline struct {
	At        entangle.Tick // the predicted world is in the state after this tick
	Ran       entangle.Tick // the newest tick that has run on this client
	Present   entangle.Tick // the last tick that the clock has finished
	Confirmed entangle.Tick // the confirmed tick, at most Present
}

// PlanLimit returns the most steps of a plan with at most this many ticks.
func PlanLimit(ticks int) int { return 2*ticks + 8 }

// TakeOver appends the plan for when the confirmed state is too old for a rollback.
func (t *Timeline) TakeOver(plan []Step) []Step {
	return append(plan, Step{Kind: StepTakeOver, Tick: t.Present}, Step{Kind: StepRefresh})
}

// Restart appends the plan for when there is no history of the confirmed tick. from is that tick, or an earlier
// one if something has to be simulated since then.
func (t *Timeline) Restart(plan []Step, from entangle.Tick) []Step {
	plan = append(plan, Step{Kind: StepSave}, Step{Kind: StepRestart, Tick: from})
	ran := t.Ran
	if ran.Before(t.Confirmed) {
		ran = t.Confirmed
	}
	plan = t.ticks(plan, from, ran)
	return append(plan, Step{Kind: StepPutBack}, Step{Kind: StepRefresh})
}

// Rollback appends the plan for a misprediction at tick to, which must not be after At or Present.
func (t *Timeline) Rollback(plan []Step, to entangle.Tick) []Step {
	plan = append(plan, Step{Kind: StepSave}, Step{Kind: StepRestore, Tick: to})
	plan = t.ticks(plan, to, t.At)
	plan = append(plan, Step{Kind: StepPutBack}, Step{Kind: StepReport})
	return t.refreshIfBack(plan)
}

// FollowClock appends the plan for when the clock was set and nothing was mispredicted. If the
// clock was set forward, the ticks in between run for the first time; if it was set back, its tick
// is restored.
func (t *Timeline) FollowClock(plan []Step) []Step {
	plan = append(plan, Step{Kind: StepSave})
	if t.Present.Before(t.At) {
		plan = append(plan, Step{Kind: StepRestore, Tick: t.Present})
	}
	plan = t.ticks(plan, t.At, t.At)
	return t.refreshIfBack(append(plan, Step{Kind: StepPutBack}))
}

// Amend appends the plan for when only the present differs from the confirmed state.
func (t *Timeline) Amend(plan []Step) []Step {
	return append(plan,
		Step{Kind: StepInsert, Tick: t.Present, Select: Differing}, Step{Kind: StepReport}, Step{Kind: StepRefresh})
}

// End appends the steps that every plan ends with.
func (t *Timeline) End(plan []Step) []Step {
	return append(plan, Step{Kind: StepRevive}, Step{Kind: StepRemove})
}

// ticks appends the ticks after from, up to the present tick, each followed by an insert of the
// confirmed state of that tick. Ticks up to ran have run before. At the confirmed tick all
// confirmed state is inserted, including that of entities that have not changed since.
func (t *Timeline) ticks(plan []Step, from, ran entangle.Tick) []Step {
	for tick := from + 1; !t.Present.Before(tick); tick++ {
		insert := Step{Kind: StepInsert, Tick: tick, Select: Due}
		if tick == t.Confirmed {
			insert.Select = AllKnown
		}
		plan = append(plan, Step{Kind: StepTick, Tick: tick, First: ran.Before(tick)}, insert)
	}
	return plan
}

// refreshIfBack appends a refresh if the clock was set back: the present tick was displayed before,
// and no ticks run from the displayed state to it.
func (t *Timeline) refreshIfBack(plan []Step) []Step {
	if t.Present.Before(t.At) {
		plan = append(plan, Step{Kind: StepRefresh})
	}
	return plan
}

// Due appends, in ascending order, the slots for which the confirmed state is the state after the
// given tick. The client inserts that state after it has simulated the tick and before it writes
// the tick's history.
func (s *Store) Due(dst []Slot, tick entangle.Tick) []Slot {
	at := len(dst)
	s.due(tick, func(slot Slot) { dst = append(dst, slot) })
	slices.Sort(dst[at:])
	return dst
}

// due calls f for each slot whose confirmed state is of a tick.
func (s *Store) due(tick entangle.Tick, f func(Slot)) {
	n := &s.changes
	if len(n.updated) > 0 && !n.latest.Before(tick) {
		n.refresh()
	}
	if !n.confirmed.Before(tick) {
		for slot := range s.confirmed {
			s.dueOne(Slot(slot), tick, f)
		}
		return
	}
	for _, slot := range n.unconfirmed.slots {
		if n.changed.place[slot] == 0 {
			s.dueOne(slot, tick, f)
		}
	}
	for _, slot := range n.changed.slots {
		s.dueOne(slot, tick, f)
	}
}

func (s *Store) dueOne(slot Slot, tick entangle.Tick, f func(Slot)) {
	if s.binds(slot) && s.confirmed[slot].Tick == tick {
		f(slot)
	}
}
