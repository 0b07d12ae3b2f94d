package rollback

import "math/bits"

// list is an unordered set of slots: when a slot is removed, the last one takes its place.
type list struct {
	slots []Slot
	place []uint32 // by slot: its index plus one; 0: not in it
}

func (l *list) grow(slots int) { l.place = fit(l.place, slots) }

func (l *list) add(slot Slot) {
	if l.place[slot] == 0 {
		l.slots = append(l.slots, slot)
		l.place[slot] = uint32(len(l.slots))
	}
}

func (l *list) remove(slot Slot) {
	at := l.place[slot]
	if at == 0 {
		return
	}
	last := l.slots[len(l.slots)-1]
	l.slots[at-1], l.place[last] = last, at
	l.slots, l.place[slot] = l.slots[:len(l.slots)-1], 0
}

func (l *list) clear() {
	for _, slot := range l.slots {
		l.place[slot] = 0
	}
	l.slots = l.slots[:0]
}

// set is a set of slots as bits.
type set []uint64

func (b set) has(slot int) bool { return b[slot>>6]>>(slot&63)&1 != 0 }

func (b set) assign(slot int, in bool) {
	b[slot>>6] &^= 1 << (slot & 63)
	if in {
		b[slot>>6] |= 1 << (slot & 63)
	}
}

// firstRun returns the first run of slots in the set from a slot on, as start and exclusive end.
// There is none if both are equal.
func (b set) firstRun(from int) (start, end int) {
	start = b.next(from, 0)
	return start, b.next(start, ^uint64(0))
}

// next returns the first slot, from the given one on, with a set bit; with the bits flipped, with a
// clear bit. It returns the number of bits if there is none.
func (b set) next(from int, flip uint64) int {
	for word := from >> 6; word < len(b); word++ {
		rest := b[word] ^ flip
		if word == from>>6 {
			rest &= ^uint64(0) << (from & 63)
		}
		if rest != 0 {
			return word<<6 + bits.TrailingZeros64(rest)
		}
	}
	return len(b) << 6
}
