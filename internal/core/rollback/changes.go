package rollback

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/set"
)

// changes lists the slots that may have to be compared.
//
// Note adds a slot to fresh, NoteValues to updated. applyConfirmed empties both: it moves the slots
// that the confirmed tick has reached to known and suspects, and the others to unconfirmed and noted.
// Later it moves those in unconfirmed, when the confirmed tick reaches them. Compare reads known,
// suspects and noted, and empties noted.
type changes struct {
	confirmed entangle.Tick // the confirmed tick of the last Compare or Correct

	fresh       list          // the confirmed state changed since applyConfirmed
	updated     []Slot        // only values changed since applyConfirmed; some more than once
	latest      entangle.Tick // the newest tick of updated
	noted       list          // unconfirmed slots that were not compared yet, at the tick of their state
	unconfirmed list          // the confirmed state is newer than confirmed
	suspects    list          // the form at the confirmed tick may differ from the confirmed state
	excluded    set.Bitset

	compared   Mask
	known      []set.Bitset // by compared column: slots with a value in the confirmed state, as of confirmed
	mismatched set.Bitset   // slots with a form that differs at the compared tick
}

func (n *changes) grow(slots int) {
	n.fresh.grow(slots)
	n.noted.grow(slots)
	n.unconfirmed.grow(slots)
	n.suspects.grow(slots)
	words := (slots + 63) / 64
	n.excluded, n.mismatched = fit(n.excluded, words), fit(n.mismatched, words)
	for col := n.compared.Next(0); col >= 0; col = n.compared.Next(col + 1) {
		n.known[col] = fit(n.known[col], words)
	}
}

func (n *changes) forgetSlot(slot Slot) {
	n.fresh.remove(slot)
	n.noted.remove(slot)
	n.unconfirmed.remove(slot)
	n.suspects.remove(slot)
	n.excluded.Assign(int(slot), false)
	for col := n.compared.Next(0); col >= 0; col = n.compared.Next(col + 1) {
		n.known[col].Assign(int(slot), false)
	}
}

// applyConfirmed takes in a new confirmed tick, and the confirmed state that has arrived since the
// last call.
func (s *Store) applyConfirmed(confirmed entangle.Tick) {
	n := &s.changes
	if len(n.updated) > 0 && confirmed.Before(n.latest) {
		n.refresh()
	}
	n.confirmed, n.updated = confirmed, n.updated[:0]
	for i := len(n.unconfirmed.slots) - 1; i >= 0; i-- {
		slot := n.unconfirmed.slots[i]
		if !confirmed.Before(s.confirmed[slot].Tick) {
			n.unconfirmed.remove(slot)
			s.markKnown(slot, true)
		}
	}
	for _, slot := range n.fresh.slots {
		reached := !confirmed.Before(s.confirmed[slot].Tick)
		if n.unconfirmed.remove(slot); !reached && s.binds(slot) {
			n.unconfirmed.add(slot)
			n.noted.add(slot)
		}
		s.markKnown(slot, reached)
	}
	n.fresh.clear()
}

// update records the tick of a slot's confirmed values.
func (n *changes) update(slot Slot, tick entangle.Tick) {
	if len(n.updated) == len(n.fresh.place) {
		n.refresh()
	}
	if len(n.updated) == 0 || n.latest.Before(tick) {
		n.latest = tick
	}
	n.updated = append(n.updated, slot)
}

// refresh lists slots with changed values for a comparison one by one.
func (n *changes) refresh() {
	for _, slot := range n.updated {
		n.fresh.add(slot)
	}
	n.updated = n.updated[:0]
}

// markKnown records which columns of a slot are known as of the confirmed tick, which has reached the
// tick of its confirmed state or not.
func (s *Store) markKnown(slot Slot, reached bool) {
	state, n := &s.confirmed[slot], &s.changes
	known := reached && s.binds(slot) && !state.Gone
	for col := n.compared.Next(0); col >= 0; col = n.compared.Next(col + 1) {
		n.known[col].Assign(int(slot), known && state.Mask.Has(col))
	}
	n.suspects.add(slot)
}
