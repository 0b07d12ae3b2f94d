package order

import (
	"slices"

	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

const (
	// MaxUpdates bounds the updates of one group that wait for an action. A sender has as many
	// different baselines in flight as actions, and of one baseline the newest is kept. For more, the
	// oldest is dropped.
	MaxUpdates = 16

	// Overhead is the size that a waiting record counts for beside its body.
	Overhead = 64

	// maxFree bounds the records that are kept for reuse, and maxFreeBody the memory of each.
	maxFree     = 1 << 10
	maxFreeBody = 1 << 10
	leastBody   = 1 << 6
)

// Pool counts the waiting records of all groups, and finds those that can be dropped without a search: a hostile server
// may make many queues.
type Pool struct {
	Limit       int // bytes
	bytes       int
	free        []*Waiting
	withUpdates []*Queue // the queues with updates, in any order
}

// Bytes returns the size of all that waits.
func (p *Pool) Bytes() int { return p.bytes }

// Count adds to the size of all that waits: what the caller keeps elsewhere.
func (p *Pool) Count(bytes int) { p.bytes += bytes }

// Over reports whether more waits than may.
func (p *Pool) Over() bool { return p.bytes > p.Limit }

// Add makes a record wait. start stands at the beginning of its body of some bits.
func (p *Pool) Add(q *Queue, rec *repl.Record, start bits.Reader, width int) {
	var w *Waiting
	if n := len(p.free); n > 0 {
		w, p.free = p.free[n-1], p.free[:n-1]
	} else {
		w = &Waiting{Body: make([]byte, 0, leastBody)}
	}
	w.Record, w.Body = *rec, CopyBits(w.Body, start, width)
	q.Waiting = append(q.Waiting, w)
	if p.bytes += w.size(); w.Kind != repl.Update {
		return
	}
	if q.updates++; q.updates == 1 {
		q.index = len(p.withUpdates)
		p.withUpdates = append(p.withUpdates, q)
	}
}

// Drop removes a record from its queue.
func (p *Pool) Drop(q *Queue, w *Waiting) { p.dropAt(q, slices.Index(q.Waiting, w)) }

// DropIf removes the records for which f returns true, and returns their number.
func (p *Pool) DropIf(q *Queue, f func(*Waiting) bool) (dropped int) {
	for i := len(q.Waiting) - 1; i >= 0; i-- {
		if f(q.Waiting[i]) {
			p.dropAt(q, i)
			dropped++
		}
	}
	return dropped
}

func (p *Pool) dropAt(q *Queue, i int) {
	w := q.Waiting[i]
	q.Waiting = slices.Delete(q.Waiting, i, i+1)
	if p.bytes -= w.size(); w.Kind == repl.Update {
		if q.updates--; q.updates == 0 {
			p.removeQueue(q)
		}
	}
	if len(p.free) < maxFree && cap(w.Body) <= maxFreeBody {
		p.free = append(p.free, w)
	}
}

// removeQueue removes a queue from those with updates: the last one takes its place.
func (p *Pool) removeQueue(q *Queue) {
	last := len(p.withUpdates) - 1
	moved := p.withUpdates[last]
	p.withUpdates[q.index], moved.index = moved, q.index
	p.withUpdates[last] = nil
	p.withUpdates = p.withUpdates[:last]
}

// Supersede drops the waiting updates that a new one makes superfluous, and returns their number: those that are older,
// and have no older baseline. One that needs a later action never displaces one that needs an earlier.
func (p *Pool) Supersede(q *Queue, rec *repl.Record) (dropped int) {
	if rec.Kind != repl.Update {
		return 0
	}
	return p.DropIf(q, func(w *Waiting) bool {
		return w.Kind == repl.Update && w.Tick.Before(rec.Tick) && !w.Base.Before(rec.Base)
	})
}

// DropUpdate drops an update that its sender sends again: the oldest of some group. ok is false if none waits.
func (p *Pool) DropUpdate() (ok bool) {
	if len(p.withUpdates) == 0 {
		return false
	}
	q := p.withUpdates[len(p.withUpdates)-1]
	p.Drop(q, q.OldestUpdate())
	return true
}
