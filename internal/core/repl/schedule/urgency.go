package schedule

import "github.com/entangle-ecs/entangle/internal/core/repl"

// urgency orders the records of a plan: by key, and those with equal keys by how far their handles are from the one
// whose turn it is. It holds the index of the record as well.
type urgency uint64

const (
	handleBits = 21 // width of a handle, and of the index of a record: at most one of each group

	_ = uint(1<<handleBits - repl.EndOfHandles)
)

// newUrgency returns the urgency of a record with a key of 22 bits.
func newUrgency(key uint32, turn repl.Handle, rec int) urgency {
	sooner := uint64(^turn) & (1<<handleBits - 1)
	return urgency(uint64(key)<<(2*handleBits) | sooner<<handleBits | uint64(rec))
}

func (u urgency) key() uint32 { return uint32(u >> (2 * handleBits)) }

func (u urgency) record() int { return int(u & (1<<handleBits - 1)) }

// urgencies is a heap: the first is the greatest, and each is at least as great as the two at twice its place.
type urgencies []urgency

// order makes a heap of urgencies in any order.
func (q urgencies) order() {
	for i := len(q)/2 - 1; i >= 0; i-- {
		q.sink(i)
	}
}

// pop removes the greatest.
func (q *urgencies) pop() {
	last := len(*q) - 1
	(*q)[0] = (*q)[last]
	*q = (*q)[:last]
	q.sink(0)
}

// sink moves one down until none below it is greater.
func (q urgencies) sink(i int) {
	for {
		child := 2*i + 1
		if child+1 < len(q) && q[child] < q[child+1] {
			child++
		}
		if child >= len(q) || q[i] >= q[child] {
			return
		}
		q[i], q[child] = q[child], q[i]
		i = child
	}
}
