package rollback

import (
	"fmt"
	"slices"

	"github.com/entangle-ecs/entangle"
)

// StepKind is the kind of a step of a plan.
type StepKind uint8

const (
	// StepTakeOver writes the confirmed state over the present, and ends all histories.
	StepTakeOver StepKind = iota
	// StepSave saves the entities that are excluded from rollback, for StepPutBack. Between the two
	// the world differs from the histories.
	StepSave
	// StepRestore restores the world as of the end of the tick, with the confirmed state of
	// that tick.
	StepRestore
	// StepRestart rebuilds the world from the confirmed state at the tick. Components without
	// confirmed state keep their present value. Histories begin again with that tick.
	StepRestart
	// StepTick simulates the tick. With Step.First it runs for the first time, because the
	// clock was set past it; else it is replayed.
	StepTick
	// StepInsert overwrites predicted values with confirmed state of the tick. Its entities are
	// selected when the step runs, because systems spawn and despawn some in the ticks before.
	StepInsert
	// StepPutBack ends the ticks, and puts the excluded entities back as they were saved.
	StepPutBack
	// StepReport reports every present value that was corrected.
	StepReport
	// StepRefresh notifies the display that the present has changed without running ticks from the
	// displayed state to the new one.
	StepRefresh
	// StepRevive brings back excluded entities that were despawned ahead of the server, if it
	// has not despawned them.
	StepRevive
	// StepRemove removes despawned entities for which there can be no rollback any more.
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
	// Due selects the entities with confirmed state of the tick of the step.
	Due Selector = iota
	// AllKnown selects the entities with confirmed state of any tick up to that of the step.
	AllKnown
	// Differing selects the entities that differed from the confirmed state at the present tick in
	// Check.
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
	At        entangle.Tick // the predicted world is as of the end of this tick
	Ran       entangle.Tick // the newest tick that has run on this client
	Present   entangle.Tick // the last tick that the clock has finished
	Confirmed entangle.Tick // the confirmed tick, at most Present
}

// PlanLimit returns the largest number of steps of a plan with at most that many ticks.
func PlanLimit(ticks int) int { return 2*ticks + 8 }

// TakeOver is the plan when the confirmed state is too old for a rollback.
func (t *Timeline) TakeOver(plan []Step) []Step {
	return append(plan, Step{Kind: StepTakeOver, Tick: t.Present}, Step{Kind: StepRefresh})
}

// Restart is the plan when there is no history of the confirmed tick.
func (t *Timeline) Restart(plan []Step) []Step {
	plan = append(plan, Step{Kind: StepSave}, Step{Kind: StepRestart, Tick: t.Confirmed})
	ran := t.Ran
	if ran.Before(t.Confirmed) {
		ran = t.Confirmed
	}
	plan = t.ticks(plan, t.Confirmed, ran)
	return append(plan, Step{Kind: StepPutBack}, Step{Kind: StepRefresh})
}

// Rollback is the plan for a misprediction at the tick to, which is not after At and not after Present.
func (t *Timeline) Rollback(plan []Step, to entangle.Tick) []Step {
	plan = append(plan, Step{Kind: StepSave}, Step{Kind: StepRestore, Tick: to})
	plan = t.ticks(plan, to, t.At)
	plan = append(plan, Step{Kind: StepPutBack}, Step{Kind: StepReport})
	return t.refreshIfBack(plan)
}

// FollowClock is the plan when the clock was set and nothing was mispredicted. If the clock was set
// forward, the ticks in between run for the first time; if it was set back, its tick is restored.
func (t *Timeline) FollowClock(plan []Step) []Step {
	plan = append(plan, Step{Kind: StepSave})
	if t.Present.Before(t.At) {
		plan = append(plan, Step{Kind: StepRestore, Tick: t.Present})
	}
	plan = t.ticks(plan, t.At, t.At)
	return t.refreshIfBack(append(plan, Step{Kind: StepPutBack}))
}

// Amend is the plan when only the present differs from the confirmed state.
func (t *Timeline) Amend(plan []Step) []Step {
	return append(plan,
		Step{Kind: StepInsert, Tick: t.Present, Select: Differing}, Step{Kind: StepReport}, Step{Kind: StepRefresh})
}

// End appends the steps that every plan ends with.
func (t *Timeline) End(plan []Step) []Step {
	return append(plan, Step{Kind: StepRevive}, Step{Kind: StepRemove})
}

// ticks appends the ticks after from, up to the present, each with the confirmed state of that
// tick. Those up to ran have run before. At the confirmed tick all confirmed state applies,
// including that of entities with no change since.
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

// refreshIfBack appends a refresh if the clock was set back: the present was displayed before, and
// no tick runs from the displayed state to it.
func (t *Timeline) refreshIfBack(plan []Step) []Step {
	if t.Present.Before(t.At) {
		plan = append(plan, Step{Kind: StepRefresh})
	}
	return plan
}

// Due appends the slots with confirmed state of a tick, in ascending order. A simulated tick
// inserts that state before its history is written.
func (s *Store) Due(dst []Slot, tick entangle.Tick) []Slot {
	at := len(dst)
	s.due(tick, func(slot Slot) { dst = append(dst, slot) })
	slices.Sort(dst[at:])
	return dst
}

// due calls f for each slot with confirmed state of a tick.
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
		if n.fresh.place[slot] == 0 {
			s.dueOne(slot, tick, f)
		}
	}
	for _, slot := range n.fresh.slots {
		s.dueOne(slot, tick, f)
	}
}

func (s *Store) dueOne(slot Slot, tick entangle.Tick, f func(Slot)) {
	if s.binds(slot) && s.confirmed[slot].Tick == tick {
		f(slot)
	}
}
