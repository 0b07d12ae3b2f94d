package conditioner

import "time"

// arrival is one copy of a datagram in flight.
type arrival struct {
	at     time.Time
	push   uint64
	second bool
	slot   int32
}

// before is a total order, so that a run does not depend on how the heap was built.
func (a *arrival) before(b *arrival) bool {
	if c := a.at.Compare(b.at); c != 0 {
		return c < 0
	}
	if a.push != b.push {
		return a.push < b.push
	}
	return !a.second && b.second
}

// schedule adds a to the binary heap l.due. (container/heap would allocate.)
func (l *Link) schedule(a arrival) {
	l.due = append(l.due, a)
	for i := len(l.due) - 1; i > 0; {
		parent := (i - 1) / 2
		if !l.due[i].before(&l.due[parent]) {
			return
		}
		l.due[i], l.due[parent] = l.due[parent], l.due[i]
		i = parent
	}
}

// takeEarliest removes the root; the heap must not be empty.
func (l *Link) takeEarliest() arrival {
	first := l.due[0]
	last := len(l.due) - 1
	l.due[0] = l.due[last]
	l.due = l.due[:last]
	for i := 0; ; {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < last; child++ {
			if l.due[child].before(&l.due[least]) {
				least = child
			}
		}
		if least == i {
			return first
		}
		l.due[i], l.due[least] = l.due[least], l.due[i]
		i = least
	}
}
