// Package ring has a queue of fixed capacity, which allocates nothing after New.
package ring

// Ring is a queue of fixed capacity. The addresses that it returns are valid as long as the item is
// in it.
type Ring[T any] struct {
	items       []T
	head, count int
}

// New returns an empty queue.
func New[T any](capacity int) Ring[T] { return Ring[T]{items: make([]T, capacity)} }

// Full reports whether the queue has as many items as its capacity.
func (r *Ring[T]) Full() bool { return r.count == len(r.items) }

// PushBack returns the address of a new last item, which holds an old value to be overwritten, or nil if the queue is
// full.
func (r *Ring[T]) PushBack() *T {
	if r.Full() {
		return nil
	}
	at := (r.head + r.count) % len(r.items)
	r.count++
	return &r.items[at]
}

// First returns the oldest item, or nil.
func (r *Ring[T]) First() *T {
	if r.count == 0 {
		return nil
	}
	return &r.items[r.head]
}

// RemoveFirst removes the oldest item; there must be one. It is not overwritten before the next PushBack.
func (r *Ring[T]) RemoveFirst() {
	r.head = (r.head + 1) % len(r.items)
	r.count--
}
