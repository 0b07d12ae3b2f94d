package rollback

import (
	"cmp"
	"slices"

	"github.com/entangle-ecs/entangle"
)

// StepKind is what one step of a replay does.
type StepKind uint8

const (
	// StepRestore: the world becomes what it was at the end of the tick.
	StepRestore StepKind = iota
	// StepTick: the tick is computed.
	StepTick
	// StepInsert: what the server said of a slot, as of the tick, takes the place of what
	// was computed.
	StepInsert
)

func (k StepKind) String() string { return [...]string{"restore", "tick", "insert"}[k] }

// Step is one step of a replay. Slot is 0 but for StepInsert.
type Step struct {
	Kind StepKind
	Tick entangle.Tick
	Slot Slot
}

// Plan appends the steps of a rollback to a tick and of the replay from there to
// another, which is not before it.
func (s *Store) Plan(dst []Step, from, to entangle.Tick) []Step {
	dst = append(dst, Step{Kind: StepRestore, Tick: from})
	for tick := from + 1; !to.Before(tick); tick++ {
		dst = append(dst, Step{Kind: StepTick, Tick: tick})
		at := len(dst)
		s.due(tick, func(slot Slot) {
			dst = append(dst, Step{Kind: StepInsert, Tick: tick, Slot: slot})
		})
		slices.SortFunc(dst[at:], func(a, b Step) int { return cmp.Compare(a.Slot, b.Slot) })
	}
	return dst
}

// Due appends the slots of which the server's word is as of a tick, in rising order: a
// tick that is computed takes them in before its history is written.
func (s *Store) Due(dst []Slot, tick entangle.Tick) []Slot {
	at := len(dst)
	s.due(tick, func(slot Slot) { dst = append(dst, slot) })
	slices.Sort(dst[at:])
	return dst
}

// due calls f for each slot whose word is as of a tick.
func (s *Store) due(tick entangle.Tick, f func(Slot)) {
	n := &s.news
	if len(n.updated) > 0 && !n.latest.Before(tick) {
		n.refresh()
	}
	if !n.settled.Before(tick) {
		for slot := range s.word {
			s.dueOne(Slot(slot), tick, f)
		}
		return
	}
	for _, slot := range n.ahead.slots {
		if n.fresh.place[slot] == 0 {
			s.dueOne(slot, tick, f)
		}
	}
	for _, slot := range n.fresh.slots {
		s.dueOne(slot, tick, f)
	}
}

func (s *Store) dueOne(slot Slot, tick entangle.Tick, f func(Slot)) {
	if s.binds(slot) && s.word[slot].Tick == tick {
		f(slot)
	}
}
