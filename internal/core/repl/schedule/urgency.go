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
