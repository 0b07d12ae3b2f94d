package plain

import "time"

// ended stores the numbers of connections that have ended, until no answer can name them any
// more.
type ended struct {
	known map[uint64]struct{}
	order []endedAt // oldest first, a ring
	head  int
	count int
}

type endedAt struct {
	id uint64
	at time.Time
}

func newEnded(size int) ended {
	return ended{known: make(map[uint64]struct{}, size), order: make([]endedAt, size)}
}

// full reports whether another number would not fit, after it has removed expired ones.
func (e *ended) full(now time.Time) bool {
	for e.count > 0 && now.Sub(e.order[e.head].at) > endedLife {
		delete(e.known, e.order[e.head].id)
		e.head = (e.head + 1) % len(e.order)
		e.count--
	}
	return e.count == len(e.order)
}

func (e *ended) has(id uint64) bool {
	_, ok := e.known[id]
	return ok
}

// add stores a number. There is room: while there is none, no client is accepted, and the
// table has more places than there are slots.
func (e *ended) add(id uint64, now time.Time) {
	if e.full(now) {
		return
	}
	e.order[(e.head+e.count)%len(e.order)] = endedAt{id, now}
	e.count++
	e.known[id] = struct{}{}
}
