package plain

import (
	"time"

	"github.com/entangle-ecs/entangle/internal/ring"
)

// ended records the numbers of connections that have ended, as long as an answer with such a number
// could still be accepted.
type ended struct {
	known map[uint64]struct{}
	order ring.Ring[endedAt]
}

type endedAt struct {
	id uint64
	at time.Time
}

func newEnded(size int) ended {
	return ended{known: make(map[uint64]struct{}, size), order: ring.New[endedAt](size)}
}

// full removes expired numbers and reports whether another one would not fit.
func (e *ended) full(now time.Time) bool {
	for first := e.order.First(); first != nil && now.Sub(first.at) > endedLife; first = e.order.First() {
		delete(e.known, first.id)
		e.order.RemoveFirst()
	}
	return e.order.Full()
}

func (e *ended) has(id uint64) bool {
	_, ok := e.known[id]
	return ok
}

// add records a number. There is room for it: while there is none, no client is accepted, and the
// table has more places than the server has slots.
func (e *ended) add(id uint64, now time.Time) {
	if e.full(now) {
		return
	}
	*e.order.PushBack() = endedAt{id, now}
	e.known[id] = struct{}{}
}
