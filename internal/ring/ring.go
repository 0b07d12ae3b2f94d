// Package ring has two queues in circular buffers: Ring has a fixed capacity, and Queue grows.
package ring

// Ring is a queue of fixed capacity. An address that it returns is valid as long as its item is in
// the queue.
type Ring[T any] struct {
	items       []T
	head, count int
}

// New returns an empty queue.
func New[T any](capacity int) Ring[T] { return Ring[T]{items: make([]T, capacity)} }

// Full reports whether the queue has as many items as its capacity.
func (r *Ring[T]) Full() bool { return r.count == len(r.items) }

// PushBack adds an item and returns its address, or nil if the queue is full. The item has an old
// value, which the caller must overwrite.
func (r *Ring[T]) PushBack() *T {
	if r.Full() {
		return nil
	}
	at := (r.head + r.count) % len(r.items)
	r.count++
	return &r.items[at]
}

// First returns the address of the oldest item, or nil if the queue is empty.
func (r *Ring[T]) First() *T {
	if r.count == 0 {
		return nil
	}
	return &r.items[r.head]
}

// RemoveFirst removes the oldest item; the queue must not be empty. The item keeps its value until
// the next PushBack.
func (r *Ring[T]) RemoveFirst() {
	r.head = (r.head + 1) % len(r.items)
	r.count--
}
