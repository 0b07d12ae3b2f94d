package session

// ring is a queue of fixed capacity.
type ring[T any] struct {
	items       []T
	head, count int
}

func newRing[T any](capacity int) ring[T] { return ring[T]{items: make([]T, capacity)} }

// pushBack returns the address of a new last item, which holds an old value to be overwritten, or nil if the queue is full.
func (r *ring[T]) pushBack() *T {
	if r.count == len(r.items) {
		return nil
	}
	at := (r.head + r.count) % len(r.items)
	r.count++
	return &r.items[at]
}

// first returns the oldest item, or nil.
func (r *ring[T]) first() *T {
	if r.count == 0 {
		return nil
	}
	return &r.items[r.head]
}

// removeFirst removes the oldest item. It is not overwritten before the next push.
func (r *ring[T]) removeFirst() {
	r.head = (r.head + 1) % len(r.items)
	r.count--
}
