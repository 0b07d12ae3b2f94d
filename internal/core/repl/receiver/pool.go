package receiver

import (
	mathbits "math/bits"
	"slices"

	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

const (
	// maxUpdates bounds the updates of one group that wait for an action. A sender has as many different baselines in
	// flight as actions, and of one baseline the newest is kept.
	maxUpdates = 16
	// overhead is the size that a waiting record counts for beside its body.
	overhead = 96
	// maxFree bounds the records that are kept for reuse, and maxFreeBody the memory of each.
	maxFree     = 1 << 10
	maxFreeBody = 1 << 10
	leastBody   = 1 << 6
)

// waitingRecord is a record that arrived before others that it needs.
type waitingRecord struct {
	repl.Record
	body  []byte // the part of the record behind its head
	bare  bool   // see applier.bare
	comps set.Mask
}

// size is the number of bytes that a waiting record counts for.
func (w *waitingRecord) size() int { return len(w.body) + overhead }

// queue is the waiting records of one group. A pool changes it. A nil queue is that of a group for which nothing has
// waited yet.
type queue []*waitingRecord

// all returns the records, in the order of their arrival.
func (q *queue) all() []*waitingRecord {
	if q == nil {
		return nil
	}
	return *q
}

// updates returns how many updates wait.
func (q *queue) updates() (n int) {
	for _, w := range q.all() {
		if w.Kind == repl.Update {
			n++
		}
	}
	return n
}

// pool counts what waits for all groups, and keeps the memory of records for reuse.
type pool struct {
	limit int // bytes
	bytes int
	free  []*waitingRecord
}

// count adds to the size of all that waits: what the caller keeps elsewhere.
func (p *pool) count(bytes int) { p.bytes += bytes }

// isOver reports whether more waits than may.
func (p *pool) isOver() bool { return p.bytes > p.limit }

// takesUpdate reports whether an update with a body of some bits may wait. Updates have half of the room, so that the other
// half is left for structure, which is sent only once.
func (p *pool) takesUpdate(width int) bool { return p.bytes+overhead+width/8 < p.limit/2 }

// add makes a record wait. start stands at the beginning of its body of some bits. For bare see applier.bare.
func (p *pool) add(q *queue, rec *repl.Record, bare *set.Mask, start bits.Reader, width int) {
	var w *waitingRecord
	if n := len(p.free); n > 0 {
		w, p.free = p.free[n-1], p.free[:n-1]
	} else {
		w = &waitingRecord{body: make([]byte, 0, leastBody)}
	}
	w.Record, w.body = *rec, copyBits(w.body, start, width)
	if w.bare = bare != nil; w.bare {
		w.comps = *bare
	}
	*q = append(*q, w)
	p.bytes += w.size()
}

// dropIf removes the records for which f returns true, and returns their number.
func (p *pool) dropIf(q *queue, f func(*waitingRecord) bool) (dropped int) {
	before := len(q.all())
	if before == 0 {
		return 0
	}
	*q = slices.DeleteFunc(*q, func(w *waitingRecord) bool {
		if !f(w) {
			return false
		}
		p.bytes -= w.size()
		if len(p.free) < maxFree && cap(w.body) <= maxFreeBody {
			p.free = append(p.free, w)
		}
		return true
	})
	return before - len(*q)
}

// supersede drops the waiting updates that a new one makes superfluous, and returns their number: those that are older,
// and have no older baseline. One that needs a later action never displaces one that needs an earlier.
func (p *pool) supersede(q *queue, rec *repl.Record) (dropped int) {
	return p.dropIf(q, func(w *waitingRecord) bool {
		return w.Kind == repl.Update && w.Tick.Before(rec.Tick) && !w.Base.Before(rec.Base)
	})
}

// copyBits copies a number of bits from a reader on into dst, which grows in powers of two.
func copyBits(dst []byte, from bits.Reader, width int) []byte {
	length := (width + 7) / 8
	if cap(dst) < length {
		dst = make([]byte, length, 1<<mathbits.Len(uint(length-1)))
	}
	dst = dst[:length]
	from.Copy(dst, width)
	return dst
}
