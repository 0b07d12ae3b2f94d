package rollback

// list is an unordered set of slots: when a slot is removed, the last one in the list takes its
// place.
type list struct {
	slots []Slot
	place []uint32 // by slot: its index in slots plus one; 0 if it is not in the list
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
