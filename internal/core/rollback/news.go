package rollback

import "github.com/entangle-ecs/entangle"

// news is which slots there is something to find out about.
type news struct {
	settled entangle.Tick // the frontier of the last Compare or Correct

	fresh    list // the server's word is another one, since advance
	noted    list // it is, and newer than settled: compared at its own tick, once
	ahead    list // its word is newer than settled
	suspects list // the form at the frontier may be another one than the server's
	excluded set
	learned  []Confirmed // by slot: the word that learn has seen

	compared Mask
	known    []set // by column that is compared: the server's word has it, as of settled
	odd      set   // slots whose form differs at the tick that is compared
}

func (n *news) grow(slots int) {
	n.fresh.grow(slots)
	n.noted.grow(slots)
	n.ahead.grow(slots)
	n.suspects.grow(slots)
	n.learned = fit(n.learned, slots)
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
	n.learned[slot] = Confirmed{}
	for col := n.compared.Next(0); col >= 0; col = n.compared.Next(col + 1) {
		n.known[col].put(int(slot), false)
	}
}

// advance takes in what the server said since, and that a frontier is reached.
func (s *Store) advance(f entangle.Tick) {
	n := &s.news
	n.settled = f
	for i := len(n.ahead.slots) - 1; i >= 0; i-- {
		slot := n.ahead.slots[i]
		if !f.Before(s.word[slot].Tick) {
			n.ahead.remove(slot)
			s.learn(slot, true)
		}
	}
	for _, slot := range n.fresh.slots {
		n.fresh.place[slot] = 0
		settled := !f.Before(s.word[slot].Tick)
		if settled && n.ahead.place[slot] == 0 && n.knows(slot, &s.word[slot]) {
			continue
		}
		if n.ahead.remove(slot); !settled && s.binds(slot) {
			n.ahead.add(slot)
			n.noted.add(slot)
		}
		s.learn(slot, settled)
	}
	n.fresh.slots = n.fresh.slots[:0]
}

// knows reports whether a word is the one that learn has seen, but for its tick and the
// values: most news is of values alone.
func (n *news) knows(slot Slot, word *Confirmed) bool {
	was := &n.learned[slot]
	return was.Mask == word.Mask && was.Target == word.Target && was.Known == word.Known && was.Gone == word.Gone
}

// learn notes which columns of a slot are known as of the frontier.
func (s *Store) learn(slot Slot, settled bool) {
	word, n := &s.word[slot], &s.news
	known := settled && s.binds(slot) && !word.Gone
	for col := n.compared.Next(0); col >= 0; col = n.compared.Next(col + 1) {
		n.known[col].put(int(slot), known && word.Mask.Has(col))
	}
	n.suspects.add(slot)
	n.learned[slot] = *word
}
