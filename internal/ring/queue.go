package ring

// Queue is a queue that grows as needed and keeps its memory. An address that At returns is valid until
// the queue grows.
type Queue[T any] struct {
	items   []T // their number is a power of two
	head, n int
}

// minQueue is the initial capacity of a queue; it doubles as needed.
const minQueue = 64

// Len returns the number of items.
func (q *Queue[T]) Len() int { return q.n }

// At returns the address of item i, from the oldest, which is 0.
func (q *Queue[T]) At(i int) *T { return &q.items[(q.head+i)&(len(q.items)-1)] }

// Push adds an item.
func (q *Queue[T]) Push(v T) {
	q.Reserve(1)
	q.Put(v)
}

// Put adds an item for which there is room: see Reserve.
func (q *Queue[T]) Put(v T) {
	q.items[(q.head+q.n)&(len(q.items)-1)] = v
	q.n++
}

// Reserve makes room for n more items.
func (q *Queue[T]) Reserve(n int) {
	if q.n+n > len(q.items) {
		q.grow(n)
	}
}

func (q *Queue[T]) grow(n int) {
	size := max(minQueue, len(q.items))
	for size < q.n+n {
		size *= 2
	}
	bigger := make([]T, size)
	for i := range q.n {
		bigger[i] = *q.At(i)
	}
	q.items, q.head = bigger, 0
}

// Drop removes the n oldest items.
func (q *Queue[T]) Drop(n int) {
	q.head = (q.head + n) & max(0, len(q.items)-1)
	q.n -= n
}

// Pop removes the newest item.
func (q *Queue[T]) Pop() { q.n-- }
