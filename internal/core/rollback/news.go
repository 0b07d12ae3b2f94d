package rollback

import "github.com/entangle-ecs/entangle"

// news is which slots there is something to find out about.
type news struct {
	settled entangle.Tick // the frontier of the last Compare or Correct

	fresh    list          // the server's word is another one, since advance
	updated  []Slot        // its values are, since advance; some more than once
	latest   entangle.Tick // of those
	noted    list          // it is, and newer than settled: compared at its own tick, once
	ahead    list          // its word is newer than settled
	suspects list          // the form at the frontier may be another one than the server's
	excluded set

	compared Mask
	known    []set // by column that is compared: the server's word has it, as of settled
	odd      set   // slots whose form differs at the tick that is compared
}

func (n *news) grow(slots int) {
	n.fresh.grow(slots)
	n.noted.grow(slots)
	n.ahead.grow(slots)
	n.suspects.grow(slots)
	words := (slots + 63) / 64
	n.excluded, n.odd = fit(n.excluded, words), fit(n.odd, words)
	for col := n.compared.Next(0); col >= 0; col = n.compared.Next(col + 1) {
		n.known[col] = fit(n.known[col], words)
	}
}

func (n *news) forget(slot Slot) {
	n.fresh.remove(slot)
	n.noted.remove(slot)
	n.ahead.remove(slot)
	n.suspects.remove(slot)
	n.excluded.put(int(slot), false)
	for col := n.compared.Next(0); col >= 0; col = n.compared.Next(col + 1) {
		n.known[col].put(int(slot), false)
	}
}

// advance takes in what the server said since, and that a frontier is reached.
func (s *Store) advance(f entangle.Tick) {
	n := &s.news
	if len(n.updated) > 0 && f.Before(n.latest) {
		n.refresh()
	}
	n.settled, n.updated = f, n.updated[:0]
	for i := len(n.ahead.slots) - 1; i >= 0; i-- {
		slot := n.ahead.slots[i]
		if !f.Before(s.word[slot].Tick) {
			n.ahead.remove(slot)
			s.learn(slot, true)
		}
	}
	for _, slot := range n.fresh.slots {
		settled := !f.Before(s.word[slot].Tick)
		if n.ahead.remove(slot); !settled && s.binds(slot) {
			n.ahead.add(slot)
			n.noted.add(slot)
		}
		s.learn(slot, settled)
	}
	n.fresh.clear()
}

// update takes in that values of a slot are as of a tick.
func (n *news) update(slot Slot, tick entangle.Tick) {
	if len(n.updated) == len(n.fresh.place) {
		n.refresh()
	}
	if len(n.updated) == 0 || n.latest.Before(tick) {
		n.latest = tick
	}
	n.updated = append(n.updated, slot)
}

// refresh has the slots of which values are news be looked at one by one.
func (n *news) refresh() {
	for _, slot := range n.updated {
		n.fresh.add(slot)
	}
	n.updated = n.updated[:0]
}

// learn notes which columns of a slot are known as of the frontier.
func (s *Store) learn(slot Slot, settled bool) {
	word, n := &s.word[slot], &s.news
	known := settled && s.binds(slot) && !word.Gone
	for col := n.compared.Next(0); col >= 0; col = n.compared.Next(col + 1) {
		n.known[col].put(int(slot), known && word.Mask.Has(col))
	}
	n.suspects.add(slot)
}
