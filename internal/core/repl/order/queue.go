package order

import (
	mathbits "math/bits"

	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// Queue is the records of one group that wait. Its zero value is empty; a [Pool] changes it.
type Queue struct {
	Group   repl.Handle
	Waiting []*Waiting
	updates int // of Waiting
	index   int // in Pool.withUpdates, if there are any
}

// Waiting is a record that arrived before others that it needs.
type Waiting struct {
	repl.Record
	Body []byte // the part of the record behind its head
}

// size is the number of bytes that a waiting record counts for.
func (w *Waiting) size() int { return len(w.Body) + Overhead }

// Updates returns how many updates wait.
func (q *Queue) Updates() int { return q.updates }

// Actions returns how many actions wait.
func (q *Queue) Actions() int { return len(q.Waiting) - q.updates }

// OldestUpdate returns the oldest update, or nil.
func (q *Queue) OldestUpdate() (oldest *Waiting) {
	for _, w := range q.Waiting {
		if w.Kind == repl.Update && (oldest == nil || w.Tick.Before(oldest.Tick)) {
			oldest = w
		}
	}
	return oldest
}

// CopyBits copies a number of bits from a reader on into dst, which grows in powers of two: a few times at most, and never
// beyond what a pool keeps for reuse of what it has room for.
func CopyBits(dst []byte, from bits.Reader, width int) []byte {
	length := (width + 7) / 8
	if cap(dst) < length {
		dst = make([]byte, length, 1<<mathbits.Len(uint(length-1)))
	}
	dst = dst[:length]
	from.Copy(dst, width)
	return dst
}
