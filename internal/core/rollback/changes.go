package rollback

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/set"
)

// changes lists the slots that Compare may have to compare.
//
// Note adds a slot to changed, NoteValues to updated. applyConfirmed empties both lists: it adds
// slots whose state the confirmed tick has reached to known and suspects, and the other slots to
// unconfirmed and uncompared. When the confirmed tick reaches the state of an unconfirmed slot, that
// slot moves to known and suspects. If the confirmed tick goes back, all slots count as changed.
// Compare reads known, suspects and uncompared, and empties uncompared.
type changes struct {
	confirmed entangle.Tick // the confirmed tick of the last Compare or Correct

	changed     list          // slots with confirmed state that changed since applyConfirmed
	updated     []Slot        // slots of which only values changed since applyConfirmed; a slot can be in it several times
	latest      entangle.Tick // the newest tick of the slots in updated
	uncompared  list          // unconfirmed slots that Compare has still to compare, at the tick of their state
	unconfirmed list          // slots with confirmed state that is newer than confirmed
	suspects    list          // slots that may have, at the confirmed tick, a form other than the confirmed one
	excluded    set.Bitset

	compared   set.Mask
	known      []set.Bitset // for each compared column, the slots that have a value in the confirmed state as of confirmed
	mismatched set.Bitset   // slots with a form that differs at the tick being compared
}

func (n *changes) grow(slots int) {
	n.changed.grow(slots)
	n.uncompared.grow(slots)
	n.unconfirmed.grow(slots)
	n.suspects.grow(slots)
	words := (slots + 63) / 64
	n.excluded, n.mismatched = fit(n.excluded, words), fit(n.mismatched, words)
	for col := range n.compared.All() {
		n.known[col] = fit(n.known[col], words)
	}
}

func (n *changes) forgetSlot(slot Slot) {
	n.changed.remove(slot)
	n.uncompared.remove(slot)
	n.unconfirmed.remove(slot)
	n.suspects.remove(slot)
	n.excluded.Assign(int(slot), false)
	for col := range n.compared.All() {
		n.known[col].Assign(int(slot), false)
	}
}

// applyConfirmed handles a new confirmed tick, and the confirmed state that has arrived since the
// last call.
func (s *Store) applyConfirmed(confirmed entangle.Tick) {
	n := &s.changes
	if len(n.updated) > 0 && confirmed.Before(n.latest) {
		n.refresh()
	}
	if confirmed.Before(n.confirmed) { // the clock was set back: some state is of future ticks again
		for slot := range s.confirmed {
			n.changed.add(Slot(slot))
		}
	}
	n.confirmed, n.updated = confirmed, n.updated[:0]
	for i := len(n.unconfirmed.slots) - 1; i >= 0; i-- {
		slot := n.unconfirmed.slots[i]
		if !confirmed.Before(s.confirmed[slot].Tick) {
			n.unconfirmed.remove(slot)
			s.markKnown(slot, true)
		}
	}
	for _, slot := range n.changed.slots {
		reached := !confirmed.Before(s.confirmed[slot].Tick)
		if n.unconfirmed.remove(slot); !reached && s.binds(slot) {
			n.unconfirmed.add(slot)
			n.uncompared.add(slot)
		}
		s.markKnown(slot, reached)
	}
	n.changed.clear()
}

// update records the tick of a slot's confirmed values.
func (n *changes) update(slot Slot, tick entangle.Tick) {
	if len(n.updated) == len(n.changed.place) {
		n.refresh()
	}
	if len(n.updated) == 0 || n.latest.Before(tick) {
		n.latest = tick
	}
	n.updated = append(n.updated, slot)
}

// refresh moves the slots in updated to changed, so that they are examined one by one.
func (n *changes) refresh() {
	for _, slot := range n.updated {
		n.changed.add(slot)
	}
	n.updated = n.updated[:0]
}

// markKnown records which columns of a slot are known as of the confirmed tick. reached tells
// whether that tick is at or after the tick of the slot's confirmed state.
func (s *Store) markKnown(slot Slot, reached bool) {
	state, n := &s.confirmed[slot], &s.changes
	known := reached && s.binds(slot) && !state.Gone
	for col := range n.compared.All() {
		n.known[col].Assign(int(slot), known && state.Mask.Has(col))
	}
	n.suspects.add(slot)
}
