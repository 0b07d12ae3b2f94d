package order

import (
	mathbits "math/bits"
	"slices"

	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

const (
	// MaxUpdates bounds the updates of one group that wait for an action. A sender has as many different baselines in
	// flight as actions, and of one baseline the newest is kept.
	MaxUpdates = 16
	// Overhead is the size that a waiting record counts for beside its body.
	Overhead = 64
	// maxFree bounds the records that are kept for reuse, and maxFreeBody the memory of each.
	maxFree     = 1 << 10
	maxFreeBody = 1 << 10
	leastBody   = 1 << 6
)

// Waiting is a record that arrived before others that it needs.
type Waiting struct {
	repl.Record
	Body []byte // the part of the record behind its head
}

// size is the number of bytes that a waiting record counts for.
func (w *Waiting) size() int { return len(w.Body) + Overhead }

// Queue is the waiting records of one group. A [Pool] changes it. A nil Queue is that of a group for which nothing has
// waited yet.
type Queue []*Waiting

// All returns the records, in the order of their arrival.
func (q *Queue) All() []*Waiting {
	if q == nil {
		return nil
	}
	return *q
}

// Updates returns how many updates wait.
func (q *Queue) Updates() (n int) {
	for _, w := range q.All() {
		if w.Kind == repl.Update {
			n++
		}
	}
	return n
}

// Pool counts what waits for all groups, and keeps the memory of records for reuse.
type Pool struct {
	Limit int // bytes
	bytes int
	free  []*Waiting
}

// Bytes returns the size of all that waits.
func (p *Pool) Bytes() int { return p.bytes }

// Count adds to the size of all that waits: what the caller keeps elsewhere.
func (p *Pool) Count(bytes int) { p.bytes += bytes }

// Over reports whether more waits than may.
func (p *Pool) Over() bool { return p.bytes > p.Limit }

// TakesUpdate reports whether an update with a body of some bits may wait. Updates have half of the room, so that the other
// half is left for structure, which is sent only once.
func (p *Pool) TakesUpdate(width int) bool { return p.bytes+Overhead+width/8 < p.Limit/2 }

// Add makes a record wait. start stands at the beginning of its body of some bits.
func (p *Pool) Add(q *Queue, rec *repl.Record, start bits.Reader, width int) {
	var w *Waiting
	if n := len(p.free); n > 0 {
		w, p.free = p.free[n-1], p.free[:n-1]
	} else {
		w = &Waiting{Body: make([]byte, 0, leastBody)}
	}
	w.Record, w.Body = *rec, CopyBits(w.Body, start, width)
	*q = append(*q, w)
	p.bytes += w.size()
}

// DropIf removes the records for which f returns true, and returns their number.
func (p *Pool) DropIf(q *Queue, f func(*Waiting) bool) (dropped int) {
	before := len(q.All())
	if before == 0 {
		return 0
	}
	*q = slices.DeleteFunc(*q, func(w *Waiting) bool {
		if !f(w) {
			return false
		}
		p.bytes -= w.size()
		if len(p.free) < maxFree && cap(w.Body) <= maxFreeBody {
			p.free = append(p.free, w)
		}
		return true
	})
	return before - len(*q)
}

// Supersede drops the waiting updates that a new one makes superfluous, and returns their number: those that are older,
// and have no older baseline. One that needs a later action never displaces one that needs an earlier.
func (p *Pool) Supersede(q *Queue, rec *repl.Record) (dropped int) {
	return p.DropIf(q, func(w *Waiting) bool {
		return w.Kind == repl.Update && w.Tick.Before(rec.Tick) && !w.Base.Before(rec.Base)
	})
}

// CopyBits copies a number of bits from a reader on into dst, which grows in powers of two.
func CopyBits(dst []byte, from bits.Reader, width int) []byte {
	length := (width + 7) / 8
	if cap(dst) < length {
		dst = make([]byte, length, 1<<mathbits.Len(uint(length-1)))
	}
	dst = dst[:length]
	from.Copy(dst, width)
	return dst
}
